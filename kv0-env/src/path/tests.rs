use super::{ancestors, check_dir, check_file, join, parent};

#[test]
fn only_plain_relative_paths_pass() {
    for good in ["a", "a/b", "a.b/..c", "a b", "ä"] {
        assert!(check_file(good).is_ok(), "{good:?}");
        assert!(check_dir(good).is_ok(), "{good:?}");
    }
    for bad in ["/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0b"] {
        assert!(check_file(bad).is_err(), "{bad:?}");
        assert!(check_dir(bad).is_err(), "{bad:?}");
    }
    assert!(check_file("").is_err());
    assert!(check_dir("").is_ok());
}

#[test]
fn paths_come_apart_and_together() {
    assert_eq!(parent("a"), "");
    assert_eq!(parent("a/b/c"), "a/b");
    assert_eq!(ancestors("a/b/c").collect::<Vec<_>>(), ["a", "a/b"]);
    assert_eq!(ancestors("a").count(), 0);
    assert_eq!(join("", "a"), "a");
    assert_eq!(join("a", ""), "a");
    assert_eq!(join("a", "b/c"), "a/b/c");
}
