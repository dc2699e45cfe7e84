//! Many threads that write and ask at once.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tidaldb::{Batch, Database, Entity, Id, Kind, Mutation, Relation, RelationKind, Retrieve, Search};

use crate::{ids, open, reopen, signal};

const WRITERS: u64 = 8;
const ROUNDS: u64 = 40;

/// What the writers were told is done.
#[derive(Default)]
struct Done {
    hidden: Mutex<BTreeSet<Id>>,
    deleted: Mutex<BTreeSet<Id>>,
    queries: AtomicU64,
}

/// One batch makes an item together with what belongs to it; then some are hidden from zoe, and some removed.
fn write(db: &Database, done: &Done, writer: u64) {
    for round in 0..ROUNDS {
        let item = writer * 1_000 + round;
        let text = format!("Title writer{writer} round{round}");
        let batch = Batch {
            mutations: vec![
                Mutation::Put(
                    Kind::Item,
                    Entity::new(item).creator(format!("c{writer}")).field("title", text),
                ),
                Mutation::Signal(signal("like", item, "ann")),
                Mutation::Signal(signal("view", item, "bob")),
                Mutation::Relate(Relation::new(RelationKind::Follow, "fan", format!("c{writer}"))),
            ],
        };
        db.write(batch).unwrap();
        match round % 4 {
            0 => {
                db.relate(Relation::new(RelationKind::Hide, "zoe", item)).unwrap();
                done.hidden.lock().unwrap().insert(item.into());
            }
            1 => {
                db.delete(Kind::Item, &item.into()).unwrap();
                done.deleted.lock().unwrap().insert(item.into());
            }
            2 => drop(db.signal(signal("like", item, "cid")).unwrap()),
            _ => drop(db.get(Kind::Item, &item.into()).unwrap().unwrap()),
        }
    }
}

fn ask(db: &Database, done: &Done) {
    let hidden = done.hidden.lock().unwrap().clone();
    let deleted = done.deleted.lock().unwrap().clone();
    for profile in ["new", "trending", "for_you", "most_liked", "following"] {
        let user = if profile == "following" { "fan" } else { "zoe" };
        let answer = db.retrieve(&Retrieve::using(profile).user(user).limit(1_000).explain()).unwrap();
        let mut seen = BTreeSet::new();
        for hit in &answer.results {
            let id = &hit.id;
            assert!(seen.insert(id.clone()), "{profile}: {id} comes twice");
            assert!(
                hit.signals.contains_key("like") && hit.signals.contains_key("view"),
                "{profile}: half of {id}"
            );
            assert!(user == "fan" || !hidden.contains(id), "{profile}: {id} was hidden");
            assert!(!deleted.contains(id), "{profile}: {id} was removed");
        }
    }
    let found = ids(&db.search(&Search::new("title").user("zoe").limit(1_000)).unwrap());
    for id in &found {
        assert!(!hidden.contains(id) && !deleted.contains(id), "search: {id} was hidden or removed");
    }
    done.queries.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn no_question_sees_half_of_a_batch_or_what_was_hidden_before_it() {
    let (db, world) = open();
    let done = Done::default();
    let writing = AtomicBool::new(true);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (db, done) = (&db, &done);
                scope.spawn(move || write(db, done, writer))
            })
            .collect();
        for _ in 0..4 {
            scope.spawn(|| {
                while writing.load(Ordering::Acquire) {
                    ask(&db, &done);
                }
            });
        }
        scope.spawn(|| {
            while writing.load(Ordering::Acquire) {
                db.checkpoint().unwrap();
                std::thread::yield_now();
            }
        });
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        writing.store(false, Ordering::Release);
        assert!(ended.iter().all(Result::is_ok));
    });
    ask(&db, &done);
    assert!(done.queries.load(Ordering::Relaxed) > 1);
    assert_eq!(db.count(Kind::Item).unwrap() as u64, WRITERS * ROUNDS * 3 / 4);
    db.check().unwrap();
    world.kill();
    drop(db);
    let db = reopen(&world);
    ask(&db, &done);
    db.check().unwrap();
}

#[test]
fn closing_amid_writes_and_questions_ends_them_in_order() {
    let (db, world) = open();
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            let (writing, acknowledged) = (db.clone(), &acknowledged);
            scope.spawn(move || {
                for round in 0.. {
                    match writing.put(Kind::Item, Entity::new(writer * 1_000_000 + round)) {
                        Ok(_) => acknowledged.fetch_add(1, Ordering::Relaxed),
                        Err(error) => {
                            assert_eq!(error.kind(), tidaldb::ErrorKind::Closed, "{error}");
                            return;
                        }
                    };
                }
            });
            let asking = db.clone();
            scope.spawn(move || {
                while let Ok(answer) = asking.retrieve(&Retrieve::using("new")) {
                    assert!(answer.results.len() <= 20);
                }
            });
        }
        while acknowledged.load(Ordering::Relaxed) < 50 {
            std::thread::yield_now();
        }
        db.close().unwrap();
    });
    let db = reopen(&world);
    assert_eq!(db.count(Kind::Item).unwrap() as u64, acknowledged.load(Ordering::Relaxed));
    assert_eq!(db.opening().rebuilt, Vec::<String>::new());
    db.check().unwrap();
}
