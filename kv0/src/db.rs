//! The database handle.

use std::ops::RangeBounds;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kv0_env::Env;

use crate::batch::Batch;
use crate::changes::{Changes, Position};
use crate::check::CheckReport;
use crate::engine::{Engine, Hold};
use crate::entry::{KeyspaceId, StreamId};
use crate::error::{Error, Result};
use crate::options::{Durability, Options};
use crate::snapshot::{Direction, Scan, Snapshot};
use crate::stats::Stats;

/// An open database. Cloning shares it; all methods may be called from any thread. It is closed when this handle, its
/// clones, and all that was made from them are gone, or at [`Db::close`], which also says whether that worked.
///
/// Errors that any call may return, here and on what was made from the handle: `Closed` after [`Db::close`];
/// `Unavailable` if the disk fails or is full; `Corrupt`, naming file and offset, if stored bytes are not what was
/// written; and for calls that change something `Invalid` if the database is open for reading. Further ones are named
/// at each call.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// use kv0::{Batch, Db, Direction, Options};
///
/// let db = Db::open(directory.path(), Options::default())?;
/// let meta = db.keyspace("meta")?;
/// let log = db.stream("log")?;
///
/// let mut batch = Batch::new();
/// batch.put(&meta, "run/1", "started");
/// batch.append(&log, "run 1 started");
/// db.write(batch)?;
///
/// assert_eq!(meta.get("run/1")?.as_deref(), Some(&b"started"[..]));
/// let runs: Vec<_> = meta.scan("run/".."run0", Direction::Ascending)?.collect::<Result<_, _>>()?;
/// assert_eq!(runs.len(), 1);
/// db.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Db {
    engine: Hold,
}

impl Db {
    /// Opens the database in a directory, creating it if there is none.
    ///
    /// # Errors
    /// `Busy`, naming the process, if another one writes it; `Corrupt`, naming file and offset; `Invalid` for options out
    /// of range and for files of a newer format.
    pub fn open(directory: impl AsRef<Path>, options: Options) -> Result<Db> {
        let directory = directory.as_ref();
        let env = kv0_env::local::env(directory)
            .map_err(|error| Error::io("open the directory", &directory.display().to_string(), error))?;
        Db::open_in(env, options)
    }

    /// Opens a database in the root of `env.files`.
    ///
    /// # Errors
    /// As [`Db::open`].
    pub fn open_in(env: Env, options: Options) -> Result<Db> {
        Engine::open(env, options).map(|engine| Db { engine: Hold::new(engine) })
    }

    /// The keyspace of this name, created if there is none.
    ///
    /// # Errors
    /// `Invalid` if the name is empty or too long, or if it does not exist and the database is open for reading.
    pub fn keyspace(&self, name: &str) -> Result<Keyspace> {
        let id = self.engine.keyspace(name)?;
        Ok(Keyspace { engine: self.engine.clone(), id, name: Arc::from(name) })
    }

    /// The stream of this name, created if there is none.
    ///
    /// # Errors
    /// As [`Db::keyspace`].
    pub fn stream(&self, name: &str) -> Result<Stream> {
        let id = self.engine.stream(name)?;
        Ok(Stream { engine: self.engine.clone(), id, name: Arc::from(name) })
    }

    /// Commits a batch at the database's durability and returns its position. An empty batch commits nothing.
    ///
    /// # Errors
    /// `Invalid`: nothing was written. `Unavailable`: nothing was written, or, if the message says that the log failed,
    /// whether it was is known only after reopening.
    pub fn write(&self, batch: Batch) -> Result<Position> {
        self.write_with(batch, self.engine.options.durability)
    }

    /// Commits a batch at a durability of its own.
    ///
    /// # Errors
    /// As [`Db::write`].
    pub fn write_with(&self, batch: Batch, durability: Durability) -> Result<Position> {
        self.engine.commit(batch, durability)
    }

    /// A consistent point, now.
    pub fn snapshot(&self) -> Result<Snapshot> {
        Snapshot::new(&self.engine)
    }

    /// Every commit after `from`, in order: history first, then live. Resume with the position of the last commit seen.
    ///
    /// # Errors
    /// `Trimmed` if the log no longer reaches back to `from`; `Invalid` if `from` is ahead of the newest commit.
    pub fn changes(&self, from: Position) -> Result<Changes> {
        Changes::new(self.engine.clone(), from)
    }

    /// The position after the newest visible commit.
    pub fn position(&self) -> Position {
        Position(self.engine.visible.load(Ordering::Acquire))
    }

    /// The position from which [`Db::changes`] can still start.
    pub fn oldest_position(&self) -> Position {
        Position(self.engine.trimmed.load(Ordering::Acquire))
    }

    /// Makes every commit so far survive a power cut.
    pub fn sync(&self) -> Result<()> {
        self.engine.sync()
    }

    /// Writes the memtable out as a segment.
    pub fn flush(&self) -> Result<()> {
        self.engine.flush()
    }

    /// Reads every stored byte and compares it with its checksum, and every structure with its rules.
    ///
    /// # Errors
    /// Only if the handle is closed; what is damaged is in the report.
    pub fn check(&self) -> Result<CheckReport> {
        self.engine.check()
    }

    /// Sizes and counts, now.
    pub fn stats(&self) -> Result<Stats> {
        self.engine.stats()
    }

    /// Syncs, and ends the handle and all its clones: later calls fail with `Closed`. Closing twice is no error.
    pub fn close(&self) -> Result<()> {
        self.engine.close()
    }
}

/// A named, ordered set of keys. Shares the commit order of its database.
#[derive(Debug, Clone)]
pub struct Keyspace {
    engine: Hold,
    id: KeyspaceId,
    name: Arc<str>,
}

impl Keyspace {
    /// Its number, as the change feed shows it.
    pub fn id(&self) -> KeyspaceId {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn database(&self) -> u64 {
        self.engine.database
    }

    /// The newest value of a key.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Arc<[u8]>>> {
        let (view, version) = self.engine.read_point()?;
        view.get(self.id, key.as_ref(), version)
    }

    /// The newest values of several keys as of one moment, in the order asked.
    pub fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Arc<[u8]>>>> {
        Snapshot::new(&self.engine)?.multi_get(self, keys)
    }

    /// Sets a key.
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<Position> {
        self.commit(|batch| batch.put(self, key, value))
    }

    /// Removes a key.
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<Position> {
        self.commit(|batch| batch.delete(self, key))
    }

    /// Removes every key in `start..end`.
    pub fn delete_range(&self, start: impl AsRef<[u8]>, end: impl AsRef<[u8]>) -> Result<Position> {
        self.commit(|batch| batch.delete_range(self, start, end))
    }

    /// The keys in a range as of now.
    pub fn scan<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>, direction: Direction) -> Result<Scan> {
        Snapshot::new(&self.engine)?.scan(self, range, direction)
    }

    fn commit(&self, fill: impl FnOnce(&mut Batch)) -> Result<Position> {
        let mut batch = Batch::new();
        fill(&mut batch);
        self.engine.commit(batch, self.engine.options.durability)
    }
}

/// A named log of records, kept until trimmed.
#[derive(Debug, Clone)]
pub struct Stream {
    engine: Hold,
    id: StreamId,
    name: Arc<str>,
}

impl Stream {
    /// Its number, as the change feed shows it.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn database(&self) -> u64 {
        self.engine.database
    }

    /// Appends one record.
    pub fn append(&self, record: impl AsRef<[u8]>) -> Result<Position> {
        let mut batch = Batch::new();
        batch.append(self, record);
        self.engine.commit(batch, self.engine.options.durability)
    }

    /// The records of commits after `from` that were not trimmed, in order: history first, then live.
    pub fn records(&self, from: Position) -> Result<Records> {
        let spent = Position(self.engine.stream_trimmed(self.id));
        let changes = Changes::new_kept(self.engine.clone(), from, spent)?;
        Ok(Records { changes, stream: self.id, ready: Vec::new().into_iter(), position: from })
    }

    /// Gives up the records of all commits up to and including `before`. They are not read any more from now on, and
    /// their space is freed with a later flush. Trimming is not undone; trimming less than before changes nothing.
    pub fn trim(&self, before: Position) -> Result<()> {
        self.engine.trim(self.id, before)
    }
}

/// The records of one stream in order. See [`Stream::records`].
#[derive(Debug)]
pub struct Records {
    changes: Changes,
    stream: StreamId,
    ready: std::vec::IntoIter<Arc<[u8]>>,
    position: Position,
}

impl Records {
    /// The next record and the position of its commit, or `None` if there is none for now.
    pub fn next_record(&mut self) -> Result<Option<(Position, Arc<[u8]>)>> {
        loop {
            if let Some(record) = self.ready.next() {
                return Ok(Some((self.position, record)));
            }
            // Chunks without a record that is kept may go before this reader came to them.
            let Some(commit) = self.changes.next_kept()? else { return Ok(None) };
            self.position = commit.position;
            self.ready = commit.records_of(self.stream).collect::<Vec<_>>().into_iter();
        }
    }

    /// Waits until there may be a record to read, at most `timeout`; returns whether there is a new commit.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool> {
        if self.ready.len() > 0 {
            return Ok(true);
        }
        self.changes.wait(timeout)
    }
}
