//! The database handle.

use std::ops::RangeBounds;
use std::path::Path;
use std::sync::Arc;

use kv0_env::Env;

use crate::batch::Batch;
use crate::changes::{Changes, Position};
use crate::entry::{KeyspaceId, StreamId};
use crate::error::Result;
use crate::options::{Durability, Options};
use crate::snapshot::{Direction, Scan, Snapshot};

/// An open database. Cloning shares it; all methods may be called from any thread.
#[derive(Debug, Clone)]
pub struct Db;

impl Db {
    /// Opens the database in a directory, creating it if there is none.
    pub fn open(directory: impl AsRef<Path>, options: Options) -> Result<Db> {
        let _ = (directory.as_ref(), options);
        unimplemented!()
    }

    /// Opens a database in the root of `env.files`.
    pub fn open_in(env: Env, options: Options) -> Result<Db> {
        let _ = (env, options);
        unimplemented!()
    }

    /// The keyspace of this name, created if there is none.
    pub fn keyspace(&self, name: &str) -> Result<Keyspace> {
        let _ = name;
        unimplemented!()
    }

    /// The stream of this name, created if there is none.
    pub fn stream(&self, name: &str) -> Result<Stream> {
        let _ = name;
        unimplemented!()
    }

    /// Commits a batch at the database's durability and returns its position.
    pub fn write(&self, batch: Batch) -> Result<Position> {
        let _ = batch;
        unimplemented!()
    }

    /// Commits a batch at a durability of its own.
    pub fn write_with(&self, batch: Batch, durability: Durability) -> Result<Position> {
        let _ = (batch, durability);
        unimplemented!()
    }

    /// A consistent point, now.
    pub fn snapshot(&self) -> Result<Snapshot> {
        unimplemented!()
    }

    /// Every commit after `from`, in order: history first, then live.
    pub fn changes(&self, from: Position) -> Result<Changes> {
        let _ = from;
        unimplemented!()
    }

    /// The position after the newest visible commit.
    pub fn position(&self) -> Position {
        unimplemented!()
    }

    /// The position from which [`Db::changes`] can still start.
    pub fn oldest_position(&self) -> Position {
        unimplemented!()
    }

    /// Makes every commit so far survive a power cut.
    pub fn sync(&self) -> Result<()> {
        unimplemented!()
    }

    /// Writes the memtable out as a segment.
    pub fn flush(&self) -> Result<()> {
        unimplemented!()
    }

    /// Syncs, and ends the handle and all its clones: later calls fail with `Closed`.
    pub fn close(&self) -> Result<()> {
        unimplemented!()
    }
}

/// A named, ordered set of keys. Shares the commit order of its database.
#[derive(Debug, Clone)]
pub struct Keyspace;

impl Keyspace {
    /// Its number, as the change feed shows it.
    pub fn id(&self) -> KeyspaceId {
        unimplemented!()
    }

    /// The newest value of a key.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Arc<[u8]>>> {
        let _ = key.as_ref();
        unimplemented!()
    }

    /// Sets a key.
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<Position> {
        let _ = (key.as_ref(), value.as_ref());
        unimplemented!()
    }

    /// Removes a key.
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<Position> {
        let _ = key.as_ref();
        unimplemented!()
    }

    /// The keys in a range as of now.
    pub fn scan<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>, direction: Direction) -> Result<Scan> {
        let _ = (range.start_bound(), direction);
        unimplemented!()
    }
}

/// A named log of records, kept until trimmed.
#[derive(Debug, Clone)]
pub struct Stream;

impl Stream {
    /// Its number, as the change feed shows it.
    pub fn id(&self) -> StreamId {
        unimplemented!()
    }

    /// Appends one record.
    pub fn append(&self, record: impl AsRef<[u8]>) -> Result<Position> {
        let _ = record.as_ref();
        unimplemented!()
    }
}
