//! Numbers and times at their bounds.

use std::time::Duration;

use kv0_env::Clock as _;
use tidaldb::{Database, Entity, Filter, Id, Kind, Retrieve, Search, Timestamp, Value};

use crate::{fill, ids, open, profiles, reopen, signal};

/// 9999-12-31T23:59:59Z and 0001-01-01T00:00:00Z.
const LAST: Timestamp = Timestamp(253_402_300_799_000_000);
const FIRST: Timestamp = Timestamp(-62_135_596_800_000_000);

/// Every profile gives finite scores whose terms sum up, in order.
fn all_finite(db: &Database, user: &str, when: &str) {
    for profile in profiles(db) {
        let mut request = Retrieve::using(&profile).user(user).limit(1_000).explain();
        if profile == "related" {
            request = request.similar_to(1);
        }
        let answer = db.retrieve(&request).unwrap_or_else(|error| panic!("{when}, {profile}: {error}"));
        check(&answer, &format!("{when}, {profile}"));
    }
    check(&db.search(&Search::new("title").user(user).limit(1_000).explain()).unwrap(), when);
}

fn check(answer: &tidaldb::Answer, when: &str) {
    for pair in answer.results.windows(2) {
        assert!(pair[0].score >= pair[1].score || !answer.constraints_satisfied, "{when}: not in order");
    }
    for hit in &answer.results {
        assert!(hit.score.is_finite(), "{when}: {} has {}", hit.id, hit.score);
        let explain = hit.explain.as_ref().unwrap();
        let sum =
            explain.terms.iter().fold(0.0, |sum: f64, term| (sum + term.value).clamp(f64::MIN, f64::MAX));
        assert!(
            (sum - hit.score).abs() <= f64::EPSILON * hit.score.abs(),
            "{when}: {sum} is not {}",
            hit.score
        );
        assert!(hit.signals.values().all(|count| count.is_finite()), "{when}: {:?}", hit.signals);
        for term in explain.terms.iter().filter(|term| term.formula == "-age_hours()") {
            assert!(term.value <= 0.0, "{when}: an age below zero");
        }
    }
}

#[test]
fn times_and_weights_at_their_bounds_give_finite_scores() {
    let (db, world) = open();
    fill(&db);
    let times = [i64::MIN, i64::MIN + 1, FIRST.0, -1, 0, 1, LAST.0, i64::MAX - 1, i64::MAX].map(Timestamp);
    let weights = [1e15, -1e15, f64::MIN_POSITIVE, -0.0, 5e-324, 1.0];
    for (number, at) in times.into_iter().enumerate() {
        for (place, weight) in weights.into_iter().enumerate() {
            for name in ["view", "like", "skip"] {
                let item = (number + place) as u64 % 10;
                let user = format!("u{}", number % 3);
                db.signal(signal(name, item, &user).at(at).weight(weight)).unwrap();
            }
        }
        all_finite(&db, "u0", &format!("after {}", at.0));
    }
    for at in [FIRST, LAST] {
        db.put(Kind::Item, Entity::new(1).field("title", "Title of old").field("published", at)).unwrap();
        all_finite(&db, "u1", &format!("published {}", at.0));
    }
    for at in times.into_iter().filter(|at| *at < FIRST || LAST < *at) {
        let error = db.put(Kind::Item, Entity::new(1).field("published", at)).unwrap_err();
        assert_eq!(error.field(), Some("metadata.published"), "{error}");
    }
    db.check().unwrap();
    world.kill();
    let db = reopen(&world);
    all_finite(&db, "u2", "reopened");
    db.checkpoint().unwrap();
    world.kill();
    let db = reopen(&world);
    assert_eq!(db.opening().rebuilt, Vec::<String>::new());
    all_finite(&db, "u2", "from the checkpoint");
    db.check().unwrap();
}

#[test]
fn weights_beyond_the_bound_and_no_numbers_change_nothing() {
    let (db, _world) = open();
    fill(&db);
    let position = db.signal(signal("view", 1, "ann")).unwrap().position;
    for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 1.1e15] {
        let error = db.signal(signal("view", 1, "ann").weight(weight)).unwrap_err();
        assert_eq!(error.field(), Some("weight"), "{error}");
    }
    for value in [f64::NAN, f64::INFINITY] {
        let error = db.put(Kind::Item, Entity::new(1).field("price", value)).unwrap_err();
        assert_eq!(error.field(), Some("metadata.price"), "{error}");
        let error = db.put(Kind::Item, Entity::new(1).field("undeclared", value)).unwrap_err();
        assert_eq!(error.field(), Some("metadata.undeclared"), "{error}");
    }
    for number in [f32::NAN, f32::INFINITY] {
        let error = db.put(Kind::Item, Entity::new(1).embedding("content", [1.0, number, 0.0])).unwrap_err();
        assert_eq!(error.field(), Some("embeddings.content[1]"), "{error}");
    }
    assert_eq!(db.signal(signal("view", 1, "ann")).unwrap().position, position + 1);
}

#[test]
fn a_clock_that_goes_backwards_makes_no_age_negative() {
    let (db, world) = open();
    fill(&db);
    for item in 0..10 {
        db.signal(signal("like", item, "ann")).unwrap();
    }
    let now = world.clock.unix_micros();
    for clock in [now - 86_400_000_000, 0, -1, FIRST.0, i64::MIN, i64::MAX, now] {
        world.clock.set_unix_micros(clock);
        all_finite(&db, "ann", &format!("clock {clock}"));
        db.signal(signal("view", 3, "bob")).unwrap();
        db.put(Kind::Item, Entity::new(50).field("title", "Title new")).unwrap();
        all_finite(&db, "bob", &format!("clock {clock}, written"));
        db.check().unwrap();
    }
    world.kill();
    let db = reopen(&world);
    all_finite(&db, "ann", "reopened");
    db.check().unwrap();
}

#[test]
fn a_burst_of_one_user_counts_every_event_and_one_user() {
    let (db, _world) = open();
    fill(&db);
    let batch = (0..100_000).map(|_| tidaldb::Mutation::Signal(signal("view", 1, "ann"))).collect();
    db.write(tidaldb::Batch { mutations: batch }).unwrap();
    db.signal(signal("view", 2, "bob")).unwrap();
    let answer = db.retrieve(&Retrieve::using("most_viewed").limit(2)).unwrap();
    assert_eq!(ids(&answer), [Id::from(1), Id::from(2)]);
    assert!((answer.results[0].signals["view"] - 100_000.0).abs() < f64::EPSILON);
    let more = (0..=100_000).map(|_| tidaldb::Mutation::Signal(signal("view", 1, "ann"))).collect();
    let error = db.write(tidaldb::Batch { mutations: more }).unwrap_err();
    assert_eq!(error.field(), Some("batch"), "{error}");
}

#[test]
fn what_has_no_value_is_neither_below_nor_above_and_its_negation_is_documented() {
    let (db, _world) = open();
    db.put(Kind::Item, Entity::new(1).field("price", 5.0).field("tags", vec!["x".to_owned()])).unwrap();
    db.put(Kind::Item, Entity::new(2).field("price", 50.0).field("tags", vec!["y".to_owned()])).unwrap();
    db.put(Kind::Item, Entity::new(3)).unwrap();
    db.put(Kind::Item, Entity::new(4).field("price", Value::Null)).unwrap();
    let matching = |filter: serde_json::Value| {
        let filter = tidaldb::wire::filter::from_json(&filter).unwrap();
        let feed = db.retrieve(&Retrieve::using("new").filter(filter)).unwrap();
        let mut feed = crate::numbers(&ids(&feed));
        feed.sort_unstable();
        feed
    };
    assert_eq!(matching(serde_json::json!({"field": "price", "lt": 10})), [1]);
    assert_eq!(matching(serde_json::json!({"field": "price", "gte": 10})), [2]);
    assert_eq!(matching(serde_json::json!({"not": {"field": "tags", "eq": "x"}})), [2, 3, 4]);
}

#[test]
fn a_new_item_is_everywhere_in_the_next_question() {
    let (db, world) = open();
    fill(&db);
    world.clock.advance(Duration::from_secs(1));
    let fresh = Entity::new(77).creator("c0").field("title", "Quokka").embedding("content", [1.0, 0.1, 0.0]);
    db.put(Kind::Item, fresh).unwrap();
    assert_eq!(ids(&db.retrieve(&Retrieve::using("new").limit(1)).unwrap()), [Id::from(77)]);
    let related = db.retrieve(&Retrieve::using("related").similar_to(0).limit(3)).unwrap();
    assert!(ids(&related).contains(&Id::from(77)));
    assert_eq!(ids(&db.search(&Search::new("quokka")).unwrap()), [Id::from(77)]);
    // A deep filter is refused, not followed down.
    let deep = (0..1_000).fold(Filter::eq("category", "x"), |filter, _| Filter::Not(Box::new(filter)));
    let error = db.retrieve(&Retrieve::using("new").filter(deep)).unwrap_err();
    assert!(error.message().contains("deeper"), "{error}");
    for query in
        ["\"".repeat(4_000), "(".repeat(4_000), "a ".repeat(2_000), "-".repeat(4_000), "\0".repeat(9)]
    {
        let answer = db.search(&Search::new(&query).limit(1));
        if let Err(error) = answer {
            assert_eq!(error.field(), Some("query"), "{error}");
        }
    }
    let long = "word ".repeat(1_000_000);
    let answer = db.search(&Search::new(&long)).unwrap();
    assert!(answer.warnings.iter().any(|warning| warning.contains("is ignored")), "what is too long is said");
    assert!(answer.warnings.iter().all(|warning| warning.len() < 400), "and not sent back");
    let error = db.search(&Search { strict: true, ..Search::new(&long) }).unwrap_err();
    assert_eq!(error.field(), Some("query"), "{error}");
    assert!(error.message().len() < 400, "{} bytes", error.message().len());
}
