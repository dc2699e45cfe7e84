//! What holds when the views could not take in a commit.

use kv0_env::memory;

use super::*;
use crate::mutation::Signal;

fn open() -> (Database, memory::World) {
    let (env, world) = memory::env(3);
    let schema = Schema::parse("items: {fields: {title: text}}\nsignals: {view: {half_life: 1d}}").unwrap();
    (Database::open_in(env, schema, Options::default()).unwrap(), world)
}

#[test]
fn views_that_lack_a_part_of_a_commit_are_neither_asked_nor_saved() {
    let (db, world) = open();
    db.put(Kind::Item, Entity::new(1)).unwrap();
    db.signal(Signal::new("view", 1)).unwrap();
    let event = crate::record::EventRecord {
        signal: 0,
        kind: Kind::Item,
        target: Row(0),
        creator: None,
        user: None,
        weight: 1.0,
        at: Timestamp(0),
        received: Timestamp(0),
        key: None,
    };
    // The first record is taken in, the second is not.
    let impossible = crate::record::EventRecord { signal: 9, ..event.clone() };
    db.shared.apply(&[Record::Event(event), Record::Event(impossible)], 99).unwrap_err();

    let error = db.retrieve(&Retrieve::using("new")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("reopened"), "{error}");
    assert_eq!(db.signal(Signal::new("view", 1)).unwrap_err().kind(), ErrorKind::Unavailable);
    // Neither by hand nor when the background work gets its turn.
    assert_eq!(db.shared.checkpoint().unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(
        world.files.read_all("views/events.checkpoint").unwrap_err().kind(),
        std::io::ErrorKind::NotFound
    );
    db.close().unwrap();

    let schema = db.schema().clone();
    let db = Database::open_in(world.env(), schema, Options::default()).unwrap();
    db.check().unwrap();
    let answer = db.retrieve(&Retrieve::using("new")).unwrap();
    assert!((answer.results[0].signals["view"] - 1.0).abs() < f64::EPSILON);
}
