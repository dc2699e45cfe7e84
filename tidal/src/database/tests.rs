use super::*;
use crate::record::EventRecord;

#[test]
fn views_that_took_in_half_a_write_are_neither_asked_nor_saved() {
    let schema = || Schema::parse("signals:\n  view: {on: item, half_life: 7d}\n").unwrap();
    let (env, _controls) = memory::env(0);
    let db = Database::open_in(env.clone(), schema(), Options::default()).unwrap();
    db.put(Kind::Item, Entity::new("a")).unwrap();
    let position = db.signal(Signal::new("view", "a")).unwrap().position;

    let view = |signal| {
        let now = db.shared.now();
        let target = Row(0);
        Record::Event(EventRecord {
            signal,
            kind: Kind::Item,
            target,
            creator: None,
            user: None,
            weight: 1.0,
            at: now,
            received: now,
            key: None,
        })
    };
    // The second event is of a signal that there is none of: the first is in by then.
    db.shared.apply(&[view(0), view(9)], position + 1).unwrap_err();
    let refused = |result: Result<()>| assert_eq!(result.unwrap_err().kind(), ErrorKind::Unavailable);
    refused(db.retrieve(&Retrieve::using("trending")).map(drop));
    refused(db.signal(Signal::new("view", "a")).map(drop));
    refused(db.checkpoint());
    Checkpoints(Arc::downgrade(&db.shared)).turn();
    db.close().unwrap();

    let db = Database::open_in(env, schema(), Options::default()).unwrap();
    db.check().unwrap();
    let answer = db.retrieve(&Retrieve::using("trending")).unwrap();
    assert_eq!(answer.results[0].signals["view"], 1.0);
}
