use std::collections::BTreeSet;

use super::{Entry, Names};
use crate::generator::Generator;

/// All sets of file names that these many seeds leave.
fn crashes(names: &Names, seeds: u64) -> BTreeSet<Vec<String>> {
    let crash = |seed| {
        let mut generator = Generator::from_seed(seed);
        let mut crashed = names.clone();
        crashed.power_cut(|| generator.below(2) == 0);
        crashed.files().map(|(name, inode)| format!("{name}={inode}")).collect()
    };
    (0..seeds).map(crash).collect()
}

fn states(expected: &[&[&str]]) -> BTreeSet<Vec<String>> {
    expected.iter().map(|state| state.iter().map(|name| (*name).to_owned()).collect()).collect()
}

#[test]
fn unsynced_names_come_and_go_independently() {
    let mut names = Names::default();
    names.add("a", Entry::File(1));
    names.add("b", Entry::File(2));
    assert_eq!(crashes(&names, 100), states(&[&[], &["a=1"], &["b=2"], &["a=1", "b=2"]]));
    names.sync("");
    assert_eq!(crashes(&names, 100), states(&[&["a=1", "b=2"]]));
    names.remove("a");
    assert_eq!(crashes(&names, 100), states(&[&["a=1", "b=2"], &["b=2"]]));
}

#[test]
fn a_rename_is_seen_before_or_after() {
    let mut names = Names::default();
    names.add("new", Entry::File(1));
    names.add("target", Entry::File(2));
    names.sync("");
    names.rename("new", "target");
    assert_eq!(crashes(&names, 100), states(&[&["new=1", "target=2"], &["target=1"]]));
    names.sync("");
    assert_eq!(crashes(&names, 100), states(&[&["target=1"]]));
}

#[test]
fn changes_of_one_name_keep_their_order() {
    let mut names = Names::default();
    names.add("a", Entry::File(1));
    names.remove("a");
    names.add("a", Entry::File(2));
    names.rename("a", "b");
    names.add("a", Entry::File(3));
    assert_eq!(crashes(&names, 300), states(&[&[], &["a=1"], &["a=2"], &["b=2"], &["a=3", "b=2"]]));
}

#[test]
fn a_rename_between_directories_is_whole_when_either_is_synced() {
    for synced in ["x", "y"] {
        let mut names = Names::default();
        names.add("x", Entry::Dir);
        names.add("y", Entry::Dir);
        names.sync("");
        names.add("x/a", Entry::File(1));
        names.rename("x/a", "y/a");
        assert_eq!(crashes(&names, 100), states(&[&[], &["x/a=1"], &["y/a=1"]]));
        names.sync(synced);
        assert_eq!(crashes(&names, 100), states(&[&["y/a=1"]]), "{synced} was synced");
    }
}

#[test]
fn what_is_synced_in_a_directory_needs_its_name() {
    let mut names = Names::default();
    names.add("old", Entry::File(1));
    names.sync("");
    names.add("dir", Entry::Dir);
    names.rename("old", "dir/new");
    names.sync("dir");
    assert_eq!(crashes(&names, 100), states(&[&["old=1"], &["dir/new=1"]]), "the file is never lost");
    names.sync("");
    assert_eq!(crashes(&names, 100), states(&[&["dir/new=1"]]));
}

#[test]
fn a_sync_leaves_other_directories_alone() {
    let mut names = Names::default();
    names.add("x", Entry::Dir);
    names.sync("");
    names.add("x/a", Entry::File(1));
    names.add("b", Entry::File(2));
    names.sync("x");
    assert_eq!(crashes(&names, 100), states(&[&["x/a=1"], &["b=2", "x/a=1"]]));
}

#[test]
fn a_file_is_reachable_while_any_future_names_it() {
    let mut names = Names::default();
    names.add("a", Entry::File(1));
    names.sync("");
    names.remove("a");
    assert_eq!(names.reachable(), BTreeSet::from([1]));
    names.sync("");
    assert_eq!(names.reachable(), BTreeSet::new());
    names.add("b", Entry::File(2));
    names.remove("b");
    assert_eq!(names.reachable(), BTreeSet::from([2]));
}

#[test]
fn children_are_direct_and_sorted() {
    let mut names = Names::default();
    names.add("d", Entry::Dir);
    for name in ["d/b", "d-", "d/a", "e"] {
        names.add(name, Entry::File(1));
    }
    names.add("d/c", Entry::Dir);
    names.add("d/c/z", Entry::File(1));
    let children = |dir| names.children(dir).map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(children("d"), ["a", "b", "c"]);
    assert_eq!(children(""), ["d", "d-", "e"]);
}
