//! Writing a full memtable out as a segment.
//!
//! 1. The frozen memtable's newest version of every key goes into a new segment file, which is synced.
//! 2. One change of the manifest adds the segment and says that the log up to here need not be replayed.
//! 3. The view gets the segment in place of the memtable.
//!
//! Older versions are not written: a snapshot that needs them holds the view, and so the memtable, that it was taken of.
//! The log was synced when the memtable was frozen, so a segment never holds part of a commit that the log could lose.

use std::sync::Arc;
use std::sync::Weak;
use std::time::Duration;

use kv0_env::{Background, Turn};

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::files::remove_left_over;
use crate::manifest::LeveledSegment;
use crate::memtable::Memtable;
use crate::read_path::ReadView;
use crate::segment::{Segment, SegmentInfo, SegmentWriter, segment_path};

/// How long a failed flush waits before it is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Flushes frozen memtables when it is given turns.
pub(crate) struct Flusher(pub(crate) Weak<Engine>);

impl Background for Flusher {
    fn turn(&mut self) -> Turn {
        let Some(engine) = self.0.upgrade() else { return Turn::Done };
        let result = engine.flush_frozen();
        engine.announce_flush();
        match result {
            Ok(true) => Turn::Again,
            Ok(false) => Turn::Idle,
            Err(_) => Turn::IdleFor(RETRY),
        }
    }
}

impl Drop for Flusher {
    /// Who gives the turns lets the work go when the database is closed, or when a turn panicked: then nobody flushes any
    /// more, and whoever waits for it must learn that.
    fn drop(&mut self) {
        let Some(engine) = self.0.upgrade() else { return };
        if engine.check_open().is_ok() {
            let what = "nobody writes out full memtables any more: the background work ended before its time";
            drop(engine.set_poison(Error::new(ErrorKind::Unavailable, what)));
            engine.announce_flush();
        }
    }
}

impl Engine {
    /// Writes everything committed so far out to segments.
    pub(crate) fn flush(&self) -> Result<()> {
        self.check_writable()?;
        loop {
            // What was frozen before goes first.
            while self.flush_frozen()? {}
            let mut log = self.log.lock();
            if log.unflushed_bytes == 0 {
                return Ok(());
            }
            if self.view.read().memtables().len() == 1 {
                self.freeze(&mut log)?;
                drop(log);
                while self.flush_frozen()? {}
                return Ok(());
            }
        }
    }

    pub(crate) fn wake_flusher(&self) {
        if let Some(flusher) = &*self.flusher.lock() {
            flusher.wake();
        }
    }

    /// Waits for the flush that is due, or does it here if nobody else will.
    pub(crate) fn wait_for_flush(&self) -> Result<()> {
        if !self.env.turns.runs_by_itself() {
            return self.flush_frozen().map(|_| ());
        }
        let mut waiting = self.flushed.0.lock();
        if self.view.read().memtables().len() < 2 {
            return Ok(());
        }
        // Closing says so and then wakes all who wait: after this look, under the lock, that wake is not missed.
        self.check_open()?;
        self.wake_flusher();
        self.flushed.1.wait(&mut waiting);
        drop(waiting);
        self.check_writable()?;
        // If the flush failed, try here, so that the writer gets the reason.
        self.flush_frozen().map(|_| ())
    }

    /// Flushes the oldest frozen memtable; false if there is none.
    pub(crate) fn flush_frozen(&self) -> Result<bool> {
        let mut manifest = self.manifest.lock();
        self.check_open()?;
        let frozen = {
            let view = self.view.read();
            let [_, frozen] = view.memtables() else { return Ok(false) };
            Arc::clone(frozen)
        };
        let id = manifest.manifest().next_segment;
        let written = self.write_segment(id, &frozen)?;
        let flushed = self.log.lock().frozen_sequence;
        manifest.replace(|next| {
            next.next_segment = id + 1;
            next.lanes[0].flushed = flushed;
            if let Some(info) = &written {
                next.segments.insert(0, LeveledSegment { level: 0, info: info.clone() });
            }
        })?;
        self.install(&frozen, written);
        self.collect_chunks(&mut manifest)?;
        Ok(true)
    }

    /// Writes the segment and makes its name durable; `None` if there is nothing to write.
    fn write_segment(&self, id: u64, memtable: &Memtable) -> Result<Option<SegmentInfo>> {
        if memtable.is_empty() {
            // Nothing but records of streams was committed.
            return Ok(None);
        }
        let files = &*self.env.files;
        let path = segment_path(id);
        let dir = "segments";
        files.create_dir_all(dir).map_err(|error| Error::io("create", dir, error))?;
        files.sync_dir("").map_err(|error| Error::io("sync the directory of", dir, error))?;
        // A flush that failed before may have left a file of this name.
        remove_left_over(files, &path)?;
        let mut writer = SegmentWriter::create(files, &path, id)?;
        let mut last: Option<(crate::KeyspaceId, Arc<[u8]>)> = None;
        for entry in memtable.entries() {
            let is_older = last.as_ref().is_some_and(|(of, key)| *of == entry.keyspace && *key == entry.key);
            if !is_older {
                writer.add(&entry)?;
                last = Some((entry.keyspace, entry.key));
            }
        }
        for tombstone in memtable.range_tombstones().iter() {
            writer.add_range_tombstone(tombstone.clone());
        }
        let info = writer.finish()?;
        files.sync_dir(dir).map_err(|error| Error::io("sync the directory", dir, error))?;
        Ok(Some(info))
    }

    fn install(&self, frozen: &Arc<Memtable>, written: Option<SegmentInfo>) {
        let mut view = self.view.write();
        let (last, rest) = view.memtables().split_last().expect("the frozen memtable is still there");
        assert!(Arc::ptr_eq(last, frozen), "memtables are flushed from old to new");
        let memtables = rest.to_vec();
        let mut segments = view.segments().to_vec();
        if let Some(info) = written {
            let path = segment_path(info.id);
            let files = Arc::clone(&self.env.files);
            segments.push(Arc::new(Segment::new(files, path, info, Arc::clone(&self.cache))));
        }
        *view = Arc::new(ReadView::new(memtables, segments));
    }
}
