//! kv0: an embedded ordered key-value store.

mod batch;
mod cache;
mod changes;
mod check;
mod db;
mod edge;
mod encoding;
mod engine;
mod entry;
mod error;
mod files;
mod flush;
mod gc;
mod lane;
pub mod limits;
mod manifest;
mod memtable;
mod moment;
mod names;
mod options;
mod read_path;
mod recovery;
mod segment;
mod snapshot;
mod stats;
mod tombstones;
mod write_path;

pub use batch::Batch;
pub use changes::{Change, Changes, Commit, Position};
pub use check::CheckReport;
pub use db::{Db, Keyspace, Records, Stream};
pub use entry::{KeyspaceId, StreamId};
pub use error::{Error, ErrorKind, Result};
pub use options::{Durability, Mode, Options};
pub use snapshot::{Direction, Pair, Scan, Snapshot};
pub use stats::Stats;
