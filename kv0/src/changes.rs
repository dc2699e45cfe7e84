//! The change feed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::engine::{Engine, Hold};
use crate::entry::{KeyspaceId, StreamId};
use crate::error::{Error, ErrorKind, Result};
use crate::lane::body::{Operation, Operations};
use crate::lane::format::FrameKind;
use crate::lane::{ChunkReader, Frame, chunk_path};
use crate::manifest::ManifestStore;
use crate::options::Mode;
use crate::recovery::look_beside_a_writer;

/// A place between two commits: after the commit that has this number. Ordered; [`Position::START`] is before all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

impl Position {
    /// Before the first commit.
    pub const START: Position = Position(0);
}

/// One commit as the change feed shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The position right after this commit: resume from here to get the next.
    pub position: Position,
    /// Its changes, in the order in which the batch had them.
    pub changes: Vec<Change>,
}

impl Commit {
    /// The records that the commit appended to a stream, in order.
    pub fn records_of(&self, stream: StreamId) -> impl Iterator<Item = Arc<[u8]>> + '_ {
        self.changes.iter().filter_map(move |change| match change {
            Change::Append { stream: to, record } if *to == stream => Some(Arc::clone(record)),
            _ => None,
        })
    }
}

/// One change of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A key was set.
    Put {
        /// Where.
        keyspace: KeyspaceId,
        /// The key.
        key: Arc<[u8]>,
        /// Its new value.
        value: Arc<[u8]>,
    },
    /// A key was removed.
    Delete {
        /// Where.
        keyspace: KeyspaceId,
        /// The key.
        key: Arc<[u8]>,
    },
    /// The keys in `start..end` were removed.
    DeleteRange {
        /// Where.
        keyspace: KeyspaceId,
        /// First key of the range.
        start: Arc<[u8]>,
        /// First key after the range.
        end: Arc<[u8]>,
    },
    /// A record was appended to a stream.
    Append {
        /// Which stream.
        stream: StreamId,
        /// The record.
        record: Arc<[u8]>,
    },
}

/// Commits in order, history first, then live. See [`crate::Db::changes`].
#[derive(Debug)]
pub struct Changes {
    engine: Hold,
    position: Position,
    /// The chunk that the last commit came from.
    reader: Option<(u64, ChunkReader)>,
}

impl Changes {
    pub(crate) fn new(engine: Hold, from: Position) -> Result<Changes> {
        let changes = Changes::new_kept(engine, from, from)?;
        changes.check_kept()?;
        Ok(changes)
    }

    /// For a reader that goes on with [`Changes::next_kept`]: `from` may lie in what was collected. Nothing up to `spent`
    /// is read.
    pub(crate) fn new_kept(engine: Hold, from: Position, spent: Position) -> Result<Changes> {
        engine.check_open()?;
        let newest = engine.visible.load(Ordering::Acquire);
        if from.0 > newest {
            let from = from.0;
            return Err(Error::invalid(format!(
                "position {from} is after the newest commit, which has {newest}"
            )));
        }
        Ok(Changes { engine, position: from.max(spent), reader: None })
    }

    /// The next commit, or `None` if the reader has seen every commit so far; a later call may find more.
    ///
    /// # Errors
    /// `Trimmed` if the log no longer reaches back to this position; `Corrupt`; `Closed`.
    pub fn next_commit(&mut self) -> Result<Option<Commit>> {
        self.engine.check_open()?;
        while self.position.0 < self.engine.visible.load(Ordering::Acquire) {
            if let Some(commit) = self.read_next()? {
                self.position = commit.position;
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    /// As [`Changes::next_commit`], but goes on behind what was collected instead of failing with `Trimmed`.
    pub(crate) fn next_kept(&mut self) -> Result<Option<Commit>> {
        loop {
            let trimmed = self.engine.trimmed.load(Ordering::Acquire);
            self.position = self.position.max(Position(trimmed));
            match self.next_commit() {
                Err(error) if error.kind() == ErrorKind::Trimmed => {}
                other => return other,
            }
        }
    }

    /// Waits until there is a commit to read, at most `timeout`; returns whether there is.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool> {
        let mut guard = self.engine.arrivals.0.lock();
        let has_more =
            |changes: &Changes| changes.position.0 < changes.engine.visible.load(Ordering::Acquire);
        if !has_more(self) && self.engine.check_open().is_ok() {
            self.engine.arrivals.1.wait_for(&mut guard, timeout);
        }
        drop(guard);
        self.engine.check_open()?;
        Ok(has_more(self))
    }

    /// The position after the last commit that was returned.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Reads on in the current chunk, or goes to the next one and returns `None`.
    fn read_next(&mut self) -> Result<Option<Commit>> {
        let wanted = self.position.0 + 1;
        let (lane, chunk) = {
            let log = self.engine.log.lock();
            // The last chunk that can hold the wanted commit.
            let index = log.chunks.partition_point(|chunk| chunk.first_sequence <= wanted);
            let chunk = *log.chunks.get(index.saturating_sub(1)).expect("a log with commits has a chunk");
            (log.lane, chunk)
        };
        // After the look at the list, not before: collection says up to where it goes before it takes chunks off the
        // list, so a list without the wanted commit is never taken for one that begins with the next.
        self.check_kept()?;
        let is_open = self.reader.as_ref().is_some_and(|(number, _)| *number == chunk.number);
        if !is_open {
            let path = chunk_path(lane, chunk.number);
            // Collected between the look at the list and now: then the next check says so.
            let reader = match ChunkReader::open(&*self.engine.env.files, &path, Some(chunk.bytes)) {
                Ok(reader) => reader,
                Err(error) => {
                    self.engine.refresh_trimmed()?;
                    return self.check_kept().and(Err(error));
                }
            };
            self.reader = Some((chunk.number, reader));
        }
        let (_, reader) = self.reader.as_mut().expect("it was opened above");
        reader.set_limit(chunk.bytes);
        let path = reader.path().to_owned();
        while let Some(frame) = reader.next_frame()? {
            if frame.header.kind == FrameKind::Commit && frame.header.sequence > self.position.0 {
                return decode(&frame, &path).map(Some);
            }
        }
        let what = format!("expected commit {wanted}, found bytes that fail their checksum");
        Err(Error::corrupt(&path, reader.offset(), what))
    }

    fn check_kept(&self) -> Result<()> {
        let (position, trimmed) = (self.position.0, self.engine.trimmed.load(Ordering::Acquire));
        if position < trimmed {
            let what = format!(
                "the log no longer holds what follows position {position}: it begins after {trimmed}; start over from a \
                 snapshot and the changes after its position"
            );
            return Err(Error::new(ErrorKind::Trimmed, what));
        }
        Ok(())
    }
}

impl Engine {
    /// A handle for reading learns from the manifest in force that the writer beside it has removed chunks.
    pub(crate) fn refresh_trimmed(&self) -> Result<()> {
        if self.options.mode == Mode::Read
            && let Some(store) = look_beside_a_writer(|| ManifestStore::load(&self.env.files))?
        {
            self.trimmed.fetch_max(store.manifest().trimmed, Ordering::AcqRel);
        }
        Ok(())
    }
}

fn decode(frame: &Frame<'_>, path: &str) -> Result<Commit> {
    let mut changes = Vec::new();
    for operation in Operations::new(frame.body) {
        let operation = operation.map_err(|what| Error::corrupt(path, frame.offset, what))?;
        changes.push(match operation {
            Operation::Put { keyspace, key, value } => {
                Change::Put { keyspace, key: Arc::from(key), value: Arc::from(value) }
            }
            Operation::Delete { keyspace, key } => Change::Delete { keyspace, key: Arc::from(key) },
            Operation::DeleteRange { keyspace, start, end } => {
                Change::DeleteRange { keyspace, start: Arc::from(start), end: Arc::from(end) }
            }
            Operation::Append { stream, record } => Change::Append { stream, record: Arc::from(record) },
        });
    }
    Ok(Commit { position: Position(frame.header.sequence), changes })
}
