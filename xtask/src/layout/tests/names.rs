use super::super::{File, check};
use super::{expect_order, expect_problem, tree};

#[test]
fn names_that_say_nothing_are_found() {
    for path in [
        "kv0/util.js",
        "kv0/byte_utils.js",
        "kv0/common/x.js",
        "docs/misc.txt",
        "tidal/core/a.js",
        "docs/api-v2.txt",
    ] {
        expect_problem(&[(path, "")], path, "does not say what is inside");
    }
    expect_order(&[("kv0/utility.js", ""), ("docs/score.txt", ""), ("docs/commons.txt", "")]);
}

#[test]
fn a_lock_file_that_is_not_committed_is_found() {
    let mut without = tree(&[]);
    without.files.remove("Cargo.lock");
    assert_eq!(check(&without).problems, ["Cargo.lock: must be committed"]);

    let mut untracked = tree(&[]);
    untracked.files.insert("Cargo.lock".to_owned(), File { text: Some(String::new()), is_tracked: false });
    assert_eq!(check(&untracked).problems, ["Cargo.lock: must be committed"]);
}

#[test]
fn files_that_are_not_text_are_no_obstacle() {
    let mut with_image = tree(&[]);
    with_image.files.insert("docs/feed.png".to_owned(), File { text: None, is_tracked: true });
    assert!(check(&with_image).problems.is_empty());
}
