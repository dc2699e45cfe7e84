//! Calls of the disk that fail while the process lives on, and full disks.

use std::collections::BTreeMap;
use std::io::ErrorKind as Io;

use kv0_env::memory::{self, Failure, World};
use tidaldb::{Batch, Database, Entity, ErrorKind, Id, Kind, Mutation, Options, Retrieve, Signal};

use crate::{fill, open, reopen, schema, signal};

/// How often each item was liked.
fn likes(db: &Database) -> BTreeMap<Id, u64> {
    let answer = db.retrieve(&Retrieve::using("new").limit(1_000)).unwrap();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let count = |hit: &tidaldb::Hit| hit.signals.get("like").copied().unwrap_or(0.0) as u64;
    answer.results.iter().map(|hit| (hit.id.clone(), count(hit))).collect()
}

/// Puts an item and likes it, over and over, with checkpoints. Which items were acknowledged, and which were tried.
fn write(db: &Database, from: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut acknowledged, mut tried) = (Vec::new(), Vec::new());
    for item in from..from + 20 {
        tried.push(item);
        let title = format!("Title number{item} {}", "word ".repeat(40));
        let put = Mutation::Put(Kind::Item, Entity::new(item).field("title", title));
        let like = Mutation::Signal(signal("like", item, "ann").key(format!("key {item}")));
        if db.write(Batch { mutations: vec![put, like] }).is_ok() {
            acknowledged.push(item);
        }
        if item % 5 == 0 {
            drop(db.checkpoint());
        }
    }
    (acknowledged, tried)
}

/// Everything acknowledged is there, nothing that was not tried is, and nothing is there by half.
#[track_caller]
fn holds(db: &Database, acknowledged: &[u64], tried: &[u64], when: &str) {
    let likes = likes(db);
    for item in acknowledged {
        assert_eq!(likes.get(&Id::from(*item)), Some(&1), "{when}: item {item}");
    }
    for (item, count) in likes.iter().filter(|(item, _)| **item >= Id::from(100)) {
        assert!(tried.iter().any(|tried| Id::from(*tried) == *item), "{when}: item {item} was never written");
        assert_eq!(*count, 1, "{when}: item {item} is there without its like");
    }
}

#[test]
fn one_failing_call_at_any_place_leaves_a_sound_database() {
    let forms: [fn(Io) -> Failure; 3] = [
        Failure::once,
        |kind| Failure::once(kind).after_writing(7),
        |kind| Failure::once(kind).after_full_effect(),
    ];
    for (number, form) in forms.into_iter().enumerate() {
        for durable in [false, true] {
            for nth in (1 + number as u64..).step_by(5) {
                let (env, world) = memory::env(nth);
                let db = Database::open_in(env, schema(), Options { durable }).unwrap();
                fill(&db);
                let call = world.files.operations() + nth;
                world.files.fail_at(call, form(Io::Other));
                let (acknowledged, tried) = write(&db, 100);
                let reached = world.files.operations() >= call;
                world.files.clear_failures();
                let when = format!("form {number}, durable {durable}, call {nth}");
                holds(&db, &acknowledged, &tried, &when);
                // What failed is reported once; the views still agree with what the log shows.
                if let Err(error) = db.check() {
                    assert_eq!(error.kind(), ErrorKind::Unavailable, "{when}: {error}");
                }
                drop(db.close());
                drop(db);
                let db = reopen(&world);
                holds(&db, &acknowledged, &tried, &format!("{when}, reopened"));
                db.check().unwrap_or_else(|error| panic!("{when}: {error}"));
                if !reached {
                    assert!(nth > 30, "only {nth} calls");
                    break;
                }
            }
        }
    }
}

#[test]
fn an_open_that_fails_at_any_call_can_be_repeated() {
    let (db, world) = open();
    fill(&db);
    let (acknowledged, tried) = write(&db, 100);
    world.kill();
    drop(db);
    for nth in 1.. {
        let fork = World::with_files(world.files.fork(), nth);
        let call = fork.files.operations() + nth;
        fork.files.fail_at(call, Failure::once(Io::Other));
        let opened = Database::open_in(fork.env(), schema(), Options::default());
        let reached = fork.files.operations() >= call;
        fork.files.clear_failures();
        match opened {
            Ok(db) => {
                holds(&db, &acknowledged, &tried, &format!("call {nth}"));
                db.check().unwrap_or_else(|error| panic!("call {nth}: {error}"));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unavailable, "call {nth}: {error}");
                let db = reopen(&fork);
                holds(&db, &acknowledged, &tried, &format!("call {nth}, repeated"));
                db.check().unwrap_or_else(|error| panic!("call {nth}, repeated: {error}"));
            }
        }
        if !reached {
            assert!(nth > 20, "only {nth} calls");
            return;
        }
    }
}

#[test]
fn a_full_disk_refuses_writes_and_goes_on_when_there_is_room() {
    for durable in [false, true] {
        for room in [0, 1, 100, 1_000, 5_000, 20_000] {
            let (env, world) = memory::env(room);
            let db = Database::open_in(env, schema(), Options { durable }).unwrap();
            fill(&db);
            world.files.set_capacity(Some(world.files.used_bytes() + room));
            let (mut acknowledged, mut tried) = write(&db, 100);
            let when = format!("durable {durable}, room {room}");
            holds(&db, &acknowledged, &tried, &when);
            // Reading needs no room.
            let error = db.put(Kind::Item, Entity::new(99).field("title", "x".repeat(30_000))).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{when}: {error}");
            holds(&db, &acknowledged, &tried, &when);
            world.files.set_capacity(None);
            let (more, also_tried) = write(&db, 200);
            assert_eq!(more.len(), 20, "{when}: there is room again");
            acknowledged.extend(more);
            tried.extend(also_tried);
            db.check().unwrap_or_else(|error| panic!("{when}: {error}"));
            db.close().unwrap();
            let db = reopen(&world);
            holds(&db, &acknowledged, &tried, &when);
            db.check().unwrap();
        }
    }
}

#[test]
fn a_commit_that_could_not_be_synced_is_shown_whole_and_never_acknowledged() {
    let (env, world) = memory::env(5);
    let db = Database::open_in(env, schema(), Options { durable: true }).unwrap();
    fill(&db);
    let like = || signal("like", 1, "ann").key("once");
    // The append, then the sync.
    world.files.fail_at(world.files.operations() + 2, Failure::once(Io::Other));
    assert_eq!(db.signal(like()).unwrap_err().kind(), ErrorKind::Unavailable);
    // Its key is not taken as proof that it was written.
    assert_eq!(db.signal(like()).unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(likes(&db).len(), 10, "questions are still answered");
    drop(db);
    let db = reopen(&world);
    db.signal(like()).unwrap();
    assert_eq!(likes(&db)[&Id::from(1)], 1);
    db.check().unwrap();
}

#[test]
fn every_byte_of_the_log_that_changes_is_reported_or_was_never_acknowledged() {
    let (db, world) = open();
    fill(&db);
    for item in 0..10 {
        db.signal(Signal::new("like", item).by("ann")).unwrap();
    }
    db.close().unwrap();
    drop(db);
    let (path, size) = world
        .files
        .files()
        .into_iter()
        .find(|(path, _)| path.contains("lanes/") && !path.ends_with(".tmp"))
        .unwrap();
    for offset in (0..size).step_by(97) {
        let fork = World::with_files(world.files.fork(), offset);
        fork.files.flip(&path, offset, 0x04).unwrap();
        let error = match Database::open_in(fork.env(), schema(), Options::default()) {
            // Bytes that only say up to where the chunk was durable change nothing.
            Ok(db) => match db.check() {
                Ok(()) => {
                    assert_eq!(likes(&db).values().sum::<u64>(), 10, "offset {offset}");
                    continue;
                }
                Err(error) => error,
            },
            Err(error) => error,
        };
        assert_eq!(error.kind(), ErrorKind::Corrupt, "offset {offset}: {error}");
        let message = error.to_string();
        assert!(message.contains("lanes/") && message.contains("offset"), "offset {offset}: {message}");
    }
}
