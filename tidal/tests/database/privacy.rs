//! Hides and blocks over random lives of a database.

use std::collections::{BTreeMap, BTreeSet};

use kv0_env::memory::World;
use tidaldb::{Answer, Database, Entity, Kind, Relation, RelationKind, Retrieve, Search};

use crate::{numbers, open, profiles, reopen, signal};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[expect(clippy::cast_possible_truncation, reason = "one of three")]
fn one_of(random: &mut Random, names: [&'static str; 3]) -> &'static str {
    names[random.below(3) as usize]
}

const ITEMS: u64 = 12;
const CREATORS: u64 = 3;

/// What zoe must not see, kept by the rules alone.
#[derive(Default)]
struct Model {
    /// Items that exist, and who made them.
    items: BTreeMap<u64, Option<u64>>,
    hidden: BTreeSet<u64>,
    blocked: BTreeSet<u64>,
    /// Creators that were ever named.
    creators: BTreeSet<u64>,
    /// Items that were ever written.
    written: BTreeSet<u64>,
}

impl Model {
    fn may_come(&self, item: u64) -> bool {
        let creator = self.items.get(&item);
        let blocked = |creator: &Option<u64>| creator.is_some_and(|creator| self.blocked.contains(&creator));
        creator.is_some_and(|creator| !blocked(creator)) && !self.hidden.contains(&item)
    }
}

fn step(db: &mut Database, world: &World, model: &mut Model, random: &mut Random) {
    let (item, creator) = (random.below(ITEMS), random.below(CREATORS));
    let name = format!("maker{creator}");
    let relation = |kind, target: tidaldb::Id| Relation { kind, user: "zoe".into(), target };
    match random.below(16) {
        0..4 => {
            let mut entity = Entity::new(item).field("title", format!("Title number{item}x"));
            let by = (random.below(4) > 0).then_some(creator);
            if by.is_some() {
                entity = entity.creator(name);
                model.creators.insert(creator);
            }
            if random.below(3) > 0 {
                entity = entity.embedding("content", [1.0, item as f32, 0.5]);
            }
            db.put(Kind::Item, entity).unwrap();
            model.items.insert(item, by);
            model.written.insert(item);
        }
        4 => {
            assert_eq!(db.delete(Kind::Item, &item.into()).is_ok(), model.items.remove(&item).is_some());
        }
        5 | 6 if model.written.contains(&item) => {
            db.relate(relation(RelationKind::Hide, item.into())).unwrap();
            model.hidden.insert(item);
        }
        7 if model.written.contains(&item) => {
            db.unrelate(relation(RelationKind::Hide, item.into())).unwrap();
            model.hidden.remove(&item);
        }
        8 if model.creators.contains(&creator) => {
            db.relate(relation(RelationKind::Block, name.into())).unwrap();
            model.blocked.insert(creator);
        }
        9 if model.creators.contains(&creator) => {
            db.unrelate(relation(RelationKind::Block, name.into())).unwrap();
            model.blocked.remove(&creator);
        }
        10 if model.creators.contains(&creator) => {
            db.relate(relation(RelationKind::Follow, name.into())).unwrap();
        }
        11 if model.creators.contains(&creator) => {
            // A creator that was removed stays blocked.
            drop(db.delete(Kind::Creator, &name.into()));
        }
        12 => {
            if random.below(2) == 0 {
                db.checkpoint().unwrap();
            }
            world.kill();
            *db = reopen(world);
        }
        13 => drop(db.delete(Kind::User, &"zoe".into())),
        _ if model.items.contains_key(&item) => {
            let user = one_of(random, ["zoe", "ann", "bob"]);
            db.signal(signal(one_of(random, ["view", "like", "skip"]), item, user)).unwrap();
        }
        _ => {}
    }
}

#[track_caller]
fn looked_at(answer: &Answer, model: &Model, seed: Option<u64>, what: &str) {
    for (hit, item) in answer.results.iter().zip(numbers(&crate::ids(answer))) {
        assert!(model.may_come(item), "{what}: {item} must not come");
        let reason = &hit.explain.as_ref().unwrap().reason;
        for other in (0..ITEMS).filter(|other| !model.may_come(*other) && Some(*other) != seed) {
            let named =
                reason.contains(&format!("number{other}x")) || reason.contains(&format!("item {other} "));
            assert!(!named, "{what}: {item} comes with {other} as its reason: {reason}");
            assert!(!reason.ends_with(&format!("item {other}")), "{what}: {reason}");
        }
        for creator in &model.blocked {
            assert!(!reason.contains(&format!("maker{creator}")), "{what}: {reason}");
        }
    }
}

#[test]
fn what_is_hidden_or_blocked_is_in_no_answer_and_no_reason_of_any_life() {
    let mut shown = 0;
    for seed in 0..40 {
        let (mut db, world) = open();
        let mut random = Random(seed);
        let mut model = Model::default();
        for number in 0..90 {
            step(&mut db, &world, &mut model, &mut random);
            if number % 6 != 5 {
                continue;
            }
            for profile in profiles(&db) {
                let mut request = Retrieve::using(&profile).user("zoe").limit(100).explain();
                let mut seed_item = None;
                if profile == "related" {
                    let Some(item) = model.items.keys().next() else { continue };
                    request = request.similar_to(*item);
                    seed_item = Some(*item);
                }
                let answer = db.retrieve(&request).unwrap();
                looked_at(&answer, &model, seed_item, &format!("seed {seed}, step {number}, {profile}"));
                shown += answer.results.len();
                if profile == "new" {
                    let want = model.items.keys().filter(|item| model.may_come(**item)).count();
                    assert_eq!(answer.results.len(), want, "seed {seed}, step {number}: all that may come");
                }
            }
            let answer = db.search(&Search::new("title").user("zoe").limit(100).explain()).unwrap();
            looked_at(&answer, &model, None, &format!("seed {seed}, step {number}, search"));
        }
        db.check().unwrap();
    }
    assert!(shown > 10_000, "only {shown} results were looked at");
}
