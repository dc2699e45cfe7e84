//! kv0: an embedded ordered key-value store.

mod batch;
mod cache;
mod changes;
mod db;
mod edge;
mod entry;
mod error;
pub mod limits;
mod memtable;
mod options;
mod read_path;
mod segment;
mod snapshot;
mod tombstones;

pub use batch::Batch;
pub use changes::{Change, Changes, Commit, Position};
pub use db::{Db, Keyspace, Stream};
pub use entry::{KeyspaceId, StreamId};
pub use error::{Error, ErrorKind, Result};
pub use options::{Durability, Mode, Options};
pub use snapshot::{Direction, Scan, Snapshot};
