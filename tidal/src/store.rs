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
    /// Whether a write waits for the disk.
    durable: bool,
}

impl Store {
    /// Opens the store in the root of `env.files`.
    pub(crate) fn open(env: Env, durable: bool) -> Result<Store> {
        let options = kv0::Options { durability: Durability::Os, ..kv0::Options::default() };
        let db = Db::open_in(env, options)?;
        let entities = |kind| db.keyspace(keys::keyspace_of(kind));
        Ok(Store {
            meta: db.keyspace(keys::META)?,
            entities: [entities(Kind::Item)?, entities(Kind::User)?, entities(Kind::Creator)?],
            relations: db.keyspace(keys::RELATIONS)?,
            idempotency: db.keyspace(keys::IDEMPOTENCY)?,
            events: db.stream(keys::EVENTS)?,
            durable,
            db,
        })
    }

    /// Commits, so that it survives the end of the process, and returns the position after it.
    pub(crate) fn commit(&self, batch: kv0::Batch) -> Result<u64> {
        Ok(self.db.write(batch)?.0)
    }

    /// Makes all commits survive a power cut, if that was asked for.
    ///
    /// # Errors
    /// `Unavailable`: whether they do is known after the database was reopened, and until then nothing is written.
    pub(crate) fn make_durable(&self) -> Result<()> {
        if self.durable {
            self.db.sync()?;
        }
        Ok(())
    }

    pub(crate) fn entities(&self, kind: Kind) -> &Keyspace {
        &self.entities[kind as usize]
    }

    /// The kind whose entities a keyspace holds.
    pub(crate) fn kind_of(&self, keyspace: KeyspaceId) -> Option<Kind> {
        [Kind::Item, Kind::User, Kind::Creator].into_iter().find(|kind| self.entities(*kind).id() == keyspace)
    }
}
