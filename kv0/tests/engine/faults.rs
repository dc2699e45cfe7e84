//! Crashes and failing calls at places that a run of operations rarely meets. Each test is named after the rule it holds.

use std::io::ErrorKind as Io;

use kv0::{Batch, Db, Direction, Durability, ErrorKind, Keyspace, Options, Position, Result, Stream};
use kv0_env::memory::{Failure, World};

use crate::{open, pairs, reopen, text};

const SEEDS: std::ops::Range<u64> = 0..24;

/// Runs `act` in a fresh world for n = 1, 2, 3 … with every call from the n-th on failing, and hands the world to
/// `check`; until `act` gets through. `prepare` runs undisturbed before.
fn stop_at_every_call(
    prepare: impl Fn(&Db),
    act: impl Fn(&Db) -> Result<()>,
    check: impl Fn(u64, World, Result<()>),
) {
    for n in 1.. {
        let (db, world) = open();
        prepare(&db);
        let before = world.files.operations();
        world.files.fail_at(before + n, Failure::from_then_on(Io::Other));
        let result = act(&db);
        let reached = world.files.operations() >= before + n;
        world.files.clear_failures();
        check(n, world, result);
        drop(db);
        if !reached {
            assert!(n > 2, "nothing was tried");
            return;
        }
    }
}

fn put_durably(keyspace: &Keyspace, db: &Db, key: &str, value: &str) -> Result<Position> {
    let mut batch = Batch::new();
    batch.put(keyspace, key, value);
    db.write_with(batch, Durability::Disk)
}

fn a_and_log(db: &Db) -> (Keyspace, Stream) {
    (db.keyspace("a").unwrap(), db.stream("log").unwrap())
}

#[test]
fn current_names_only_a_manifest_whose_own_name_is_durable() {
    let act = |db: &Db| db.keyspace("b").map(drop);
    let check = |n, world: World, _| {
        for seed in SEEDS {
            let fork = World::with_files(world.files.fork(), seed);
            fork.power_cut(seed);
            let db = reopen(&fork).unwrap_or_else(|error| panic!("call {n}, seed {seed}: {error}"));
            assert!(put_durably(&db.keyspace("a").unwrap(), &db, "k", "v").is_ok());
        }
    };
    stop_at_every_call(|db| drop(a_and_log(db)), act, check);
}

/// A process dies at any call of a change of the manifest or of a new chunk. The next one goes on from what it sees;
/// then the power goes.
#[test]
fn what_an_opening_goes_on_from_is_durable() {
    let prepare = |db: &Db| {
        let (a, _) = a_and_log(db);
        a.put("before", "1").unwrap();
    };
    let act = |db: &Db| {
        db.flush()?;
        db.keyspace("b").map(drop)
    };
    stop_at_every_call(prepare, act, |n, world: World, _| {
        for seed in SEEDS {
            let fork = World::with_files(world.files.fork(), seed);
            fork.kill();
            let db = reopen(&fork).unwrap_or_else(|error| panic!("call {n}: {error}"));
            put_durably(&db.keyspace("a").unwrap(), &db, "after", "2").unwrap();
            fork.power_cut(seed);
            let db = reopen(&fork).unwrap_or_else(|error| panic!("call {n}, seed {seed}: {error}"));
            let a = db.keyspace("a").unwrap();
            assert_eq!(text(a.get("before").unwrap()).as_deref(), Some("1"), "call {n}, seed {seed}");
            assert_eq!(text(a.get("after").unwrap()).as_deref(), Some("2"), "call {n}, seed {seed}");
        }
    });
}

/// A failed sync makes the system forget what was dirty. The next process still reads it, so it must write it again
/// before it builds on it.
#[test]
fn what_a_failed_sync_dropped_is_written_again_by_the_next_opening() {
    for seed in SEEDS {
        let (db, world) = open();
        let (a, _) = a_and_log(&db);
        put_durably(&a, &db, "safe", "1").unwrap();
        a.put("dropped", vec![7; 2_000]).unwrap();
        world.files.fail_at(world.files.operations() + 1, Failure::once(Io::Other));
        db.sync().unwrap_err();
        world.kill();
        let db = reopen(&world).unwrap();
        let a = db.keyspace("a").unwrap();
        let recovered = a.get("dropped").unwrap();
        put_durably(&a, &db, "after", "2").unwrap();
        world.power_cut(seed);
        let db = reopen(&world).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let a = db.keyspace("a").unwrap();
        assert_eq!(a.get("dropped").unwrap(), recovered, "seed {seed}");
        assert_eq!(text(a.get("after").unwrap()).as_deref(), Some("2"), "seed {seed}");
    }
}

#[test]
fn a_commit_that_failed_does_not_come_back() {
    for seed in 0..2_000 {
        let (db, world) = open();
        let (a, _) = a_and_log(&db);
        put_durably(&a, &db, "safe", "1").unwrap();
        let failure = Failure::once(Io::Other).after_full_effect();
        world.files.fail_at(world.files.operations() + 1, failure);
        let error = a.put("k", "refused").unwrap_err();
        assert!(!error.to_string().contains("the log failed"), "{error}");
        a.put("k", "granted").unwrap();
        world.power_cut(seed);
        let db = reopen(&world).unwrap();
        let value = text(db.keyspace("a").unwrap().get("k").unwrap());
        assert_ne!(value.as_deref(), Some("refused"), "seed {seed}");
    }
}

/// The manifest that a failed flush wrote may be in force on disk: the segment that it names must stay as it is.
#[test]
fn a_flush_that_is_tried_again_touches_no_segment_of_the_first_try() {
    let prepare = |db: &Db| {
        let (a, _) = a_and_log(db);
        for number in 0..20 {
            put_durably(&a, db, &format!("{number}"), "v").unwrap();
        }
    };
    for first in 1.. {
        let (db, world) = open();
        prepare(&db);
        let before = world.files.operations();
        world.files.fail_at(before + first, Failure::once(Io::Other));
        let failed = db.flush().is_err();
        if world.files.operations() < before + first {
            break;
        }
        if !failed {
            continue;
        }
        for second in 1..30 {
            let (db, world) = open();
            prepare(&db);
            world.files.fail_at(before + first, Failure::once(Io::Other));
            db.flush().unwrap_err();
            world.files.fail_at(world.files.operations() + second, Failure::from_then_on(Io::Other));
            drop(db.flush());
            world.files.clear_failures();
            world.kill();
            let place = || format!("first {first}, second {second}");
            let db = reopen(&world).unwrap_or_else(|error| panic!("{}: {error}", place()));
            let a = db.keyspace("a").unwrap();
            let scan = a.scan::<&[u8]>(.., Direction::Ascending).unwrap();
            assert_eq!(pairs(scan).len(), 20, "{}", place());
            assert!(db.check().unwrap().is_sound(), "{}", place());
        }
    }
}

#[test]
fn records_that_are_kept_are_found_after_chunks_before_them_are_gone() {
    let (db, world) = open();
    drop(db);
    let options = Options { changes_retention_bytes: 0, ..Options::default() };
    let db = Db::open_in(world.env(), options).unwrap();
    let (a, log) = a_and_log(&db);
    let mut records = log.records(Position::START).unwrap();
    a.put("k", "v").unwrap();
    db.flush().unwrap();
    assert!(db.oldest_position() > Position::START, "the chunk of the put is gone");
    log.append("r").unwrap();
    let (_, record) = records.next_record().unwrap().unwrap();
    assert_eq!(&*record, b"r");
    assert_eq!(records.next_record().unwrap(), None);
}

#[test]
fn closing_a_log_that_failed_says_so() {
    let (db, world) = open();
    let (a, _) = a_and_log(&db);
    a.put("k", "v").unwrap();
    world.files.fail_at(world.files.operations() + 1, Failure::once(Io::Other));
    db.sync().unwrap_err();
    assert_eq!(db.close().unwrap_err().kind(), ErrorKind::Unavailable);
    db.close().unwrap();
    reopen(&world).unwrap();
}

/// Another handle of the same files sees each change of the manifest at a bad moment; it must not take that for damage.
#[test]
fn a_reader_that_opens_beside_a_writer_is_never_told_corrupt() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { changes_retention_bytes: 0, ..Options::default() };
    let db = Db::open(directory.path(), options.clone()).unwrap();
    let (a, _) = a_and_log(&db);
    a.put("k", "v").unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..60 {
                a.put(format!("{number}"), vec![1; 5_000]).unwrap();
                db.flush().unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        while !done.load(std::sync::atomic::Ordering::SeqCst) {
            let options = Options { mode: kv0::Mode::Read, ..options.clone() };
            let reader = Db::open(directory.path(), options).unwrap();
            let a = reader.keyspace("a").unwrap();
            assert!(a.get("k").unwrap().is_some());
        }
    });
}

/// Writers that wait for a flush, and flushes by hand, end when another thread closes the database.
#[test]
fn closing_ends_every_waiting_writer() {
    for round in 0..40_u64 {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { memory_budget: 1 << 20, ..Options::default() };
        let db = Db::open(directory.path(), options).unwrap();
        let (a, _) = a_and_log(&db);
        let written = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..3_u8 {
                let (a, written) = (a.clone(), &written);
                scope.spawn(move || {
                    let mut number = 0_u64;
                    while a.put(format!("{thread}/{number}"), vec![thread; 50_000]).is_ok() {
                        number += 1;
                        written.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    }
                });
            }
            scope.spawn(|| while db.flush().is_ok() {});
            while written.load(std::sync::atomic::Ordering::SeqCst) < round {
                std::thread::yield_now();
            }
            db.close().unwrap();
        });
        let again = Db::open(directory.path(), Options::default()).unwrap();
        let count = again.keyspace("a").unwrap().scan::<&[u8]>(.., Direction::Ascending).unwrap().count();
        assert!(count as u64 >= written.load(std::sync::atomic::Ordering::SeqCst));
        assert!(again.check().unwrap().is_sound());
    }
}

/// The flusher may be in the middle of its work: whoever lets the last handle go waits for it, as one who closes does.
#[test]
fn a_database_that_was_dropped_can_be_opened_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { memory_budget: 1 << 20, ..Options::default() };
    for round in 0..60_u64 {
        let db =
            Db::open(directory.path(), options.clone()).unwrap_or_else(|error| panic!("{round}: {error}"));
        let a = db.keyspace("a").unwrap();
        for number in 0..4 {
            a.put(format!("{round}/{number}"), vec![1; 70_000]).unwrap();
        }
    }
}

#[test]
fn a_database_whose_background_work_ended_takes_no_commits() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    a.put("k", "v").unwrap();
    world.turns.kill();
    let error = a.put("k", "w").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("background work ended"), "{error}");
    assert!(a.get("k").unwrap().is_some(), "reading goes on");
    drop((a, db));
    let db = reopen(&world).unwrap();
    db.keyspace("a").unwrap().put("k", "w").unwrap();
}
