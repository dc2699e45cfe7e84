mod blank;
mod documents;
mod names;
mod sources;

use super::{File, Tree, check};

/// A tree that is in order, with these files in it.
fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (path, text) in [("Cargo.lock", "")].iter().chain(files) {
        tree.files.insert((*path).to_owned(), File { text: Some((*text).to_owned()), is_tracked: true });
    }
    tree
}

#[track_caller]
fn expect_order(files: &[(&str, &str)]) {
    assert_eq!(check(&tree(files)).problems, [""; 0]);
}

/// Expects exactly one problem, which begins with `begin` and contains `expected`.
#[track_caller]
fn expect_problem(files: &[(&str, &str)], begin: &str, expected: &str) {
    let found = check(&tree(files)).problems;
    let is_right = found.len() == 1 && found[0].starts_with(begin) && found[0].contains(expected);
    assert!(is_right, "expected {begin} … {expected:?}, found {found:?}");
}
