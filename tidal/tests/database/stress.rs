use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use tidaldb::{
    Batch, Database, Entity, Id, Kind, Mutation, Options, Relation, RelationKind, Retrieve, Search, Timestamp,
};

use crate::{feed, fill, ids, numbers, open, profiles, reopen, schema, signal};

/// The first and the last moment that a field can hold: of the years 1 and 9999.
const FIRST: i64 = -62_135_596_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

#[test]
fn times_and_weights_at_their_ends_leave_every_score_finite() {
    let (db, world) = open();
    fill(&db);
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    for (item, at) in (0..).zip(ends) {
        db.signal(signal("like", item, "ann").at(Timestamp(at))).unwrap();
        db.signal(signal("view", item, "ann").at(Timestamp(at)).weight(1e15)).unwrap();
        db.signal(signal("skip", item, "ann").at(Timestamp(at)).weight(-1e15)).unwrap();
        db.put(Kind::Item, Entity::new(100 + item).field("published", Timestamp(at.clamp(FIRST, LAST))))
            .unwrap();
    }
    for clock in [0, i64::MAX / 2, i64::MIN / 2] {
        world.clock.set_unix_micros(clock);
        for profile in profiles(&db) {
            let mut request = Retrieve::using(&profile).user("ann").limit(100).explain();
            if profile == "related" {
                request = request.similar_to(9);
            }
            for hit in db.retrieve(&request).unwrap().results {
                let explain = hit.explain.unwrap();
                assert!(hit.score.is_finite(), "{profile} at {clock}: {}", hit.score);
                assert!(explain.terms.iter().all(|term| term.value.is_finite()), "{profile} at {clock}");
            }
        }
    }
    db.check().unwrap();
    world.kill();
    reopen(&world).check().unwrap();
}

#[derive(Debug, Clone)]
enum Step {
    Put(u64, u64),
    Delete(u64),
    Hide(u64, bool),
    Block(u64, bool),
    Like(u64),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..12_u64, 0..3_u64).prop_map(|(item, creator)| Step::Put(item, creator)),
        1 => (0..12_u64).prop_map(Step::Delete),
        3 => (0..12_u64, any::<bool>()).prop_map(|(item, on)| Step::Hide(item, on)),
        2 => (0..3_u64, any::<bool>()).prop_map(|(creator, on)| Step::Block(creator, on)),
        3 => (0..12_u64).prop_map(Step::Like),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn nothing_hidden_or_blocked_comes_after_any_steps(steps in steps()) {
        let (mut db, world) = open();
        let (mut hidden, mut blocked) = (BTreeSet::new(), BTreeSet::new());
        let mut creators = std::collections::BTreeMap::new();
        for step in steps {
            match step {
                Step::Put(item, creator) => {
                    let entity = Entity::new(item).creator(creator).field("title", "common title");
                    db.put(Kind::Item, entity.embedding("content", [1.0, item as f32, 0.0])).unwrap();
                    creators.insert(item, creator);
                }
                Step::Delete(item) => drop(db.delete(Kind::Item, &Id::from(item)).map(|_| creators.remove(&item))),
                Step::Hide(item, on) => relate(&db, RelationKind::Hide, item, on, &mut hidden),
                Step::Block(creator, on) => relate(&db, RelationKind::Block, creator, on, &mut blocked),
                Step::Like(item) => drop(db.signal(signal("like", item, "zoe"))),
                Step::Reopen => {
                    world.kill();
                    db = reopen(&world);
                }
            }
            let found = everything(&db);
            let leaks = |item: &u64| hidden.contains(item) || creators.get(item).is_none_or(|made| blocked.contains(made));
            prop_assert!(!found.iter().any(leaks), "{found:?} with {hidden:?} hidden, {blocked:?} blocked");
        }
        db.check().unwrap();
    }
}

fn relate(db: &Database, kind: RelationKind, target: u64, on: bool, set: &mut BTreeSet<u64>) {
    let relation = Relation::new(kind, "zoe", target);
    let done = if on { db.relate(relation) } else { db.unrelate(relation) };
    if done.is_ok() {
        if on {
            set.insert(target)
        } else {
            set.remove(&target)
        };
    }
}

/// All items in any answer for the user.
fn everything(db: &Database) -> BTreeSet<u64> {
    let mut found: BTreeSet<u64> = BTreeSet::new();
    for profile in ["new", "trending", "for_you", "following", "best", "most_liked"] {
        found.extend(numbers(&feed(db, profile, "zoe")));
    }
    found.extend(numbers(&ids(&db.search(&Search::new("common").user("zoe").limit(100)).unwrap())));
    if let Ok(related) = db.retrieve(&Retrieve::using("related").similar_to(1).user("zoe").limit(100)) {
        found.extend(numbers(&ids(&related)));
    }
    found
}

#[test]
fn no_query_sees_half_a_batch_while_many_threads_write() {
    let directory = tempfile::tempdir().unwrap();
    let db = Database::open(directory.path(), schema(), Options::default()).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4_u64)
            .map(|thread| {
                let db = &db;
                scope.spawn(move || {
                    for number in 0..25 {
                        let item = thread * 1_000 + number;
                        let entity =
                            Entity::new(item).creator("c").field("title", format!("word{item} shared"));
                        let put = Mutation::Put(Kind::Item, entity);
                        let like = Mutation::Signal(signal("like", item, "someone"));
                        db.write(Batch { mutations: vec![put, like] }).unwrap();
                        db.relate(Relation::new(RelationKind::Hide, format!("u{thread}"), item)).unwrap();
                        let own =
                            db.retrieve(&Retrieve::using("new").user(format!("u{thread}")).limit(1_000));
                        assert!(!numbers(&ids(&own.unwrap())).contains(&item), "a hide counts at once");
                        let found = db.search(&Search::new(&format!("word{item}")).limit(5)).unwrap();
                        assert!(numbers(&ids(&found)).contains(&item), "what was written is found at once");
                    }
                })
            })
            .collect();
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Acquire) {
                    for hit in db.retrieve(&Retrieve::using("new").limit(1_000)).unwrap().results {
                        assert!(hit.signals.contains_key("like"), "{} without its like", hit.id);
                    }
                    db.search(&Search::new("shared").limit(50)).unwrap();
                    db.checkpoint().unwrap();
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        stop.store(true, Ordering::Release);
    });
    db.check().unwrap();
    db.close().unwrap();
    let db = Database::open(directory.path(), schema(), Options::default()).unwrap();
    assert_eq!(db.count(Kind::Item).unwrap(), 100);
    assert_eq!(db.opening().replayed, 0);
}

#[test]
fn a_full_disk_refuses_writes_and_then_takes_them() {
    let (db, world) = open();
    fill(&db);
    db.checkpoint().unwrap();
    let before = feed(&db, "new", "ann");
    world.files.set_capacity(Some(world.files.used_bytes() + 2_000));
    let long = "word ".repeat(10_000);
    assert!(db.put(Kind::Item, Entity::new(50).field("title", long.clone())).is_err());
    assert_eq!(feed(&db, "new", "ann"), before, "reading goes on, and nothing was changed");
    assert!(db.checkpoint().is_ok() || db.retrieve(&Retrieve::using("new")).is_ok());
    world.files.set_capacity(None);
    db.put(Kind::Item, Entity::new(50).field("title", long)).unwrap();
    db.checkpoint().unwrap();
    db.check().unwrap();
    world.kill();
    reopen(&world).check().unwrap();
}

#[test]
fn opening_fails_clearly_at_every_call_and_then_succeeds() {
    let (db, world) = open();
    fill(&db);
    for item in 0..10 {
        db.signal(signal("like", item, "ann")).unwrap();
    }
    world.kill();
    drop(db);
    let mut failed = 0;
    for nth in 1.. {
        world.files.fail_at(
            world.files.operations() + nth,
            kv0_env::memory::Failure::once(std::io::ErrorKind::Other),
        );
        let opened = Database::open_in(world.env(), schema(), Options::default());
        world.files.clear_failures();
        world.kill();
        match opened {
            Err(error) => {
                assert!(!error.message().is_empty());
                failed += 1;
            }
            Ok(_) if nth > failed + 40 => break,
            Ok(_) => {}
        }
    }
    assert!(failed > 20, "only {failed} calls could fail");
    let db = reopen(&world);
    db.check().unwrap();
    assert_eq!(db.count(Kind::Item).unwrap(), 10);
}
