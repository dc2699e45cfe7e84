//! The state that all handles of an open database share.
//!
//! Locks, in the order in which they may be taken: `manifest`, `log`, the mutex of `flushed`, and then one of `view`,
//! `flusher`, `arrivals`, `lock` and the state of `sync_group`, under which no other is taken. Reading takes only
//! `view`, for as long as it takes to clone an `Arc`; nothing does I/O while holding one of the last five.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kv0_env::{Env, FileLock, TurnHandle};
use parking_lot::{Condvar, Mutex, RwLock};

use crate::cache::Cache;
use crate::entry::Version;
use crate::error::{Error, ErrorKind, Result};
use crate::lane::LaneWriter;
use crate::manifest::ManifestStore;
use crate::memtable::Memtable;
use crate::options::{Mode, Options};
use crate::read_path::ReadView;
use crate::write_path::SyncGroup;

/// An open database.
pub(crate) struct Engine {
    pub(crate) env: Env,
    pub(crate) options: Options,
    /// Random number of the database; batches are checked against it.
    pub(crate) database: u64,
    pub(crate) cache: Arc<Cache>,
    pub(crate) manifest: Mutex<ManifestStore>,
    pub(crate) log: Mutex<Log>,
    /// What reads see. Replaced as a whole, never changed in place.
    pub(crate) view: RwLock<Arc<ReadView>>,
    /// Sequence of the newest commit that reads may see. Stored after the commit is in the memtable.
    pub(crate) visible: AtomicU64,
    /// Changes up to this sequence may be gone.
    pub(crate) trimmed: AtomicU64,
    pub(crate) sync_group: SyncGroup,
    /// Signalled, with its mutex held for a moment, after every commit and at the end.
    pub(crate) arrivals: (Mutex<()>, Condvar),
    /// Signalled after every flush, successful or not.
    pub(crate) flushed: (Mutex<()>, Condvar),
    pub(crate) closed: AtomicBool,
    /// Why the log takes no more commits.
    pub(crate) poison: OnceLock<String>,
    pub(crate) flusher: Mutex<Option<Box<dyn TurnHandle>>>,
    /// Held for as long as the database is open for writing.
    pub(crate) lock: Mutex<Option<Box<dyn FileLock>>>,
}

/// The writing end of the log. The one place where the commit order is made.
#[derive(Debug)]
pub(crate) struct Log {
    /// Which lane it is.
    pub(crate) lane: u64,
    /// `None` if the database is open for reading only.
    pub(crate) writer: Option<LaneWriter>,
    /// Sequence of the newest commit.
    pub(crate) sequence: u64,
    /// Takes the commits; the newest memtable of the view.
    pub(crate) memtable: Arc<Memtable>,
    /// Bytes of commits that are in no segment and in no frozen memtable.
    pub(crate) unflushed_bytes: usize,
    /// Newest commit before the last memtable was frozen.
    pub(crate) frozen_sequence: u64,
    /// The chunks that exist, oldest first. The last one grows.
    pub(crate) chunks: Vec<Chunk>,
    /// Whether something was committed since the last marker.
    pub(crate) marked: bool,
}

/// A chunk of the log that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) number: u64,
    pub(crate) first_sequence: u64,
    /// Final for all but the last chunk; for that one, what is published.
    pub(crate) bytes: u64,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("files", &self.env.files.describe()).finish_non_exhaustive()
    }
}

impl Engine {
    /// What reads see now: the view, and the newest commit in it.
    ///
    /// The sequence is read while the view is held: a newer view could lack versions that were flushed over, an older
    /// one could lack commits.
    pub(crate) fn read_point(&self) -> Result<(Arc<ReadView>, Version)> {
        self.check_open()?;
        let view = self.view.read();
        let version = Version(self.visible.load(Ordering::Acquire));
        Ok((Arc::clone(&view), version))
    }

    /// Refuses the call if the handle was closed.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::Closed, "the database was closed"));
        }
        Ok(())
    }

    /// Refuses the call unless the database may be written.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.check_open()?;
        if self.options.mode == Mode::Read {
            return Err(Error::invalid(
                "the database was opened for reading: open it with Mode::Exclusive to write",
            ));
        }
        self.check_poison()
    }

    pub(crate) fn check_poison(&self) -> Result<()> {
        match self.poison.get() {
            None => Ok(()),
            Some(why) => Err(Error::new(
                ErrorKind::Unavailable,
                format!("the log failed and takes no more commits until the database is reopened: {why}"),
            )),
        }
    }

    /// Stops all commits for good: what is durable is no longer known. Returns the error for the caller, which says so.
    pub(crate) fn set_poison(&self, why: Error) -> Error {
        self.poison.get_or_init(|| why.to_string());
        self.check_poison().err().unwrap_or(why)
    }

    /// Wakes whoever waits for commits.
    pub(crate) fn announce(&self) {
        drop(self.arrivals.0.lock());
        self.arrivals.1.notify_all();
    }

    /// Wakes whoever waits for a flush.
    pub(crate) fn announce_flush(&self) {
        drop(self.flushed.0.lock());
        self.flushed.1.notify_all();
    }

    /// Syncs, says so in the log, and ends the handle. The lock goes last.
    pub(crate) fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.announce();
        // Ends the flusher and waits for its turn. Its lock is not held meanwhile: the turn, or a writer that the turn
        // waits for, may ask for it.
        let flusher = self.flusher.lock().take();
        drop(flusher);
        // Who waits for the flusher would wait for ever.
        self.announce_flush();
        // Waits for a change of the manifest that another thread began. None begins from here on: each looks at
        // `closed` under this lock, and the files are somebody else's once the lock of the database is gone.
        let _manifest = self.manifest.lock();
        let result = self.check_poison().and_then(|()| self.seal_log());
        self.lock.lock().take();
        result
    }

    fn seal_log(&self) -> Result<()> {
        let mut log = self.log.lock();
        let sequence = log.sequence;
        let marked = log.marked;
        let Some(writer) = &mut log.writer else { return Ok(()) };
        writer.sync()?;
        if !marked {
            writer.append_marker(sequence)?;
            writer.sync()?;
            log.marked = true;
        }
        Ok(())
    }
}

/// The hold of the public handles on the engine. When the last of them goes, the database is closed, by the thread that
/// lets go: background work holds the engine itself for the length of a turn, and must not keep the database open.
#[derive(Debug, Clone)]
pub(crate) struct Hold(Arc<CloseAtEnd>);

#[derive(Debug)]
struct CloseAtEnd(Arc<Engine>);

impl Hold {
    pub(crate) fn new(engine: Arc<Engine>) -> Hold {
        Hold(Arc::new(CloseAtEnd(engine)))
    }
}

impl Deref for Hold {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.0.0
    }
}

impl Drop for CloseAtEnd {
    fn drop(&mut self) {
        // Whoever wants to know whether the last sync worked calls `close`. No acknowledged commit depends on it.
        drop(self.0.close());
    }
}
