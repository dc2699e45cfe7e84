//! The database through its public interface.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod concurrency;
mod crash;
mod extremes;
mod failures;
mod feeds;
mod privacy;
mod refusals;
mod stress;
mod writes;

use kv0_env::memory::{self, World};
use tidaldb::{Answer, Database, Entity, Id, Kind, Options, Retrieve, Schema, Signal};

const SCHEMA: &str = "
items:
  fields:
    title: text
    category: keyword
    tags: tags
    year: int
    price: float
    published: timestamp
  embeddings:
    content: {dimension: 3, metric: cosine}
creators:
  fields: {name: text}
users:
  fields: {age: int}
signals:
  view: {on: item, half_life: 7d, seen: true, interest: 0.1, affinity: 1}
  like: {on: item, half_life: 30d, liked: true, interest: 1.0, affinity: 3}
  skip: {on: item, half_life: 7d, interest: -0.5, negative: true}
  visit: {on: creator, half_life: 7d}
";

fn schema() -> Schema {
    Schema::parse(SCHEMA).unwrap()
}

/// A database in a world in memory, at a clock that the test moves.
fn open() -> (Database, World) {
    let (env, world) = memory::env(1);
    (Database::open_in(env, schema(), Options::default()).unwrap(), world)
}

/// The next process of a world.
fn reopen(world: &World) -> Database {
    Database::open_in(world.env(), schema(), Options::default()).unwrap()
}

/// Items 0 to 9 by creators c0 and c1, half in each of two directions of the embedding space.
fn fill(db: &Database) {
    for number in 0..10_u64 {
        let direction =
            if number % 2 == 0 { [1.0, 0.1 * number as f32, 0.0] } else { [0.0, 0.1 * number as f32, 1.0] };
        let item = Entity::new(number)
            .creator(format!("c{}", number % 2))
            .field("title", format!("Title number{number} {}", if number % 2 == 0 { "jazz" } else { "rock" }))
            .field("category", if number < 5 { "early" } else { "late" })
            .field("year", 1990 + i64::try_from(number).unwrap())
            .embedding("content", direction);
        db.put(Kind::Item, item).unwrap();
    }
}

/// The profiles that a retrieve takes. The one that is left out finds items by words.
fn profiles(db: &Database) -> Vec<String> {
    db.profiles().into_iter().filter(|profile| profile != "search").collect()
}

fn ids(answer: &Answer) -> Vec<Id> {
    answer.results.iter().map(|hit| hit.id.clone()).collect()
}

fn feed(db: &Database, profile: &str, user: &str) -> Vec<Id> {
    ids(&db.retrieve(&Retrieve::using(profile).user(user).limit(100)).unwrap())
}

fn numbers(ids: &[Id]) -> Vec<u64> {
    ids.iter()
        .map(|id| match id {
            Id::Number(number) => *number,
            Id::Text(text) => panic!("the items have numbers, this is {text}"),
        })
        .collect()
}

fn signal(name: &str, item: u64, user: &str) -> Signal {
    Signal::new(name, item).by(user)
}
