//! Names of files, and that the lock file is there.

use super::Tree;

/// Names that say nothing of what is inside, so that anything may come in.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "manager", "managers", "misc", "core", "v2"];

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut problems: Vec<String> = tree.files.keys().filter_map(|path| check_name(path)).collect();
    problems.extend(check_lock_file(tree));
    problems
}

fn check_name(path: &str) -> Option<String> {
    let words = path.split(['/', '.', '_', '-']);
    let empty = words.into_iter().find(|word| EMPTY_NAMES.contains(&word.to_lowercase().as_str()))?;
    Some(format!("{path}: {empty:?} does not say what is inside: name the thing"))
}

/// Without it a clean clone would not build what was tested.
fn check_lock_file(tree: &Tree) -> Option<String> {
    let is_tracked = tree.files.get("Cargo.lock").is_some_and(|file| file.is_tracked);
    (!is_tracked).then(|| "Cargo.lock: must be committed".to_owned())
}
