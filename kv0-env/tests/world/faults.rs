//! Calls that fail, full disks, dead processes, flipped bytes.

use std::io::ErrorKind;
use std::sync::Arc;

use kv0_env::memory::{self, Failure, MemoryFileSystem};
use kv0_env::{File, FileSystem, LockError};

fn fail_next(files: &MemoryFileSystem, failure: Failure) {
    files.fail_at(files.operations() + 1, failure);
}

/// One call of each kind.
fn every_call(files: &dyn FileSystem, file: &dyn File) -> Vec<(&'static str, Option<ErrorKind>)> {
    let lock = |path| match files.lock(path, "me") {
        Ok(_) => None,
        Err(LockError::Io(error)) => Some(error.kind()),
        Err(LockError::Held(holder)) => panic!("held by {holder}"),
    };
    vec![
        ("read_at", file.read_at(&mut [0; 4], 0).err().map(|error| error.kind())),
        ("write_at", file.write_at(b"x", 0).err().map(|error| error.kind())),
        ("size of file", file.size().err().map(|error| error.kind())),
        ("set_size", file.set_size(5).err().map(|error| error.kind())),
        ("sync", file.sync().err().map(|error| error.kind())),
        ("create_dir_all", files.create_dir_all("d").err().map(|error| error.kind())),
        ("create_new", files.create_new("new").err().map(|error| error.kind())),
        ("open_read", files.open_read("file").err().map(|error| error.kind())),
        ("open_write", files.open_write("file").err().map(|error| error.kind())),
        ("rename", files.rename("from", "to").err().map(|error| error.kind())),
        ("remove", files.remove("gone").err().map(|error| error.kind())),
        ("list", files.list("").err().map(|error| error.kind())),
        ("size", files.size("file").err().map(|error| error.kind())),
        ("sync_dir", files.sync_dir("").err().map(|error| error.kind())),
        ("lock", lock("lock")),
        ("subdirectory", files.subdirectory("s").err().map(|error| error.kind())),
    ]
}

fn prepared() -> (Arc<MemoryFileSystem>, Arc<dyn FileSystem>, Arc<dyn File>) {
    let files = MemoryFileSystem::new();
    for name in ["from", "gone"] {
        files.create_new(name).unwrap();
    }
    let file = files.create_new("file").unwrap();
    let process = files.process();
    (files, process, file)
}

#[test]
fn every_call_counts_one_and_any_can_fail() {
    let (files, process, file) = prepared();
    let before = files.operations();
    let calls = every_call(&*process, &*file);
    assert_eq!(files.operations() - before, calls.len() as u64);
    assert!(calls.iter().all(|(_, error)| error.is_none()), "{calls:?}");

    for failing in 0..calls.len() {
        let (files, process, file) = prepared();
        files.fail_at(files.operations() + failing as u64 + 1, Failure::once(ErrorKind::QuotaExceeded));
        for (at, (name, error)) in every_call(&*process, &*file).into_iter().enumerate() {
            assert_eq!(
                error,
                (at == failing).then_some(ErrorKind::QuotaExceeded),
                "{name}, failing {failing}"
            );
        }
    }
}

#[test]
fn a_lasting_failure_lasts_until_cleared() {
    let (files, process, file) = prepared();
    fail_next(&files, Failure::from_then_on(ErrorKind::Other).after_writing(2));
    assert!(file.write_at(b"abc", 0).is_err());
    assert!(file.write_at(b"xyz", 0).is_err());
    for (name, error) in every_call(&*process, &*file) {
        assert_eq!(error, Some(ErrorKind::Other), "{name}");
    }
    assert_eq!(files.read_all("file").unwrap(), b"ab", "only the first failing write left a prefix");
    files.clear_failures();
    assert!(every_call(&*process, &*file).iter().all(|(_, error)| error.is_none()));
}

#[test]
fn a_failing_call_does_nothing_or_all() {
    let (files, process, _file) = prepared();
    fail_next(&files, Failure::once(ErrorKind::Other));
    assert!(process.rename("from", "to").is_err());
    assert_eq!(process.size("to").unwrap(), None);
    fail_next(&files, Failure::once(ErrorKind::Other).after_full_effect());
    assert!(process.rename("from", "to").is_err());
    assert_eq!(process.size("to").unwrap(), Some(0));
    fail_next(&files, Failure::once(ErrorKind::Other).after_full_effect());
    assert!(process.create_new("made").is_err());
    assert_eq!(process.size("made").unwrap(), Some(0));
    fail_next(&files, Failure::once(ErrorKind::Other).after_full_effect());
    assert!(matches!(process.lock("lock", "me"), Err(LockError::Io(_))));
    assert!(process.lock("lock", "me").is_ok(), "a lock that nobody was given is not held");
}

#[test]
fn a_failed_sync_loses_what_reads_still_show() {
    let states = |resync: bool| {
        let mut states = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let files = MemoryFileSystem::new();
            files.write_all("f", b"old").unwrap();
            let file = files.open_write("f").unwrap();
            file.write_at(b"new", 0).unwrap();
            fail_next(&files, Failure::once(ErrorKind::Other));
            assert!(file.sync().is_err());
            if resync {
                file.sync().unwrap();
            }
            assert_eq!(files.read_all("f").unwrap(), b"new");
            files.power_cut(seed);
            states.insert(files.read_all("f").unwrap());
        }
        states
    };
    assert_eq!(states(false).len(), 2, "old or new");
    assert_eq!(states(true), states(false), "calling again proves nothing");
}

#[test]
fn a_full_disk_takes_what_fits() {
    let (files, process, file) = prepared();
    files.set_capacity(Some(10));
    file.write_at(b"12345678", 0).unwrap();
    assert_eq!(files.used_bytes(), 8);
    let error = file.write_at(b"abcdef", 6).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(files.read_all("file").unwrap(), b"123456abcd");
    assert_eq!(file.write_at(b"x", 500).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(file.set_size(11).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(process.create_new("new").unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(process.create_dir_all("dir").unwrap_err().kind(), ErrorKind::StorageFull);
    assert!(
        matches!(process.lock("lock", "me"), Err(LockError::Io(error)) if error.kind() == ErrorKind::StorageFull)
    );

    file.write_at(b"over", 0).unwrap();
    file.sync().unwrap();
    process.rename("from", "to").unwrap();
    process.sync_dir("").unwrap();
    process.remove("file").unwrap();
    assert_eq!(files.used_bytes(), 10, "an open file takes its space until it is closed");
    drop(file);
    assert_eq!(files.used_bytes(), 0);
    process.create_new("new").unwrap();
}

#[test]
fn a_killed_process_leaves_content_and_nothing_else() {
    let (env, world) = memory::env(1);
    let inner = env.files.subdirectory("db").unwrap();
    let file = inner.create_new("f").unwrap();
    file.write_at(b"unsynced", 0).unwrap();
    let lock = inner.lock("lock", "old").unwrap();
    world.kill();

    assert!(file.read_at(&mut [0], 0).is_err());
    assert!(file.write_at(b"zombie", 0).is_err());
    assert!(file.size().is_err());
    assert!(file.set_size(0).is_err());
    assert!(file.sync().is_err());
    assert!(inner.list("").is_err());
    assert!(env.files.open_write("db/f").is_err());
    assert!(matches!(inner.lock("other", "zombie"), Err(LockError::Io(_))));

    let next = world.env();
    let new_lock = next.files.lock("db/lock", "new").unwrap();
    drop((lock, file));
    assert!(matches!(world.files.lock("db/lock", "third"), Err(LockError::Held(holder)) if holder == "new"));
    drop(new_lock);
    assert_eq!(world.files.read_all("db/f").unwrap(), b"unsynced");
    assert_eq!(world.files.files(), [("db/f".to_owned(), 8), ("db/lock".to_owned(), 3)]);
}

#[test]
fn a_lying_sync_makes_nothing_durable() {
    let survives = |lie: bool| {
        (0..50).all(|seed| {
            let files = MemoryFileSystem::new();
            files.set_lying_syncs(lie);
            let file = files.create_new("f").unwrap();
            file.write_at(b"data", 0).unwrap();
            file.sync().unwrap();
            files.sync_dir("").unwrap();
            files.power_cut(seed);
            files.read_all("f").is_ok_and(|bytes| bytes == b"data")
        })
    };
    assert!(survives(false));
    assert!(!survives(true));
}

#[test]
fn a_byte_flips_at_rest() {
    let files = MemoryFileSystem::new();
    files.write_all("d/f", b"abc").unwrap();
    files.flip("d/f", 1, 0xff).unwrap();
    assert_eq!(files.read_all("d/f").unwrap(), [b'a', b'b' ^ 0xff, b'c']);
    files.power_cut(3);
    assert_eq!(files.read_all("d/f").unwrap(), [b'a', b'b' ^ 0xff, b'c']);
    assert_eq!(files.flip("d/f", 3, 1).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(files.flip("d/g", 0, 1).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(files.operations(), 0, "controls are not calls");
}

#[test]
fn planned_failures_are_found_at_exactly_their_call() {
    let files = MemoryFileSystem::new();
    files.fail_at(3, Failure::once(ErrorKind::TimedOut));
    files.fail_at(1, Failure::once(ErrorKind::Other));
    assert_eq!(files.create_new("a").unwrap_err().kind(), ErrorKind::Other);
    files.create_new("a").unwrap();
    let error = files.create_new("b").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("call 3"), "{error}");
    files.create_new("b").unwrap();
    assert_eq!(files.operations(), 4);
}
