use std::io::ErrorKind as Io;

use kv0_env::memory::{self, Failure, World};
use tidaldb::{Database, Kind, Options, Relation, RelationKind, Retrieve, Search};

use crate::{feed, fill, ids, open, reopen, schema, signal};

/// What a user sees of everything.
fn answers(db: &Database) -> Vec<String> {
    let mut answers: Vec<String> = ["new", "trending", "for_you", "following", "most_liked"]
        .into_iter()
        .map(|profile| format!("{:?}", feed(db, profile, "ann")))
        .collect();
    answers.push(format!("{:?}", ids(&db.search(&Search::new("title").user("ann").limit(100)).unwrap())));
    answers
}

fn live(db: &Database) {
    fill(db);
    db.relate(Relation::new(RelationKind::Follow, "ann", "c1")).unwrap();
    for item in 0..10 {
        db.signal(signal("view", item, "ann")).unwrap();
        db.signal(signal("like", item, "bob")).unwrap();
    }
    db.relate(Relation::new(RelationKind::Hide, "ann", 3)).unwrap();
}

#[test]
fn views_catch_up_with_the_log_after_a_kill() {
    for checkpoint in [false, true] {
        let (db, world) = open();
        live(&db);
        if checkpoint {
            db.checkpoint().unwrap();
        }
        db.signal(signal("like", 7, "cid")).unwrap();
        db.put(Kind::Item, tidaldb::Entity::new(20).creator("c1").field("title", "Title late")).unwrap();
        let before = answers(&db);
        world.kill();
        let after = reopen(&world);
        assert_eq!(answers(&after), before, "with a checkpoint: {checkpoint}");
        let replayed = after.opening().replayed;
        assert_eq!(replayed, if checkpoint { 1 } else { 21 });
        after.check().unwrap();
    }
}

#[test]
fn a_clean_close_leaves_nothing_to_catch_up() {
    let (db, world) = open();
    live(&db);
    let before = answers(&db);
    db.close().unwrap();
    let db = reopen(&world);
    assert_eq!(db.opening().replayed, 0);
    assert!(db.opening().rebuilt.is_empty(), "{:?}", db.opening());
    assert_eq!(answers(&db), before);
}

#[test]
fn damaged_and_lost_views_are_made_again() {
    for path in ["views/events.checkpoint", "text/checkpoint"] {
        let (db, world) = open();
        live(&db);
        let before = answers(&db);
        db.close().unwrap();
        let size = world.files.read_all(path).unwrap().len() as u64;
        world.files.flip(path, size / 2, 0x10).unwrap();
        let db = reopen(&world);
        assert_eq!(db.opening().rebuilt.len(), 1, "{:?}", db.opening());
        assert_eq!(answers(&db), before);
        db.check().unwrap();
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_no_view_disagrees_at_any_crash() {
    let mut crashes = 0;
    for nth in (1..).step_by(7) {
        for power in [false, true] {
            let (env, world) = memory::env(nth);
            let db = Database::open_in(env, schema(), Options { durable: power }).unwrap();
            fill(&db);
            world
                .files
                .fail_at(world.files.operations() + nth, Failure::from_then_on(Io::Other).after_writing(9));
            let acknowledged = write_until_it_fails(&db);
            let finished = acknowledged == 60;
            crash(&world, power, nth);
            drop(db);
            let db = reopen(&world);
            db.check().unwrap_or_else(|error| panic!("call {nth}, power {power}: {error}"));
            let answer = db.retrieve(&Retrieve::using("most_liked").limit(100)).unwrap();
            let counted: f64 = answer.results.iter().filter_map(|hit| hit.signals.get("like")).sum();
            assert!(counted >= acknowledged as f64, "call {nth}: {counted} of {acknowledged}");
            assert!(counted <= acknowledged as f64 + 1.0, "call {nth}: {counted} of {acknowledged}");
            crashes += 1;
            if finished && power {
                assert!(crashes > 20, "only {crashes} crashes");
                return;
            }
        }
    }
}

#[test]
fn a_creation_that_is_cut_short_at_any_call_is_done_again() {
    for nth in 1.. {
        for power in [false, true] {
            let (env, world) = memory::env(nth);
            world.files.fail_at(nth, Failure::from_then_on(Io::Other).after_writing(9));
            let opened = Database::open_in(env, schema(), Options { durable: power });
            let reached = world.files.operations() >= nth;
            crash(&world, power, nth);
            drop(opened);
            let db = reopen(&world);
            fill(&db);
            db.check().unwrap_or_else(|error| panic!("call {nth}, power {power}: {error}"));
            if !reached && power {
                assert!(nth > 20, "only {nth} calls");
                return;
            }
        }
    }
}

/// Signals that were acknowledged, of at most 60, with checkpoints in between.
fn write_until_it_fails(db: &Database) -> usize {
    for number in 0..60 {
        if number % 20 == 19 && db.checkpoint().is_err() {
            return number;
        }
        if db.signal(signal("like", u64::try_from(number % 10).unwrap(), &format!("u{number}"))).is_err() {
            return number;
        }
    }
    60
}

fn crash(world: &World, power: bool, seed: u64) {
    if power {
        world.power_cut(seed);
    } else {
        world.kill();
    }
    world.files.clear_failures();
}
