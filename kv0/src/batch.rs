//! An atomic group of changes.

use crate::db::{Keyspace, Stream};

/// Changes that become visible, and survive, together or not at all. Of two changes of one key the later one counts.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    _operations: Vec<u8>,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Sets a key.
    pub fn put(&mut self, keyspace: &Keyspace, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        let _ = (keyspace, key.as_ref(), value.as_ref());
        unimplemented!()
    }

    /// Removes a key, whether or not it exists.
    pub fn delete(&mut self, keyspace: &Keyspace, key: impl AsRef<[u8]>) {
        let _ = (keyspace, key.as_ref());
        unimplemented!()
    }

    /// Removes every key in `start..end`.
    pub fn delete_range(&mut self, keyspace: &Keyspace, start: impl AsRef<[u8]>, end: impl AsRef<[u8]>) {
        let _ = (keyspace, start.as_ref(), end.as_ref());
        unimplemented!()
    }

    /// Appends a record to a stream.
    pub fn append(&mut self, stream: &Stream, record: impl AsRef<[u8]>) {
        let _ = (stream, record.as_ref());
        unimplemented!()
    }

    /// Whether it holds no change.
    pub fn is_empty(&self) -> bool {
        self._operations.is_empty()
    }
}
