//! Committing.
//!
//! 1. Under the log's lock: make room, take the next sequence, append the frame, put the operations into the memtable,
//!    make the commit visible.
//! 2. Outside of it, if the commit is to be durable: join the sync group. One thread syncs for all that have appended
//!    by then; there is no timer.
//!
//! A commit is visible before it is durable. If its sync fails its call returns the error, the log is poisoned, and
//! whether the commit survives is known after the database was reopened.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::batch::Batch;
use crate::changes::Position;
use crate::engine::{Chunk, Engine, Log};
use crate::entry::{Entry, KeyspaceId, RangeTombstone, Version};
use crate::error::{Error, Result};
use crate::lane::body::{Operation, Operations};
use crate::lane::format::FRAME_HEADER_BYTES;
use crate::limits;
use crate::memtable::Memtable;
use crate::options::Durability;
use crate::read_path::ReadView;

/// Lets one sync serve many commits.
#[derive(Debug, Default)]
pub(crate) struct SyncGroup {
    state: Mutex<SyncState>,
    done: Condvar,
}

#[derive(Debug, Default)]
struct SyncState {
    /// Commits up to this sequence are durable.
    durable: u64,
    /// Whether a thread is syncing now.
    running: bool,
}

impl Engine {
    /// Commits a batch.
    pub(crate) fn commit(&self, batch: Batch, durability: Durability) -> Result<Position> {
        self.check_writable()?;
        let mut frame = batch.into_frame(self.database)?;
        if frame.len() == FRAME_HEADER_BYTES {
            return Ok(Position(self.visible.load(Ordering::Acquire)));
        }
        let sequence = {
            let mut log = self.make_room(frame.len())?;
            self.append(&mut log, &mut frame)?
        };
        self.announce();
        if durability == Durability::Disk {
            self.sync_up_to(sequence)?;
        }
        Ok(Position(sequence))
    }

    /// Makes every commit so far durable.
    pub(crate) fn sync(&self) -> Result<()> {
        self.check_writable()?;
        let sequence = self.log.lock().sequence;
        self.sync_up_to(sequence)
    }

    fn append(&self, log: &mut Log, frame: &mut [u8]) -> Result<u64> {
        // Closing sets the flag and then takes this lock: a commit that got here later must not slip in behind it.
        self.check_writable()?;
        let sequence = log.sequence + 1;
        let writer = log.writer.as_mut().expect("a writable database has a lane");
        if writer.bytes() >= limits::CHUNK_BYTES {
            self.rotate(log)?;
        }
        let writer = log.writer.as_mut().expect("a writable database has a lane");
        if let Err(error) = writer.append(sequence, frame) {
            return Err(if writer.is_broken() { self.set_poison(error) } else { error });
        }
        let bytes = writer.bytes();
        log.chunks.last_mut().expect("the lane has a chunk").bytes = bytes;
        log.sequence = sequence;
        log.unflushed_bytes += frame.len();
        log.marked = false;
        insert(&log.memtable, Version(sequence), &frame[FRAME_HEADER_BYTES..])
            .expect("the batch encoded these operations itself");
        self.visible.store(sequence, Ordering::Release);
        Ok(sequence)
    }

    /// Begins a new chunk.
    pub(crate) fn rotate(&self, log: &mut Log) -> Result<()> {
        // As in `append`: once the database is closed, the next chunk is another process's to begin.
        self.check_writable()?;
        let first_sequence = log.sequence + 1;
        let writer = log.writer.as_mut().expect("a writable database has a lane");
        if let Err(error) = writer.rotate(first_sequence) {
            return Err(if writer.is_broken() { self.set_poison(error) } else { error });
        }
        let chunk = Chunk { number: writer.header().number, first_sequence, bytes: writer.bytes() };
        log.chunks.push(chunk);
        self.sync_group.advance(log.sequence);
        Ok(())
    }

    /// Takes the log's lock with room in the memtable for `bytes` more, freezing it or waiting for the flush if need be.
    fn make_room(&self, bytes: usize) -> Result<MutexGuard<'_, Log>> {
        loop {
            let mut log = self.log.lock();
            // Records of streams take no room in the memtable, but what recovery has to read is bounded too.
            let limit = self.memtable_limit();
            let is_full = log.memtable.bytes() + bytes > limit || log.unflushed_bytes + bytes > limit;
            if !is_full || log.unflushed_bytes == 0 {
                return Ok(log);
            }
            if self.view.read().memtables().len() == 1 {
                self.freeze(&mut log)?;
                self.wake_flusher();
                return Ok(log);
            }
            drop(log);
            self.wait_for_flush()?;
        }
    }

    /// Puts a new memtable in front of the full one. The chunk ends with it, so that chunks can go when it is flushed.
    pub(crate) fn freeze(&self, log: &mut Log) -> Result<()> {
        self.rotate(log)?;
        let memtable = Arc::new(Memtable::new());
        let mut view = self.view.write();
        let memtables = vec![Arc::clone(&memtable), Arc::clone(&log.memtable)];
        *view = Arc::new(ReadView::new(memtables, view.segments().to_vec()));
        log.memtable = memtable;
        log.unflushed_bytes = 0;
        log.frozen_sequence = log.sequence;
        Ok(())
    }

    /// Largest size of one memtable. There are two at most; the cache gets the other half of the budget.
    fn memtable_limit(&self) -> usize {
        self.options.memory_budget / 4
    }

    fn sync_up_to(&self, sequence: u64) -> Result<()> {
        let mut state = self.sync_group.state.lock();
        loop {
            if state.durable >= sequence {
                return Ok(());
            }
            self.check_poison()?;
            if state.running {
                self.sync_group.done.wait(&mut state);
                continue;
            }
            state.running = true;
            drop(state);
            let result = self.sync_appended();
            state = self.sync_group.state.lock();
            state.running = false;
            self.sync_group.done.notify_all();
            let durable = result?;
            state.durable = state.durable.max(durable);
        }
    }

    /// Syncs what is appended now and returns the newest sequence in it.
    fn sync_appended(&self) -> Result<u64> {
        let (file, number, bytes, path, sequence) = {
            let log = self.log.lock();
            let writer = log.writer.as_ref().expect("a writable database has a lane");
            let (file, number, bytes) = writer.sync_target();
            (file, number, bytes, writer.path().to_owned(), log.sequence)
        };
        let result = file.sync();
        let mut log = self.log.lock();
        let writer = log.writer.as_mut().expect("a writable database has a lane");
        match result {
            Ok(()) => {
                writer.note_synced(number, bytes);
                Ok(sequence)
            }
            Err(error) => {
                writer.break_off();
                Err(self.set_poison(Error::io("sync", &path, error)))
            }
        }
    }
}

impl SyncGroup {
    /// Takes note that commits up to `sequence` are durable.
    fn advance(&self, sequence: u64) {
        let mut state = self.state.lock();
        state.durable = state.durable.max(sequence);
        self.done.notify_all();
    }
}

/// Puts the operations of a commit into a memtable. The error says what is wrong with the bytes.
pub(crate) fn insert(memtable: &Memtable, version: Version, body: &[u8]) -> Result<(), String> {
    let operations = Operations::new(body).collect::<Result<Vec<_>, _>>()?;
    // Of several changes of one key in one commit only the last may be seen: all have the same version. A range
    // deletion removes what is older than its commit, so the puts before it in its own commit are undone here.
    let ranges: Vec<&Operation<'_>> =
        operations.iter().filter(|operation| matches!(operation, Operation::DeleteRange { .. })).collect();
    let mut passed = 0;
    for operation in &operations {
        match *operation {
            Operation::Put { keyspace, key, value } => {
                let undone = ranges[passed..].iter().any(|range| removes(range, keyspace, key));
                let value = if undone { None } else { Some(Arc::from(value)) };
                memtable.insert(Entry { keyspace, key: Arc::from(key), version, value });
            }
            Operation::Delete { keyspace, key } => {
                memtable.insert(Entry { keyspace, key: Arc::from(key), version, value: None });
            }
            Operation::DeleteRange { keyspace, start, end } => {
                passed += 1;
                let (start, end) = (Arc::from(start), Some(Arc::from(end)));
                memtable.insert_range_tombstone(RangeTombstone { keyspace, start, end, version });
            }
            Operation::Append { .. } => {}
        }
    }
    Ok(())
}

/// Whether the operation is a range deletion over the key.
fn removes(operation: &Operation<'_>, in_keyspace: KeyspaceId, key: &[u8]) -> bool {
    matches!(*operation, Operation::DeleteRange { keyspace, start, end }
        if keyspace == in_keyspace && start <= key && key < end)
}

#[cfg(test)]
mod tests;
