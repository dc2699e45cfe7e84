//! What every file system must do. Each question is put to both.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use kv0_env::local::LocalFileSystem;
use kv0_env::memory::MemoryFileSystem;
use kv0_env::{FileSystem, LockError};

fn check(question: impl Fn(Arc<dyn FileSystem>)) {
    question(MemoryFileSystem::new());
    question(MemoryFileSystem::new().process());
    question(MemoryFileSystem::new().subdirectory("some/where").unwrap());
    let directory = tempfile::tempdir().unwrap();
    question(LocalFileSystem::open(directory.path().join("not/yet/there")).unwrap());
}

#[track_caller]
fn refused<T>(result: io::Result<T>, kind: ErrorKind) {
    let Err(error) = result else { panic!("expected {kind:?}, but it succeeded") };
    assert_eq!(error.kind(), kind, "{error}");
}

fn names(files: &dyn FileSystem, dir: &str) -> Vec<String> {
    files.list(dir).unwrap().into_iter().map(|entry| entry.name).collect()
}

#[test]
fn bytes_are_read_as_written() {
    check(|files| {
        let file = files.create_new("a").unwrap();
        file.write_at(b"hello", 3).unwrap();
        file.write_at(b"", 100).unwrap();
        assert_eq!(file.size().unwrap(), 8, "an empty write does not extend");
        let mut buffer = [9; 10];
        assert_eq!(file.read_at(&mut buffer, 0).unwrap(), 8);
        assert_eq!(&buffer, b"\0\0\0hello\x09\x09");
        assert_eq!(file.read_at(&mut buffer, 8).unwrap(), 0);
        assert_eq!(file.read_at(&mut buffer, 1000).unwrap(), 0);
        assert_eq!(file.read_at(&mut [], 0).unwrap(), 0);
        refused(file.read_exact_at(&mut [0; 3], 6), ErrorKind::UnexpectedEof);
        let mut exact = [0; 2];
        file.read_exact_at(&mut exact, 6).unwrap();
        assert_eq!(&exact, b"lo");
        file.sync().unwrap();
        assert_eq!(files.size("a").unwrap(), Some(8));
    });
}

#[test]
fn sizes_are_cut_and_extended_with_zeros() {
    check(|files| {
        let file = files.create_new("a").unwrap();
        file.write_at(&[1; 1000], 0).unwrap();
        file.set_size(10).unwrap();
        file.set_size(20).unwrap();
        let mut buffer = [7; 20];
        file.read_exact_at(&mut buffer, 0).unwrap();
        assert_eq!(buffer[..10], [1; 10]);
        assert_eq!(buffer[10..], [0; 10], "what was cut does not come back");
        assert_eq!(file.size().unwrap(), 20);
    });
}

#[test]
fn names_are_created_once_and_found() {
    check(|files| {
        refused(files.open_read("a"), ErrorKind::NotFound);
        refused(files.open_write("a"), ErrorKind::NotFound);
        files.create_new("a").unwrap().write_at(b"1", 0).unwrap();
        refused(files.create_new("a"), ErrorKind::AlreadyExists);
        files.open_write("a").unwrap().write_at(b"2", 0).unwrap();
        let file = files.open_read("a").unwrap();
        let mut buffer = [0];
        file.read_exact_at(&mut buffer, 0).unwrap();
        assert_eq!(&buffer, b"2");
        refused(file.write_at(b"3", 0), ErrorKind::PermissionDenied);
        refused(file.set_size(0), ErrorKind::PermissionDenied);
        file.sync().unwrap();
        assert_eq!(files.size("b").unwrap(), None);
    });
}

#[test]
fn a_rename_replaces_and_open_files_go_on() {
    check(|files| {
        files.create_new("old").unwrap().write_at(b"old", 0).unwrap();
        let replaced = files.open_read("old").unwrap();
        let new = files.create_new("new").unwrap();
        new.write_at(b"new!", 0).unwrap();
        files.rename("new", "old").unwrap();
        files.rename("old", "old").unwrap();
        assert_eq!(names(&*files, ""), ["old"]);
        assert_eq!(files.size("old").unwrap(), Some(4));
        assert_eq!(replaced.size().unwrap(), 3, "who had the old one open still has it");
        new.write_at(b"?", 4).unwrap();
        assert_eq!(files.size("old").unwrap(), Some(5));
        files.remove("old").unwrap();
        files.sync_dir("").unwrap();
        assert_eq!(new.size().unwrap(), 5, "a removed file lives while it is open");
        refused(files.remove("old"), ErrorKind::NotFound);
        refused(files.rename("old", "x"), ErrorKind::NotFound);
    });
}

#[test]
fn directories_hold_names() {
    check(|files| {
        files.create_dir_all("").unwrap();
        files.create_dir_all("d/e").unwrap();
        files.create_dir_all("d/e").unwrap();
        files.create_new("d/e/f").unwrap().write_at(&[0; 7], 0).unwrap();
        files.create_new("d/b").unwrap();
        files.create_new("d-").unwrap();
        assert_eq!(names(&*files, ""), ["d", "d-"]);
        assert_eq!(names(&*files, "d"), ["b", "e"]);
        let entries = files.list("d").unwrap();
        assert_eq!((entries[0].size, entries[0].is_dir, entries[1].is_dir), (0, false, true));
        assert_eq!(files.list("d/e").unwrap()[0].size, 7);
        files.rename("d/e/f", "f").unwrap();
        assert_eq!(files.size("f").unwrap(), Some(7));
        for dir in ["", "d", "d/e"] {
            files.sync_dir(dir).unwrap();
        }
    });
}

#[test]
fn files_and_directories_are_not_mixed_up() {
    check(|files| {
        files.create_dir_all("d").unwrap();
        files.create_new("f").unwrap();
        refused(files.create_new("d"), ErrorKind::AlreadyExists);
        refused(files.open_read("d"), ErrorKind::IsADirectory);
        refused(files.open_write("d"), ErrorKind::IsADirectory);
        refused(files.remove("d"), ErrorKind::IsADirectory);
        refused(files.rename("d", "e"), ErrorKind::IsADirectory);
        refused(files.rename("f", "d"), ErrorKind::IsADirectory);
        refused(files.create_dir_all("f"), ErrorKind::AlreadyExists);
        refused(files.create_dir_all("f/g"), ErrorKind::NotADirectory);
        refused(files.create_new("f/g"), ErrorKind::NotADirectory);
        refused(files.create_new("no/g"), ErrorKind::NotFound);
        refused(files.rename("f", "no/g"), ErrorKind::NotFound);
        refused(files.list("f"), ErrorKind::NotADirectory);
        refused(files.list("no"), ErrorKind::NotFound);
        refused(files.sync_dir("f"), ErrorKind::NotADirectory);
        refused(files.sync_dir("no"), ErrorKind::NotFound);
        assert_eq!(files.size("d").unwrap(), None);
        assert_eq!(files.size("f/g").unwrap(), None);
        assert_eq!(files.size("no/g").unwrap(), None);
    });
}

#[test]
fn paths_cannot_leave_the_tree() {
    check(|files| {
        files.create_new("ok").unwrap();
        for bad in ["/ok", "../ok", "a/../ok", "./ok", "ok/", "a//b", ".."] {
            refused(files.create_dir_all(bad), ErrorKind::InvalidInput);
            refused(files.create_new(bad), ErrorKind::InvalidInput);
            refused(files.open_read(bad), ErrorKind::InvalidInput);
            refused(files.open_write(bad), ErrorKind::InvalidInput);
            refused(files.rename(bad, "x"), ErrorKind::InvalidInput);
            refused(files.rename("ok", bad), ErrorKind::InvalidInput);
            refused(files.remove(bad), ErrorKind::InvalidInput);
            refused(files.list(bad), ErrorKind::InvalidInput);
            refused(files.size(bad), ErrorKind::InvalidInput);
            refused(files.sync_dir(bad), ErrorKind::InvalidInput);
            refused(files.subdirectory(bad), ErrorKind::InvalidInput);
            let Err(LockError::Io(error)) = files.lock(bad, "") else { panic!("{bad:?} was locked") };
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
        refused(files.create_new(""), ErrorKind::InvalidInput);
        refused(files.remove(""), ErrorKind::InvalidInput);
        assert_eq!(names(&*files, ""), ["ok"]);
    });
}

#[test]
fn a_lock_is_exclusive_and_says_who_holds_it() {
    check(|files| {
        let lock = files.lock("lock", "the first, a long name").unwrap();
        let Err(LockError::Held(holder)) = files.lock("lock", "second") else { panic!("locked twice") };
        assert_eq!(holder, "the first, a long name");
        let other = files.lock("other", "x").unwrap();
        drop(lock);
        let lock = files.lock("lock", "third").unwrap();
        let Err(LockError::Held(holder)) = files.lock("lock", "second") else { panic!("locked twice") };
        assert_eq!(holder, "third", "nothing is left of a longer text");
        drop((lock, other));
        assert_eq!(names(&*files, ""), ["lock", "other"], "the files stay");
    });
}

#[test]
fn a_subdirectory_is_a_tree_of_its_own() {
    check(|files| {
        let inner = files.subdirectory("x/y").unwrap();
        inner.create_new("a").unwrap();
        let innermost = inner.subdirectory("z").unwrap();
        innermost.create_new("b").unwrap();
        let lock = innermost.lock("lock", "inner").unwrap();
        assert!(
            matches!(files.lock("x/y/z/lock", "outer"), Err(LockError::Held(holder)) if holder == "inner")
        );
        drop(lock);
        assert_eq!(names(&*files, "x/y"), ["a", "z"]);
        assert_eq!(names(&*files, "x/y/z"), ["b", "lock"]);
        assert!(innermost.describe().ends_with("x/y/z"), "{}", innermost.describe());
        refused(files.subdirectory("x/y/a"), ErrorKind::AlreadyExists);
    });
}

#[test]
fn errors_name_the_path() {
    check(|files| {
        let error = files.open_read("dir/missing.log").unwrap_err();
        assert!(
            error.to_string().contains("dir/missing.log") || error.to_string().contains("dir: "),
            "{error}"
        );
        let error = files.open_read("missing.log").unwrap_err();
        assert!(error.to_string().contains("missing.log"), "{error}");
    });
}
