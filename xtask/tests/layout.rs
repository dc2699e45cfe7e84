//! The layout of this very repository.

use std::path::Path;

use xtask::layout::{Tree, check};

#[test]
fn the_repository_is_in_order() {
    let tree = Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
    assert!(tree.files.contains_key("xtask/tests/layout.rs"), "this is not the repository");
    let problems = check(&tree).problems;
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
