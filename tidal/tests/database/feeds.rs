use std::time::Duration;

use tidaldb::{
    Diversity, ErrorKind, Filter, Id, Kind, Relation, RelationKind, Retrieve, Search, Timestamp, Window,
};

use crate::{feed, fill, ids, numbers, open, profiles, reopen, signal};

#[test]
fn new_has_the_newest_first() {
    let (db, world) = open();
    for number in 0..5_u64 {
        db.put(Kind::Item, tidaldb::Entity::new(number)).unwrap();
        world.clock.advance(Duration::from_secs(60));
    }
    assert_eq!(numbers(&feed(&db, "new", "ann")), [4, 3, 2, 1, 0]);
}

#[test]
fn an_item_from_the_future_does_not_lead_for_ever() {
    let (db, world) = open();
    let now = world.clock_micros();
    let far = Timestamp(now + 400 * 86_400 * 1_000_000);
    let old = Timestamp(-1_000_000);
    db.put(Kind::Item, tidaldb::Entity::new(1).field("published", far)).unwrap();
    db.put(Kind::Item, tidaldb::Entity::new(2).field("published", old)).unwrap();
    world.clock.advance(Duration::from_secs(3_600));
    db.put(Kind::Item, tidaldb::Entity::new(3)).unwrap();
    let answer = db.retrieve(&Retrieve::using("new").explain()).unwrap();
    for hit in &answer.results {
        assert!(hit.score.is_finite() && hit.score <= 0.0, "no age is negative: {}", hit.score);
    }
    assert_eq!(ids(&answer).last(), Some(&Id::from(2)));
}

#[test]
fn trending_counts_what_happened_lately() {
    let (db, world) = open();
    fill(&db);
    for user in 0..20 {
        db.signal(signal("view", 1, &format!("u{user}"))).unwrap();
    }
    world.clock.advance(Duration::from_secs(10 * 86_400));
    for user in 0..3 {
        db.signal(signal("view", 2, &format!("u{user}"))).unwrap();
    }
    let answer = db.retrieve(&Retrieve::using("trending").limit(2)).unwrap();
    assert_eq!(numbers(&ids(&answer)), [2, 1]);
    let all = Retrieve { window: Some(Window::Month), ..Retrieve::using("trending").limit(2) };
    assert_eq!(numbers(&ids(&db.retrieve(&all).unwrap())), [1, 2]);
}

#[test]
fn for_you_turns_to_what_the_user_likes() {
    let (db, _world) = open();
    fill(&db);
    for other in 0..5 {
        for item in [0, 2, 4] {
            db.signal(signal("like", item, &format!("jazz{other}"))).unwrap();
        }
        for item in [1, 3, 5] {
            db.signal(signal("like", item, &format!("rock{other}"))).unwrap();
        }
    }
    let request = Retrieve::using("for_you").user("ann").limit(10).explain();
    let cold = db.retrieve(&request).unwrap();
    assert!(!cold.results.is_empty());
    assert!(cold.warnings.iter().any(|warning| warning.contains("not known")), "{:?}", cold.warnings);

    db.put(Kind::User, tidaldb::Entity::new("ann")).unwrap();
    let cold = db.retrieve(&request).unwrap();
    assert!(!cold.results.is_empty());
    assert!(cold.warnings.iter().any(|warning| warning.contains("taste")), "{:?}", cold.warnings);
    db.signal(signal("view", 0, "ann")).unwrap();
    db.signal(signal("like", 0, "ann")).unwrap();
    let warm = db.retrieve(&request).unwrap();
    let order = numbers(&ids(&warm));
    assert!(!order.contains(&0), "what was seen does not come again");
    assert_eq!(order[0] % 2, 0, "{order:?}");
    assert_eq!(order[1] % 2, 0, "{order:?}");
    let explain = warm.results[0].explain.as_ref().unwrap();
    assert!(explain.reason.contains("number0"), "{}", explain.reason);

    for item in [1, 3] {
        db.signal(signal("like", item, "ann")).unwrap();
        db.signal(signal("skip", item - 1, "ann")).unwrap();
    }
    let turned = numbers(&feed(&db, "for_you", "ann"));
    assert_eq!(turned[0] % 2, 1, "{turned:?}");
}

#[test]
fn reasons_name_nothing_hidden_blocked_or_removed() {
    let (db, _world) = open();
    fill(&db);
    for user in ["bob", "cid"] {
        for item in [0, 2, 4, 6] {
            db.signal(signal("like", item, user)).unwrap();
        }
    }
    for item in [0, 2] {
        db.signal(signal("like", item, "ann")).unwrap();
    }
    let reasons = || {
        let answer = db.retrieve(&Retrieve::using("for_you").user("ann").limit(100).explain()).unwrap();
        answer.results.into_iter().map(|hit| hit.explain.unwrap().reason).collect::<Vec<_>>().join("; ")
    };
    assert!(reasons().contains("number0") || reasons().contains("number2"), "{}", reasons());
    db.relate(Relation::new(RelationKind::Hide, "ann", 0)).unwrap();
    db.delete(Kind::Item, &Id::from(2)).unwrap();
    let after = reasons();
    assert!(!after.contains("number0") && !after.contains("number2") && !after.contains("item 2"), "{after}");
}

#[test]
fn the_terms_of_every_hit_sum_to_its_score() {
    let (db, _world) = open();
    fill(&db);
    for item in 0..10 {
        for user in 0..item {
            db.signal(signal("view", item, &format!("u{user}"))).unwrap();
            db.signal(signal("like", item, &format!("u{}", user % 3))).unwrap();
        }
    }
    for profile in profiles(&db) {
        let mut request = Retrieve::using(&profile).user("u1").limit(10).explain();
        if profile == "related" {
            request = request.similar_to(3);
        }
        let answer = db.retrieve(&request).unwrap_or_else(|error| panic!("{profile}: {error}"));
        for hit in answer.results {
            let explain = hit.explain.unwrap();
            let sum: f64 = explain.terms.iter().map(|term| term.value).fold(0.0, |sum, value| sum + value);
            assert!(
                (sum - hit.score).abs() <= 1e-9 * hit.score.abs().max(1.0),
                "{profile}: {sum} is not {}",
                hit.score
            );
            assert!(!explain.reason.is_empty());
        }
    }
}

#[test]
fn related_leaves_the_seed_out_and_finds_what_is_near() {
    let (db, _world) = open();
    fill(&db);
    let related = |item: u64| {
        let answer = db.retrieve(&Retrieve::using("related").similar_to(item).limit(4)).unwrap();
        numbers(&ids(&answer))
    };
    assert_eq!(related(4).iter().filter(|&&item| item % 2 == 0).count(), 4);
    assert!(!related(4).contains(&4));
    let error = db.retrieve(&Retrieve::using("related")).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("similar_to")));
    let error = db.retrieve(&Retrieve::using("related").similar_to(99)).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::NotFound, Some("similar_to")));
}

#[test]
fn following_shows_the_followed_and_only_them() {
    let (db, _world) = open();
    fill(&db);
    db.relate(Relation::new(RelationKind::Follow, "ann", "c1")).unwrap();
    let followed = numbers(&feed(&db, "following", "ann"));
    assert_eq!(followed.len(), 5);
    assert!(followed.iter().all(|item| item % 2 == 1));
    db.relate(Relation::new(RelationKind::Follow, "bob", "c1")).unwrap();
    let followers = || db.related_users(RelationKind::Follow, &"c1".into()).unwrap();
    assert_eq!(followers(), [Id::from("ann"), Id::from("bob")]);
    assert_eq!(db.relations(&"ann".into(), RelationKind::Follow).unwrap(), [Id::from("c1")]);
    db.unrelate(Relation::new(RelationKind::Follow, "ann", "c1")).unwrap();
    assert_eq!(followers(), [Id::from("bob")]);
    assert!(feed(&db, "following", "ann").is_empty());
}

#[test]
fn hidden_and_blocked_items_never_come_until_the_undo() {
    let (db, world) = open();
    fill(&db);
    for user in ["ann", "bob", "cid"] {
        for item in 0..10 {
            db.signal(signal("like", item, user)).unwrap();
        }
    }
    db.relate(Relation::new(RelationKind::Follow, "zoe", "c0")).unwrap();
    db.relate(Relation::new(RelationKind::Hide, "zoe", 4)).unwrap();
    db.relate(Relation::new(RelationKind::Block, "zoe", "c1")).unwrap();
    let everything = |db: &tidaldb::Database| -> Vec<u64> {
        let mut found = Vec::new();
        for profile in profiles(db) {
            let mut request = Retrieve::using(&profile).user("zoe").limit(100);
            if profile == "related" {
                request = request.similar_to(0);
            }
            found.extend(numbers(&ids(&db.retrieve(&request).unwrap())));
        }
        found.extend(numbers(&ids(&db.search(&Search::new("title").user("zoe").limit(100)).unwrap())));
        found
    };
    let leaks = |found: &[u64]| found.iter().any(|item| *item == 4 || item % 2 == 1);
    assert!(!leaks(&everything(&db)));
    // Written again, a hidden item stays hidden; a new item of a blocked creator is blocked.
    db.put(Kind::Item, tidaldb::Entity::new(4).creator("c0").field("title", "Title again")).unwrap();
    db.put(Kind::Item, tidaldb::Entity::new(11).creator("c1").field("title", "Title new")).unwrap();
    assert!(!leaks(&everything(&db)));
    db.delete(Kind::Item, &Id::from(4)).unwrap();
    db.put(Kind::Item, tidaldb::Entity::new(4).creator("c0").field("title", "Title returns")).unwrap();
    assert!(!leaks(&everything(&db)));
    world.kill();
    let db = reopen(&world);
    assert!(!leaks(&everything(&db)));
    db.unrelate(Relation::new(RelationKind::Hide, "zoe", 4)).unwrap();
    assert!(everything(&db).contains(&4));
    db.unrelate(Relation::new(RelationKind::Block, "zoe", "c1")).unwrap();
    assert!(everything(&db).contains(&11));
}

#[test]
fn search_finds_what_was_just_written_and_filters() {
    let (db, _world) = open();
    fill(&db);
    let search = |request: &Search| numbers(&ids(&db.search(request).unwrap()));
    assert_eq!(search(&Search::new("number7")), [7]);
    assert_eq!(search(&Search::new("jazz")).len(), 5);
    let early = Search::new("jazz").filter(Filter::eq("category", "early"));
    let mut found = search(&early);
    found.sort_unstable();
    assert_eq!(found, [0, 2, 4]);
    db.put(Kind::Item, tidaldb::Entity::new(50).field("title", "a quite unusual zebra")).unwrap();
    assert_eq!(search(&Search::new("zebra")), [50]);
    db.put(Kind::Item, tidaldb::Entity::new(50).field("title", "no more stripes")).unwrap();
    assert!(search(&Search::new("zebra")).is_empty());
    db.delete(Kind::Item, &Id::from(50)).unwrap();
    assert!(search(&Search::new("stripes")).is_empty());
}

#[test]
fn one_creator_does_not_fill_a_page_unless_nothing_else_is_there() {
    let (db, _world) = open();
    for number in 0..60_u64 {
        let creator = if number < 50 { "big" } else { "small" };
        db.put(Kind::Item, tidaldb::Entity::new(number).creator(creator)).unwrap();
    }
    let request = |limit, most| Retrieve {
        diversity: Some(Diversity { max_per_creator: Some(most) }),
        ..Retrieve::using("new").limit(limit)
    };
    let held = db.retrieve(&request(4, 2)).unwrap();
    assert_eq!((held.results.len(), held.constraints_satisfied), (4, true));
    let relaxed = db.retrieve(&request(50, 2)).unwrap();
    assert_eq!((relaxed.results.len(), relaxed.constraints_satisfied), (50, false));
}

#[test]
fn an_empty_catalogue_and_odd_limits() {
    let (db, _world) = open();
    for profile in profiles(&db).into_iter().filter(|profile| profile != "related") {
        assert!(db.retrieve(&Retrieve::using(&profile).user("ann")).unwrap().results.is_empty(), "{profile}");
    }
    assert!(db.search(&Search::new("anything")).unwrap().results.is_empty());
    db.put(Kind::Item, tidaldb::Entity::new(1)).unwrap();
    let answer = db.retrieve(&Retrieve::using("new").limit(50)).unwrap();
    assert_eq!(answer.results.len(), 1);
    assert!(answer.warnings.iter().any(|warning| warning.contains("only 1 items")), "{:?}", answer.warnings);
    for limit in [0, 1_001] {
        let error = db.retrieve(&Retrieve::using("new").limit(limit)).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("limit")));
    }
    let error = db.retrieve(&Retrieve::using("nwe")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().contains("for_you"), "{error}");
}

#[test]
fn only_the_clock_advances() {
    let (db, world) = open();
    fill(&db);
    // The skip fades by 7 days, the like by 30: with time the like wins.
    let decayed = |db: &tidaldb::Database| -> f64 {
        let answer = db.retrieve(&Retrieve::using("for_you").limit(100).explain()).unwrap();
        let hit = answer.results.iter().find(|hit| hit.id == Id::from(1)).unwrap();
        hit.explain.as_ref().unwrap().terms.iter().find(|term| term.name == "popular").unwrap().value
    };
    db.signal(signal("view", 1, "ann")).unwrap();
    let today = decayed(&db);
    world.clock.advance(Duration::from_secs(7 * 86_400));
    let later = decayed(&db);
    assert!((today.exp_m1() / later.exp_m1() - 2.0).abs() < 1e-6, "{today} then {later}");
}

#[test]
fn what_is_excluded_does_not_come_and_the_muted_come_last() {
    let (db, _world) = open();
    fill(&db);
    let request = Retrieve::using("new").user("ann").limit(100);
    let some = Retrieve { exclude: vec![3.into(), 4.into(), "none".into()], ..request };
    let found = numbers(&ids(&db.retrieve(&some).unwrap()));
    assert_eq!(found.len(), 8);
    assert!(!found.contains(&3) && !found.contains(&4), "{found:?}");
    db.relate(Relation::new(RelationKind::Mute, "ann", "c1")).unwrap();
    let related = |user: &str| {
        let request = Retrieve::using("related").similar_to(1).user(user).limit(100);
        numbers(&ids(&db.retrieve(&request).unwrap()))
    };
    let (bobs, anns) = (related("bob"), related("ann"));
    assert_eq!((anns.len(), bobs.len()), (9, 9), "what is muted still comes");
    assert!(bobs[..4].iter().all(|item| item % 2 == 1), "the nearest are of the same creator: {bobs:?}");
    assert!(anns[5..].iter().all(|item| item % 2 == 1), "{anns:?}");
}

#[test]
fn the_weight_of_a_creator_halves_every_thirty_days() {
    let (db, world) = open();
    fill(&db);
    db.signal(signal("like", 0, "ann")).unwrap();
    world.clock.advance(Duration::from_secs(3 * 30 * 86_400));
    let answer = db.retrieve(&Retrieve::using("for_you").user("ann").limit(100).explain()).unwrap();
    for hit in answer.results {
        let of_c0 = numbers(&[hit.id])[0].is_multiple_of(2);
        let terms = hit.explain.unwrap().terms;
        let affinity = terms.iter().find(|term| term.name == "affinity").unwrap().value;
        let want = if of_c0 { 0.3 * (3.0_f64 / 8.0).ln_1p() } else { 0.0 };
        assert!((affinity - want).abs() < 1e-12, "{affinity} is not {want}");
    }
}

#[test]
fn two_users_see_near_equals_of_a_search_in_two_orders() {
    let (db, _world) = open();
    fill(&db);
    db.signal(signal("like", 0, "ann")).unwrap();
    db.signal(signal("like", 1, "bob")).unwrap();
    let first = |user: &str| {
        let found = numbers(&ids(&db.search(&Search::new("title").user(user).limit(100)).unwrap()));
        assert_eq!(found.len(), 10);
        found[0] % 2
    };
    assert_eq!((first("ann"), first("bob")), (0, 1));
}

trait ClockMicros {
    fn clock_micros(&self) -> i64;
}

impl ClockMicros for kv0_env::memory::World {
    fn clock_micros(&self) -> i64 {
        kv0_env::Clock::unix_micros(&*self.clock)
    }
}
