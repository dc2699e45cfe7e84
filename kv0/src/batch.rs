//! An atomic group of changes.

use crate::db::{Keyspace, Stream};
use crate::error::{Error, Result};
use crate::lane::body::Operation;
use crate::lane::format::FRAME_HEADER_BYTES;
use crate::limits;

/// Changes that become visible, and survive, together or not at all. Of two changes of one key the later one counts.
///
/// A change over a limit (see [`crate::limits`]), or of a keyspace of another database, makes the commit fail with
/// [`crate::ErrorKind::Invalid`]; nothing of the batch is written then.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Room for the header of the frame, then the operations as the log stores them.
    frame: Vec<u8>,
    operations: usize,
    /// Which database the keyspaces and streams belong to.
    database: Option<u64>,
    /// The first thing that was wrong.
    refused: Option<String>,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch::new()
    }
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch { frame: vec![0; FRAME_HEADER_BYTES], operations: 0, database: None, refused: None }
    }

    /// Sets a key.
    pub fn put(&mut self, keyspace: &Keyspace, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        let (key, value) = (key.as_ref(), value.as_ref());
        if self.fits("key", key, limits::MAX_KEY_BYTES) && self.fits("value", value, limits::MAX_VALUE_BYTES)
        {
            self.push(keyspace.database(), &Operation::Put { keyspace: keyspace.id(), key, value });
        }
    }

    /// Removes a key, whether or not it exists.
    pub fn delete(&mut self, keyspace: &Keyspace, key: impl AsRef<[u8]>) {
        let key = key.as_ref();
        if self.fits("key", key, limits::MAX_KEY_BYTES) {
            self.push(keyspace.database(), &Operation::Delete { keyspace: keyspace.id(), key });
        }
    }

    /// Removes every key in `start..end`; none if `end` is not after `start`.
    pub fn delete_range(&mut self, keyspace: &Keyspace, start: impl AsRef<[u8]>, end: impl AsRef<[u8]>) {
        let (start, end) = (start.as_ref(), end.as_ref());
        if start < end
            && self.fits("start of a range", start, limits::MAX_KEY_BYTES)
            && self.fits("end of a range", end, limits::MAX_KEY_BYTES)
        {
            self.push(keyspace.database(), &Operation::DeleteRange { keyspace: keyspace.id(), start, end });
        }
    }

    /// Appends a record to a stream.
    pub fn append(&mut self, stream: &Stream, record: impl AsRef<[u8]>) {
        let record = record.as_ref();
        if self.fits("record", record, limits::MAX_RECORD_BYTES) {
            self.push(stream.database(), &Operation::Append { stream: stream.id(), record });
        }
    }

    /// How many changes it holds.
    pub fn len(&self) -> usize {
        self.operations
    }

    /// Whether it holds no change.
    pub fn is_empty(&self) -> bool {
        self.operations == 0
    }

    /// The frame for the log of `database`, or what is wrong with the batch.
    pub(crate) fn into_frame(self, database: u64) -> Result<Vec<u8>> {
        if let Some(refused) = self.refused {
            return Err(Error::invalid(refused));
        }
        if self.database.is_some_and(|of| of != database) {
            return Err(Error::invalid("the batch holds a keyspace or stream of another database"));
        }
        Ok(self.frame)
    }

    fn fits(&mut self, what: &str, bytes: &[u8], most: usize) -> bool {
        if bytes.len() > most {
            self.refuse(format!("a {what} of {} bytes is over the limit of {most} bytes", bytes.len()));
        }
        self.refused.is_none()
    }

    fn push(&mut self, database: u64, operation: &Operation<'_>) {
        if self.database.is_some_and(|of| of != database) {
            return self.refuse("the batch holds keyspaces or streams of two databases".to_owned());
        }
        self.database = Some(database);
        operation.encode(&mut self.frame);
        self.operations += 1;
        if self.operations > limits::MAX_BATCH_OPERATIONS {
            let most = limits::MAX_BATCH_OPERATIONS;
            self.refuse(format!("a batch holds at most {most} changes"));
        }
        if self.frame.len() > FRAME_HEADER_BYTES + limits::MAX_BATCH_BYTES {
            let most = limits::MAX_BATCH_BYTES;
            self.refuse(format!("a batch holds at most {most} bytes in its stored form"));
        }
    }

    fn refuse(&mut self, why: String) {
        self.refused.get_or_insert(why);
        // What follows is not kept: the commit will fail.
        self.frame = Vec::new();
        self.operations = 0;
    }
}
