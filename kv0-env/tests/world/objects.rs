//! What every object store must do. Each question is put to both.

use std::sync::Arc;
use std::thread;

use kv0_env::local::{LocalFileSystem, LocalObjectStore};
use kv0_env::memory::MemoryObjectStore;
use kv0_env::{FileSystem, MAX_OBJECT_KEY_BYTES, ObjectError, ObjectStore, PutCondition};

fn check(question: impl Fn(Arc<dyn ObjectStore>)) {
    question(Arc::new(MemoryObjectStore::new()));
    let directory = tempfile::tempdir().unwrap();
    question(Arc::new(LocalObjectStore::open(directory.path().join("store")).unwrap()));
}

fn keys(store: &dyn ObjectStore, prefix: &str, after: Option<&str>, limit: usize) -> Vec<String> {
    store.list(prefix, after, limit).unwrap().into_iter().map(|meta| meta.key).collect()
}

#[test]
fn objects_are_read_as_written() {
    check(|store| {
        assert_eq!(store.get("a", None), Err(ObjectError::NotFound));
        assert_eq!(store.head("a"), Err(ObjectError::NotFound));
        let etag = store.put("a", b"0123456789", PutCondition::Always).unwrap();
        assert_eq!(store.get("a", None).unwrap(), (b"0123456789".to_vec(), etag.clone()));
        for (range, expected) in [(0..3, "012"), (7..99, "789"), (10..12, ""), (50..60, ""), (4..4, "")] {
            assert_eq!(store.get("a", Some(range)).unwrap(), (expected.as_bytes().to_vec(), etag.clone()));
        }
        let meta = store.head("a").unwrap();
        assert_eq!((meta.key.as_str(), meta.size, meta.etag), ("a", 10, etag));
        store.put("a", b"", PutCondition::Always).unwrap();
        assert_eq!(store.get("a", None).unwrap().0, b"");
        store.delete("a").unwrap();
        store.delete("a").unwrap();
        assert_eq!(store.get("a", None), Err(ObjectError::NotFound));
    });
}

#[test]
fn conditions_are_judged() {
    check(|store| {
        let first = store.put("k", b"1", PutCondition::Absent).unwrap();
        assert_eq!(store.put("k", b"2", PutCondition::Absent), Err(ObjectError::Precondition));
        assert_eq!(store.get("k", None).unwrap().0, b"1");
        let second = store.put("k", b"2", PutCondition::Matches(&first)).unwrap();
        assert_eq!(store.put("k", b"3", PutCondition::Matches(&first)), Err(ObjectError::Precondition));
        assert_eq!(store.put("other", b"", PutCondition::Matches(&second)), Err(ObjectError::Precondition));
        store.delete("k").unwrap();
        assert_eq!(store.put("k", b"3", PutCondition::Matches(&second)), Err(ObjectError::Precondition));
        store.put("k", b"3", PutCondition::Absent).unwrap();
    });
}

#[test]
fn the_same_content_written_again_has_another_tag() {
    check(|store| {
        let first = store.put("k", b"same", PutCondition::Always).unwrap();
        store.put("k", b"else", PutCondition::Always).unwrap();
        let third = store.put("k", b"same", PutCondition::Always).unwrap();
        assert_ne!(first, third);
        assert_eq!(store.put("k", b"x", PutCondition::Matches(&first)), Err(ObjectError::Precondition));
    });
}

#[test]
fn listings_are_sorted_and_bounded() {
    check(|store| {
        let all = ["B", "a", "a/", "a/b", "a/b/c", "a//b", "a-b", "ab", "ä/..", "../x"];
        for key in all {
            store.put(key, key.as_bytes(), PutCondition::Absent).unwrap();
        }
        let mut sorted = all.map(str::to_owned).to_vec();
        sorted.sort();
        assert_eq!(keys(&*store, "", None, 100), sorted);
        assert_eq!(keys(&*store, "a/", None, 100), ["a/", "a//b", "a/b", "a/b/c"]);
        assert_eq!(keys(&*store, "a/b", None, 100), ["a/b", "a/b/c"]);
        assert_eq!(keys(&*store, "a", Some("a/b"), 2), ["a/b/c", "ab"]);
        assert_eq!(keys(&*store, "nothing/here", None, 100), [""; 0]);
        assert_eq!(keys(&*store, "", None, 0), [""; 0]);
        let mut paged = Vec::new();
        while let Some(last) = keys(&*store, "", paged.last().map(String::as_str), 1).pop() {
            paged.push(last);
        }
        assert_eq!(paged, sorted);
        for meta in store.list("", None, 100).unwrap() {
            assert_eq!(store.head(&meta.key).unwrap(), meta);
            assert_eq!(store.get(&meta.key, None).unwrap().0, meta.key.as_bytes());
            store.delete(&meta.key).unwrap();
        }
        assert_eq!(keys(&*store, "", None, 100), [""; 0]);
    });
}

#[test]
fn impossible_keys_are_refused() {
    check(|store| {
        for key in [String::new(), "x".repeat(MAX_OBJECT_KEY_BYTES + 1)] {
            assert!(matches!(store.put(&key, b"", PutCondition::Always), Err(ObjectError::Refused(_))));
            assert!(matches!(store.get(&key, None), Err(ObjectError::Refused(_))));
            assert!(matches!(store.delete(&key), Err(ObjectError::Refused(_))));
        }
        let longest = "X".repeat(MAX_OBJECT_KEY_BYTES);
        store.put(&longest, b"long", PutCondition::Absent).unwrap();
        assert_eq!(keys(&*store, "X", None, 2), [longest]);
    });
}

/// Every one of the increments is counted: no conditional write overtakes another between condition and change.
#[test]
fn conditional_writes_are_atomic_between_threads() {
    check(|store| {
        store.put("dir/count", b"0", PutCondition::Absent).unwrap();
        let increment = |store: &dyn ObjectStore| loop {
            let (body, etag) = store.get("dir/count", None).unwrap();
            let count: u64 = String::from_utf8(body).unwrap().parse().unwrap();
            let next = (count + 1).to_string();
            match store.put("dir/count", next.as_bytes(), PutCondition::Matches(&etag)) {
                Ok(_) => return,
                Err(error) => assert_eq!(error, ObjectError::Precondition),
            }
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| increment(&*store)));
            }
        });
        assert_eq!(store.get("dir/count", None).unwrap().0, b"40");
    });
}

#[test]
fn one_of_many_creates_the_object() {
    check(|store| {
        let winners = thread::scope(|scope| {
            let threads: Vec<_> = (0..4u8)
                .map(|id| {
                    scope.spawn({
                        let store = &store;
                        move || store.put("epoch/1", &[id], PutCondition::Absent).is_ok()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(winners, 1);
    });
}

/// Deletes take empty directories with them; a write that comes at that time must not fall into the hole.
#[test]
fn writes_and_deletes_of_neighbours_do_not_disturb_each_other() {
    check(|store| {
        thread::scope(|scope| {
            for key in ["d/e/a", "d/e/b"] {
                let store = &store;
                scope.spawn(move || {
                    for _ in 0..20 {
                        store.put(key, b"x", PutCondition::Absent).unwrap();
                        assert_eq!(store.get(key, None).unwrap().0, b"x");
                        store.delete(key).unwrap();
                    }
                });
            }
        });
        assert_eq!(keys(&*store, "", None, 10), [""; 0]);
    });
}

#[test]
fn a_local_store_finds_its_objects_and_their_damage_again() {
    let directory = tempfile::tempdir().unwrap();
    let etag =
        LocalObjectStore::open(directory.path()).unwrap().put("k", b"body", PutCondition::Always).unwrap();
    let abandoned = directory.path().join("new").join("left-by-a-writer-that-died");
    let files = LocalFileSystem::open(directory.path()).unwrap();
    let files: Arc<dyn FileSystem> = files;
    files.create_new("new/left-by-a-writer-that-died").unwrap();
    assert!(abandoned.exists());

    let store = LocalObjectStore::open(directory.path()).unwrap();
    assert!(!abandoned.exists(), "what a dead writer left is removed");
    assert_eq!(store.get("k", None).unwrap(), (b"body".to_vec(), etag));

    let file = files.open_write("objects/k=").unwrap();
    file.write_at(b"B", 32).unwrap();
    assert!(matches!(store.get("k", None), Err(ObjectError::Unknown(what)) if what.contains("damaged")));
    file.write_at(b"X", 0).unwrap();
    assert!(matches!(store.head("k"), Err(ObjectError::Unknown(what)) if what.contains("damaged")));
    file.set_size(3).unwrap();
    assert!(matches!(store.head("k"), Err(ObjectError::Unknown(what)) if what.contains("damaged")));
}

/// Ties `docs/format/local-objects.md` to the code.
#[test]
fn the_file_of_an_object_is_as_the_format_says() {
    let directory = tempfile::tempdir().unwrap();
    let store = LocalObjectStore::open(directory.path()).unwrap();
    let etag = store.put("Logs//a.1", b"foobar", PutCondition::Always).unwrap();
    let files = LocalFileSystem::open(directory.path()).unwrap();
    let file = files.open_read("objects/%4cogs/%/a.1=").unwrap();
    let mut bytes = [0; 38];
    file.read_exact_at(&mut bytes, 0).unwrap();
    assert_eq!(file.size().unwrap(), 38);
    assert_eq!(bytes[..8], *b"kv0obj\x01\n");
    assert_eq!(bytes[8..16], [0xe8, 0x67, 0x39, 0xf7, 0x71, 0x41, 0x94, 0x85]);
    assert_eq!(bytes[32..], *b"foobar");
    let unique = u128::from_le_bytes(bytes[16..32].try_into().unwrap());
    assert_eq!(etag.0, format!("85944171f73967e8-{unique:032x}"));
    assert_eq!(files.list("new").unwrap(), [], "nothing is left on the way");
}
