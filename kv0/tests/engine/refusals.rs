use kv0::{Batch, Db, ErrorKind, Mode, Options, limits};
use kv0_env::memory;

use crate::{open, reopen};

#[test]
fn a_second_writer_is_refused_with_the_process_of_the_first() {
    let (db, world) = open();
    let error = reopen(&world).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    db.close().unwrap();
    reopen(&world).unwrap();
}

#[test]
fn a_reader_sees_what_was_committed_and_writes_nothing() {
    let (db, world) = open();
    db.keyspace("a").unwrap().put("k", "v").unwrap();
    let options = Options { mode: Mode::Read, ..Options::default() };
    let before = world.files.files();
    let reader = Db::open_in(world.env(), options.clone()).unwrap();
    let a = reader.keyspace("a").unwrap();
    assert!(a.get("k").unwrap().is_some());
    assert_eq!(a.put("k", "w").unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(reader.keyspace("new").unwrap_err().kind(), ErrorKind::Invalid);
    reader.close().unwrap();
    assert_eq!(world.files.files(), before);
    let (env, _world) = memory::env(2);
    assert_eq!(Db::open_in(env, options).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn what_is_over_a_limit_is_refused_and_changes_nothing() {
    let (db, _world) = open();
    let a = db.keyspace("a").unwrap();
    let before = db.position();
    let long = vec![0; limits::MAX_KEY_BYTES + 1];
    let mut batch = Batch::new();
    batch.put(&a, "fine", "v");
    batch.put(&a, &long, "v");
    let error = db.write(batch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("65537 bytes"), "{error}");
    assert_eq!(db.position(), before);
    assert_eq!(a.get("fine").unwrap(), None);
    a.put(&long[1..], "the longest key").unwrap();
    for name in ["", &"x".repeat(256)] {
        assert_eq!(db.keyspace(name).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(db.stream(name).unwrap_err().kind(), ErrorKind::Invalid);
    }
    let (other, _world) = open();
    let (env, _) = memory::env(9);
    let third = Db::open_in(env, Options::default()).unwrap();
    let mut batch = Batch::new();
    batch.put(&third.keyspace("a").unwrap(), "k", "v");
    assert_eq!(other.write(batch).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_closed_handle_says_so() {
    let (db, _world) = open();
    let a = db.keyspace("a").unwrap();
    a.put("k", "v").unwrap();
    let mut scan = a.scan::<&[u8]>(.., kv0::Direction::Ascending).unwrap();
    let snapshot = db.snapshot().unwrap();
    let mut changes = db.changes(kv0::Position::START).unwrap();
    db.close().unwrap();
    db.close().unwrap();
    for error in [
        a.get("k").unwrap_err(),
        a.put("k", "v").unwrap_err(),
        snapshot.get(&a, "k").unwrap_err(),
        scan.next().unwrap().unwrap_err(),
        changes.next_commit().unwrap_err(),
        db.flush().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
    }
}

#[test]
fn damage_is_reported_with_file_and_offset() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    for number in 0..100 {
        a.put(format!("{number}"), vec![b'v'; 100]).unwrap();
    }
    db.flush().unwrap();
    a.put("in the log", "v").unwrap();
    db.close().unwrap();
    let (segment, size) =
        world.files.files().into_iter().find(|(path, _)| path.starts_with("segments/")).unwrap();
    world.files.flip(&segment, size / 3, 1).unwrap();
    let db = reopen(&world).unwrap();
    let report = db.check().unwrap();
    assert!(!report.is_sound());
    let message = report.damage[0].to_string();
    assert!(message.starts_with(&format!("{segment}, offset ")), "{message}");
    assert!(db.keyspace("a").unwrap().get("in the log").unwrap().is_some(), "the rest stays readable");
}
