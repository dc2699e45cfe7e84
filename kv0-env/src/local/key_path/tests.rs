use std::path::{Component, Path};

use super::{directory_of, file_of, key_of};

#[test]
fn every_key_comes_back_from_a_safe_path() {
    let long = "x".repeat(1024);
    let long_escaped = "Ä/é".repeat(200);
    let keys = [
        "a",
        "a/b",
        "A",
        "/",
        "//",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "../../etc/passwd",
        "a/../b",
        "a=",
        "a+",
        "a/b=",
        "%",
        "%41",
        "a b\n\0",
        "ü/ñ",
        "CON",
        ".hidden",
        &long,
        &long_escaped,
    ];
    let mut paths = Vec::new();
    for key in keys {
        let path = file_of(key);
        assert!(
            path.components().all(|part| matches!(part, Component::Normal(_))),
            "{key:?} became {path:?}"
        );
        assert!(path.iter().all(|name| name.len() <= 255), "{key:?} became {path:?}");
        assert_eq!(key_of(&path).as_deref(), Some(key));
        assert!(path.starts_with(directory_of(key)));
        paths.push(path.to_str().unwrap().to_lowercase());
    }
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), keys.len(), "two keys met");
}

#[test]
fn a_path_is_the_file_of_at_most_one_key() {
    for foreign in ["a", "A=", "a%2=", "a%zz=", "a%41", "%61=", "=", "a+/b=", "%ff="] {
        assert_eq!(key_of(Path::new(foreign)), None, "{foreign:?}");
    }
}
