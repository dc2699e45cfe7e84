//! The operations of one commit, as a batch collects them and a frame holds them.

use crate::encoding::Input;
use crate::entry::{KeyspaceId, StreamId};
use crate::limits;

const PUT: u8 = 1;
const DELETE: u8 = 2;
const DELETE_RANGE: u8 = 3;
const APPEND: u8 = 4;

/// One operation, its bytes borrowed from the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation<'a> {
    Put { keyspace: KeyspaceId, key: &'a [u8], value: &'a [u8] },
    Delete { keyspace: KeyspaceId, key: &'a [u8] },
    DeleteRange { keyspace: KeyspaceId, start: &'a [u8], end: &'a [u8] },
    Append { stream: StreamId, record: &'a [u8] },
}

impl Operation<'_> {
    /// Appends the stored form. The caller has checked the lengths against `limits`.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Operation::Put { keyspace, key, value } => {
                head(out, PUT, keyspace.0);
                length(out, key);
                length(out, value);
                out.extend_from_slice(key);
                out.extend_from_slice(value);
            }
            Operation::Delete { keyspace, key } => {
                head(out, DELETE, keyspace.0);
                length(out, key);
                out.extend_from_slice(key);
            }
            Operation::DeleteRange { keyspace, start, end } => {
                head(out, DELETE_RANGE, keyspace.0);
                length(out, start);
                length(out, end);
                out.extend_from_slice(start);
                out.extend_from_slice(end);
            }
            Operation::Append { stream, record } => {
                head(out, APPEND, stream.0);
                length(out, record);
                out.extend_from_slice(record);
            }
        }
    }
}

fn head(out: &mut Vec<u8>, kind: u8, id: u32) {
    out.push(kind);
    out.extend_from_slice(&id.to_le_bytes());
}

fn length(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("lengths are checked against the limits before");
    out.extend_from_slice(&length.to_le_bytes());
}

/// The operations in the body of a frame, in order. Any bytes are safe to hand in; the first thing that is not an
/// operation ends the iteration with an error text.
#[derive(Debug, Clone)]
pub(crate) struct Operations<'a> {
    body: Input<'a>,
    failed: bool,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(body: &'a [u8]) -> Operations<'a> {
        Operations { body: Input::new(body), failed: false }
    }

    fn read(&mut self) -> Option<Operation<'a>> {
        let kind = self.body.u8().ok()?;
        let id = self.body.u32().ok()?;
        match kind {
            PUT => {
                let (key, value) =
                    (self.bounded(limits::MAX_KEY_BYTES)?, self.bounded(limits::MAX_VALUE_BYTES)?);
                Some(Operation::Put {
                    keyspace: KeyspaceId(id),
                    key: self.take(key)?,
                    value: self.take(value)?,
                })
            }
            DELETE => {
                let key = self.bounded(limits::MAX_KEY_BYTES)?;
                Some(Operation::Delete { keyspace: KeyspaceId(id), key: self.take(key)? })
            }
            DELETE_RANGE => {
                let (start, end) =
                    (self.bounded(limits::MAX_KEY_BYTES)?, self.bounded(limits::MAX_KEY_BYTES)?);
                Some(Operation::DeleteRange {
                    keyspace: KeyspaceId(id),
                    start: self.take(start)?,
                    end: self.take(end)?,
                })
            }
            APPEND => {
                let record = self.bounded(limits::MAX_RECORD_BYTES)?;
                Some(Operation::Append { stream: StreamId(id), record: self.take(record)? })
            }
            _ => None,
        }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.body.bytes(count).ok()
    }

    fn bounded(&mut self, most: usize) -> Option<usize> {
        let length = self.body.u32().ok()? as usize;
        (length <= most).then_some(length)
    }
}

impl<'a> Iterator for Operations<'a> {
    type Item = Result<Operation<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.body.is_empty() {
            return None;
        }
        let start = self.body.position();
        match self.read() {
            Some(operation) => Some(Ok(operation)),
            None => {
                self.failed = true;
                Some(Err(format!("byte {start} of the commit is not an operation")))
            }
        }
    }
}
