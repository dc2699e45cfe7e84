//! The database in kv0: its keyspaces and its stream.

use kv0::{Db, Durability, Keyspace, KeyspaceId, Stream};
use kv0_env::Env;

use crate::error::Result;
use crate::id::Kind;
use crate::keys;

/// Where everything is stored.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) db: Db,
    pub(crate) meta: Keyspace,
    entities: [Keyspace; 3],
    pub(crate) relations: Keyspace,
    pub(crate) idempotency: Keyspace,
    pub(crate) events: Stream,
}

impl Store {
    /// Opens the store in the root of `env.files`.
    pub(crate) fn open(env: Env, durable: bool) -> Result<Store> {
        let durability = if durable { Durability::Disk } else { Durability::Os };
        let db = Db::open_in(env, kv0::Options { durability, ..kv0::Options::default() })?;
        let entities = |kind| db.keyspace(keys::keyspace_of(kind));
        Ok(Store {
            meta: db.keyspace(keys::META)?,
            entities: [entities(Kind::Item)?, entities(Kind::User)?, entities(Kind::Creator)?],
            relations: db.keyspace(keys::RELATIONS)?,
            idempotency: db.keyspace(keys::IDEMPOTENCY)?,
            events: db.stream(keys::EVENTS)?,
            db,
        })
    }

    pub(crate) fn entities(&self, kind: Kind) -> &Keyspace {
        &self.entities[kind as usize]
    }

    /// The kind whose entities a keyspace holds.
    pub(crate) fn kind_of(&self, keyspace: KeyspaceId) -> Option<Kind> {
        [Kind::Item, Kind::User, Kind::Creator].into_iter().find(|kind| self.entities(*kind).id() == keyspace)
    }
}
