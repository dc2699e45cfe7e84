use tidaldb::{
    Batch, Entity, Id, Kind, Mutation, Receipt, Relation, RelationKind, Retrieve, Signal, Timestamp, Value,
};

use crate::{feed, fill, ids, numbers, open, reopen, signal};

#[test]
fn what_was_written_is_read_back() {
    let (db, world) = open();
    let item = Entity::new("a/b c")
        .creator("maker")
        .field("title", "A title")
        .field("tags", vec!["x".to_owned(), "y".to_owned()])
        .field("year", 1999)
        .field("price", 9.5)
        .field("published", Timestamp(1_000_000))
        .field("not declared", "kept")
        .embedding("content", [3.0, 0.0, 4.0]);
    db.put(Kind::Item, item.clone()).unwrap();
    db.put(Kind::Item, Entity::new(u64::MAX)).unwrap();
    let stored = db.get(Kind::Item, &"a/b c".into()).unwrap().unwrap();
    assert_eq!(stored.metadata, item.metadata);
    assert_eq!(stored.creator, item.creator);
    let unit = &stored.embeddings["content"];
    assert!((unit[0] - 0.6).abs() < 1e-6 && (unit[2] - 0.8).abs() < 1e-6, "{unit:?}");
    assert!(db.get(Kind::Creator, &"maker".into()).unwrap().is_some(), "a creator is made when first named");
    assert_eq!(db.get(Kind::Item, &"A/b c".into()).unwrap(), None);
    db.close().unwrap();
    let db = reopen(&world);
    assert_eq!(db.get(Kind::Item, &"a/b c".into()).unwrap().unwrap(), stored);
    assert_eq!(db.list(Kind::Item, 0, 10).unwrap(), [Id::from("a/b c"), Id::from(u64::MAX)]);
    assert_eq!(db.count(Kind::Item).unwrap(), 2);
}

#[test]
fn a_batch_sees_its_own_earlier_changes() {
    let (db, _world) = open();
    let batch = Batch {
        mutations: vec![
            Mutation::Put(Kind::Item, Entity::new(1).creator("c")),
            Mutation::Signal(signal("like", 1, "ann")),
            Mutation::Relate(Relation::new(RelationKind::Follow, "ann", "c")),
            Mutation::Delete(Kind::Item, Id::from(1)),
            Mutation::Put(Kind::Item, Entity::new(1).creator("c").field("title", "again")),
        ],
    };
    db.write(batch).unwrap();
    assert_eq!(numbers(&feed(&db, "following", "ann")), [1]);
    let answer = db.retrieve(&Retrieve::using("following").user("ann")).unwrap();
    assert!((answer.results[0].signals["like"] - 1.0).abs() < f64::EPSILON);
}

#[test]
fn a_relation_that_changes_nothing_is_not_written() {
    let (db, world) = open();
    fill(&db);
    let follow = || Relation::new(RelationKind::Follow, "ann", "c1");
    let written = db.relate(follow()).unwrap();
    assert_eq!(written.unchanged, 0);
    assert_eq!(db.relate(follow()).unwrap(), Receipt { unchanged: 1, ..written }, "no commit");
    let batch = Batch {
        mutations: vec![
            Mutation::Unrelate(follow()),
            Mutation::Unrelate(follow()),
            Mutation::Relate(follow()),
            Mutation::Relate(follow()),
            Mutation::Relate(Relation::new(RelationKind::Mute, "ann", "c1")),
        ],
    };
    assert_eq!(db.write(batch).unwrap().unchanged, 2);
    world.kill();
    let db = reopen(&world);
    assert_eq!(db.relations(&"ann".into(), RelationKind::Follow).unwrap(), ["c1".into()]);
    // Who has nothing to end does not come into being by ending it.
    let nobodys = Relation::new(RelationKind::Hide, "nobody", 1);
    assert_eq!(db.unrelate(nobodys).unwrap().unchanged, 1);
    assert_eq!(db.get(Kind::User, &"nobody".into()).unwrap(), None);
    db.check().unwrap();
}

#[test]
fn a_batch_with_one_wrong_change_changes_nothing() {
    let (db, _world) = open();
    fill(&db);
    let position = db.signal(signal("view", 1, "ann")).unwrap().position;
    let batch = Batch {
        mutations: vec![
            Mutation::Put(Kind::Item, Entity::new(77)),
            Mutation::Signal(signal("view", 2, "ann")),
            Mutation::Signal(signal("view", 1_000, "ann")),
        ],
    };
    let error = db.write(batch).unwrap_err();
    assert_eq!(error.field(), Some("[2].item"));
    assert!(error.message().contains("1000"), "{error}");
    assert_eq!(db.get(Kind::Item, &Id::from(77)).unwrap(), None);
    assert_eq!(db.signal(signal("view", 1, "ann")).unwrap().position, position + 1);
}

#[test]
fn idempotency_keys_count_once_and_only_for_their_key() {
    let (db, world) = open();
    fill(&db);
    let once = || signal("like", 3, "ann").key("request-1");
    assert_eq!(db.signal(once()).unwrap().duplicates, 0);
    assert_eq!(db.signal(once()).unwrap().duplicates, 1);
    let batch = Batch {
        mutations: vec![
            Mutation::Signal(once()),
            Mutation::Signal(once().key("request-2")),
            Mutation::Signal(once().key("request-2")),
        ],
    };
    assert_eq!(db.write(batch).unwrap().duplicates, 2);
    world.kill();
    let db = reopen(&world);
    assert_eq!(db.signal(once()).unwrap().duplicates, 1);
    // Equal events of two users are two events.
    db.signal(signal("like", 3, "bob")).unwrap();
    db.signal(signal("like", 3, "cid")).unwrap();
    let answer = db.retrieve(&Retrieve::using("most_liked").limit(1)).unwrap();
    assert_eq!(numbers(&ids(&answer)), [3]);
    assert!((answer.results[0].signals["like"] - 4.0).abs() < f64::EPSILON);
}

#[test]
fn a_removed_item_is_in_no_answer_and_its_id_can_come_back() {
    let (db, world) = open();
    fill(&db);
    db.signal(signal("like", 2, "ann")).unwrap();
    db.delete(Kind::Item, &Id::from(2)).unwrap();
    assert_eq!(db.get(Kind::Item, &Id::from(2)).unwrap(), None);
    assert!(!numbers(&feed(&db, "new", "bob")).contains(&2));
    assert!(db.signal(signal("like", 2, "ann")).is_err());
    world.kill();
    let db = reopen(&world);
    assert!(!numbers(&feed(&db, "new", "bob")).contains(&2));
    db.put(Kind::Item, Entity::new(2).field("title", "back")).unwrap();
    assert!(numbers(&feed(&db, "new", "bob")).contains(&2));
    db.check().unwrap();
}

#[test]
fn an_updated_item_moves_between_filters_at_once() {
    let (db, _world) = open();
    db.put(Kind::Item, Entity::new(1).field("category", "jazz")).unwrap();
    let of = |category: &str| {
        let filter = tidaldb::Filter::eq("category", category);
        ids(&db.retrieve(&Retrieve::using("new").filter(filter)).unwrap()).len()
    };
    assert_eq!((of("jazz"), of("rock")), (1, 0));
    db.put(Kind::Item, Entity::new(1).field("category", "rock")).unwrap();
    assert_eq!((of("jazz"), of("rock")), (0, 1));
    db.put(Kind::Item, Entity::new(1).field("category", Value::Null)).unwrap();
    assert_eq!((of("jazz"), of("rock")), (0, 0));
}

#[test]
fn late_events_and_a_clock_ahead_give_the_same_state() {
    let (db, world) = open();
    let (other, _other_world) = open();
    fill(&db);
    fill(&other);
    world.clock.advance(std::time::Duration::from_secs(5 * 86_400));
    let now = kv0_env::Clock::unix_micros(&*world.clock);
    let events: Vec<Signal> = (0..40_i64)
        .map(|number| {
            let at = Timestamp(now - (number * 7_919 % 400) * 900 * 1_000_000);
            signal(
                if number % 3 == 0 { "like" } else { "view" },
                u64::try_from(number % 10).unwrap(),
                &format!("u{}", number % 4),
            )
            .at(at)
        })
        .collect();
    _other_world.clock.advance(std::time::Duration::from_secs(5 * 86_400));
    for event in &events {
        db.signal(event.clone()).unwrap();
    }
    for event in events.iter().rev() {
        other.signal(event.clone()).unwrap();
    }
    for profile in ["trending", "for_you", "most_liked", "hot"] {
        for user in ["u0", "u1", "nobody"] {
            assert_eq!(feed(&db, profile, user), feed(&other, profile, user), "{profile} for {user}");
        }
    }
    let ahead = Timestamp(now + 86_400 * 1_000_000);
    db.signal(signal("view", 1, "u0").at(ahead)).unwrap();
    other.signal(signal("view", 1, "u0")).unwrap();
    assert_eq!(feed(&db, "trending", "x"), feed(&other, "trending", "x"));
}
