//! Which of our crates may depend on which: programs → tidaldb → kv0 → kv0-env.

use std::collections::BTreeSet;

use super::metadata::{Metadata, Package};

/// Each crate of the workspace, and those that it may depend on. A new crate gets its line here before anything else.
const ALLOWED: &[(&str, &[&str])] = &[
    ("kv0-env", &[]),
    ("kv0", &["kv0-env"]),
    ("tidaldb", &["kv0", "kv0-env"]),
    // Programs and bindings.
    ("kv0-cli", &["kv0", "kv0-env"]),
    ("kv0-python", &["kv0", "kv0-env"]),
    ("tidal-server", &["tidaldb", "kv0", "kv0-env"]),
    ("tidal-stress", &["tidaldb", "kv0", "kv0-env"]),
    ("tidalctl", &["tidaldb", "kv0", "kv0-env"]),
    ("tidal-python", &["tidaldb", "kv0", "kv0-env"]),
    // A model is an independent opinion: it knows nothing of what it is compared with.
    ("model", &[]),
    ("sim", &["tidaldb", "kv0", "kv0-env", "model"]),
    ("xtask", &[]),
];

/// What any crate may use in its tests, beside what it may depend on.
const ALLOWED_IN_TESTS: &[&str] = &["model", "sim"];

pub(super) fn check(metadata: &Metadata) -> Vec<String> {
    let members: BTreeSet<&str> = metadata
        .packages
        .iter()
        .filter(|package| package.is_member)
        .map(|package| package.name.as_str())
        .collect();
    let mut problems = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.is_member) {
        problems.extend(check_member(package, &members));
    }
    problems
}

fn check_member(package: &Package, members: &BTreeSet<&str>) -> Vec<String> {
    let name = &package.name;
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| known == name) else {
        return vec![format!("{name}: give it a line in the table of xtask/src/dependencies/direction.rs")];
    };
    let mut problems = Vec::new();
    for dependency in &package.dependencies {
        let to = dependency.name.as_str();
        if dependency.names_registry {
            problems.push(format!("{name}: takes {to} from a registry of its own"));
        }
        let permitted = !members.contains(to)
            || allowed.contains(&to)
            || (dependency.is_dev && ALLOWED_IN_TESTS.contains(&to));
        if !permitted {
            let how = if dependency.is_dev { "in its tests" } else { "at all" };
            problems.push(format!("{name}: may not depend on {to} {how}: dependencies point one way"));
        }
    }
    problems
}
