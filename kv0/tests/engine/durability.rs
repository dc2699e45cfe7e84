use std::io::ErrorKind as Io;

use kv0::{Batch, Db, Durability, ErrorKind, Options};
use kv0_env::memory::Failure;

use crate::{open, reopen, text};

#[test]
fn what_was_acknowledged_survives_the_end_of_the_process() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    a.put("k", "v").unwrap();
    world.kill();
    let after = reopen(&world).unwrap();
    assert_eq!(text(after.keyspace("a").unwrap().get("k").unwrap()), Some("v".to_owned()));
    drop(db);
}

#[test]
fn what_was_synced_survives_a_power_cut() {
    for seed in 0..50 {
        let (db, world) = open();
        let a = db.keyspace("a").unwrap();
        let mut batch = Batch::new();
        batch.put(&a, "safe", "1");
        db.write_with(batch, Durability::Disk).unwrap();
        a.put("perhaps", "2").unwrap();
        a.put("perhaps too", "3").unwrap();
        world.power_cut(seed);
        let after = reopen(&world).unwrap();
        let a = after.keyspace("a").unwrap();
        assert!(a.get("safe").unwrap().is_some(), "seed {seed}");
        if a.get("perhaps too").unwrap().is_some() {
            assert!(a.get("perhaps").unwrap().is_some(), "seed {seed}: no hole");
        }
    }
}

#[test]
fn after_a_failed_sync_nothing_is_acknowledged() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    a.put("before", "1").unwrap();
    world.files.fail_at(world.files.operations() + 1, Failure::once(Io::Other));
    assert_eq!(db.sync().unwrap_err().kind(), ErrorKind::Unavailable);
    let error = a.put("after", "2").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("reopened"), "{error}");
    assert!(db.sync().is_err());
    assert!(a.get("before").unwrap().is_some(), "reading goes on");
    drop((a, db));
    let db = reopen(&world).unwrap();
    let a = db.keyspace("a").unwrap();
    assert_eq!(a.get("after").unwrap(), None);
    a.put("after", "3").unwrap();
}

#[test]
fn a_full_disk_is_an_error_and_then_passes() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    a.put("before", "1").unwrap();
    world.files.set_capacity(Some(world.files.used_bytes() + 1_000));
    let error = a.put("big", vec![1; 100_000]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    a.put("small", "fits").unwrap();
    world.files.set_capacity(None);
    a.put("big", vec![1; 100_000]).unwrap();
    db.close().unwrap();
    let db = reopen(&world).unwrap();
    let a = db.keyspace("a").unwrap();
    assert!(db.check().unwrap().is_sound());
    for key in ["before", "small", "big"] {
        assert!(a.get(key).unwrap().is_some(), "{key}");
    }
}

#[test]
fn many_opens_and_closes_leave_no_files_behind() {
    let (db, world) = open();
    db.keyspace("a").unwrap();
    db.close().unwrap();
    let mut files = 0;
    for round in 0..200 {
        let db = reopen(&world).unwrap();
        db.keyspace("a").unwrap().put("k", format!("{round}")).unwrap();
        db.close().unwrap();
        if round == 0 {
            files = world.files.files().len();
        }
    }
    assert_eq!(world.files.files().len(), files);
    let db = reopen(&world).unwrap();
    assert_eq!(text(db.keyspace("a").unwrap().get("k").unwrap()), Some("199".to_owned()));
}

#[test]
fn commits_of_many_threads_share_syncs() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Disk, ..Options::default() };
    let db = Db::open(directory.path(), options.clone()).unwrap();
    let a = db.keyspace("a").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let a = a.clone();
            scope.spawn(move || {
                for number in 0..50 {
                    a.put(format!("{thread}/{number}"), "v").unwrap();
                }
            });
        }
    });
    db.close().unwrap();
    let db = Db::open(directory.path(), options).unwrap();
    let count = db.keyspace("a").unwrap().scan::<&[u8]>(.., kv0::Direction::Ascending).unwrap().count();
    assert_eq!(count, 400);
}

#[test]
fn writers_wait_for_the_flush_and_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { memory_budget: 1 << 20, ..Options::default() };
    let db = Db::open(directory.path(), options).unwrap();
    let a = db.keyspace("a").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let a = a.clone();
            scope.spawn(move || {
                for number in 0..500 {
                    a.put(format!("{thread}/{number}"), vec![thread; 1_000]).unwrap();
                }
            });
        }
    });
    assert!(db.stats().unwrap().segments > 1);
    for thread in 0..4_u8 {
        for number in 0..500 {
            let value = a.get(format!("{thread}/{number}")).unwrap().unwrap();
            assert_eq!(*value, [thread; 1_000]);
        }
    }
    assert!(db.check().unwrap().is_sound());
}
