//! The engine through its public interface.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod beside;
mod changes;
mod damage;
mod durability;
mod faults;
mod fixtures;
mod reading;
mod refusals;
mod threads;

use std::sync::Arc;

use kv0::{Db, Options};
use kv0_env::memory::{self, World};

/// A database in a world in memory.
fn open() -> (Db, World) {
    let (env, world) = memory::env(1);
    (Db::open_in(env, Options::default()).unwrap(), world)
}

/// The next process of a world.
fn reopen(world: &World) -> kv0::Result<Db> {
    Db::open_in(world.env(), Options::default())
}

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn pairs(scan: kv0::Scan) -> Pairs {
    scan.map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())))
        .collect::<Result<_, _>>()
        .unwrap()
}

fn text(value: Option<Arc<[u8]>>) -> Option<String> {
    value.map(|value| String::from_utf8(value.to_vec()).unwrap())
}
