//! kv0: an embedded ordered key-value store.

mod batch;
mod changes;
mod db;
mod entry;
mod error;
pub mod limits;
mod options;
mod snapshot;

pub use batch::Batch;
pub use changes::{Change, Changes, Commit, Position};
pub use db::{Db, Keyspace, Stream};
pub use entry::{KeyspaceId, StreamId};
pub use error::{Error, ErrorKind, Result};
pub use options::{Durability, Mode, Options};
pub use snapshot::{Direction, Scan, Snapshot};
