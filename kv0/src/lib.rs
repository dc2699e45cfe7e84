//! Placeholder.
mod cache;
mod edge;
mod entry;
mod error;
pub mod limits;
mod memtable;
mod read_path;
mod segment;
mod tombstones;
pub use edge::Direction;
pub use error::{Error, ErrorKind, Result};
