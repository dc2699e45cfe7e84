//! A database of every format version there was, opened for ever.
//!
//! The files are written once, when a version comes, by
//! `KV0_WRITE_FIXTURE=kv0/tests/fixtures/v1 cargo test -p kv0 --test engine fixtures` from the root of the workspace,
//! and never again: a later build must read what an earlier one wrote.

use std::path::Path;

use kv0::{Batch, Change, Db, Direction, Mode, Options, Position};
use kv0_env::FileSystem;
use kv0_env::local::LocalFileSystem;
use kv0_env::memory::{self, World};

use crate::pairs;

const V1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v1");

/// What all versions hold: two keyspaces, a stream that was trimmed, a segment with a deleted key and a deleted range, a
/// compressible and an incompressible value, commits behind the segment, a clean close.
fn write_content(db: &Db) {
    let (a, b, log) = (db.keyspace("a").unwrap(), db.keyspace("b/ü").unwrap(), db.stream("log").unwrap());
    for number in 0..40_u8 {
        let mut batch = Batch::new();
        batch.put(&a, format!("key {number:02}"), format!("value {number}"));
        batch.append(&log, [number]);
        db.write(batch).unwrap();
    }
    a.delete("key 07").unwrap();
    a.delete_range("key 10", "key 20").unwrap();
    b.put("", vec![b'x'; 500]).unwrap();
    b.put([0xff, 0x00], noise()).unwrap();
    db.flush().unwrap();
    log.trim(Position(30)).unwrap();
    a.put("key 07", "again").unwrap();
    a.delete_range("key 35", "key 38").unwrap();
    log.append("last").unwrap();
}

fn noise() -> Vec<u8> {
    (0..300_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect()
}

fn check_content(db: &Db) {
    let (a, b, log) = (db.keyspace("a").unwrap(), db.keyspace("b/ü").unwrap(), db.stream("log").unwrap());
    let expected: Vec<(Vec<u8>, Vec<u8>)> = (0..40)
        .filter(|number| !(10..20).contains(number) && !(35..38).contains(number))
        .map(|number| {
            let value = if number == 7 { "again".to_owned() } else { format!("value {number}") };
            (format!("key {number:02}").into_bytes(), value.into_bytes())
        })
        .collect();
    assert_eq!(pairs(a.scan::<&[u8]>(.., Direction::Ascending).unwrap()), expected);
    let expected = [(vec![], vec![b'x'; 500]), (vec![0xff, 0x00], noise())];
    assert_eq!(pairs(b.scan::<&[u8]>(.., Direction::Ascending).unwrap()), expected);
    let mut records = log.records(Position::START).unwrap();
    for number in 30..40_u8 {
        let (position, record) = records.next_record().unwrap().unwrap();
        assert_eq!((position, &*record), (Position(u64::from(number) + 1), &[number][..]));
    }
    assert_eq!(&*records.next_record().unwrap().unwrap().1, b"last");
    assert_eq!(records.next_record().unwrap(), None);
    assert_eq!(db.position(), Position(47));
    let mut changes = db.changes(Position(41)).unwrap();
    let [Change::DeleteRange { keyspace, start, end }] = &changes.next_commit().unwrap().unwrap().changes[..]
    else {
        panic!("commit 42 deletes a range");
    };
    assert_eq!((*keyspace, &**start, &**end), (a.id(), &b"key 10"[..], &b"key 20"[..]));
    assert!(db.check().unwrap().is_sound());
}

/// Calls `each` with the path of every file below a directory.
fn walk(files: &dyn FileSystem, dir: &str, each: &mut dyn FnMut(&str)) {
    for entry in files.list(dir).unwrap() {
        let path = if dir.is_empty() { entry.name.clone() } else { format!("{dir}/{}", entry.name) };
        if entry.is_dir { walk(files, &path, each) } else { each(&path) }
    }
}

/// A world that holds a copy of a fixture.
fn load(fixture: &str) -> World {
    assert!(Path::new(fixture).is_dir(), "{fixture} is part of the sources");
    let (files, (_, world)) = (LocalFileSystem::open(fixture).unwrap(), memory::env(1));
    walk(&*files, "", &mut |path| {
        let file = files.open_read(path).unwrap();
        let mut bytes = vec![0; usize::try_from(file.size().unwrap()).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        world.files.write_all(path, &bytes).unwrap();
    });
    world
}

#[test]
fn a_database_of_version_1_opens() {
    let world = load(V1);
    let before = world.files.files();
    assert!(before.iter().any(|(path, _)| path.ends_with(".seg")), "{before:?}");
    let options = Options { mode: Mode::Read, ..Options::default() };
    check_content(&Db::open_in(world.env(), options).unwrap());
    assert_eq!(world.files.files(), before);
    let db = Db::open_in(world.env(), Options::default()).unwrap();
    check_content(&db);
    db.keyspace("a").unwrap().put("new", "value").unwrap();
    db.flush().unwrap();
    db.close().unwrap();
    let db = Db::open_in(world.env(), Options::default()).unwrap();
    assert!(db.keyspace("a").unwrap().get("new").unwrap().is_some());
}

/// What this build writes reads the same; and if asked to, it writes the fixture.
#[test]
fn what_is_written_now_has_the_content_of_the_fixtures() {
    let (env, world) = memory::env(1);
    let db = Db::open_in(env, Options::default()).unwrap();
    write_content(&db);
    check_content(&db);
    db.close().unwrap();
    drop(db);
    check_content(&Db::open_in(world.env(), Options { mode: Mode::Read, ..Options::default() }).unwrap());
    let Ok(target) = std::env::var("KV0_WRITE_FIXTURE") else { return };
    let files = LocalFileSystem::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(target)).unwrap();
    // The lock holds the number of a process.
    for (path, _) in world.files.files().into_iter().filter(|(path, _)| path != "LOCK") {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        files.create_dir_all(dir).unwrap();
        let file = files.create_new(&path).unwrap();
        file.write_at(&world.files.read_all(&path).unwrap(), 0).unwrap();
    }
}
