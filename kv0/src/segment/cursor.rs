//! Walks the entries of a segment in either direction, one block in memory at a time.

use std::sync::Arc;

use super::block::{BlockCursor, BlockValue, Target};
use super::format::{split_stored_key, stored_key};
use super::reader::Segment;
use crate::edge::Edge;
use crate::entry::{KeyspaceId, Version};
use crate::error::Result;

/// A place on an entry, or on none: new, behind either end, or after an error, until it seeks (again).
#[derive(Debug)]
pub(crate) struct SegmentCursor {
    segment: Arc<Segment>,
    /// On the fence of the block in `data`.
    fences: Option<BlockCursor>,
    data: Option<BlockCursor>,
}

impl SegmentCursor {
    /// On no entry. Reads nothing yet.
    pub(crate) fn new(segment: Arc<Segment>) -> SegmentCursor {
        SegmentCursor { segment, fences: None, data: None }
    }

    /// Keyspace, key and version of the entry under the cursor.
    pub(crate) fn entry(&self) -> Option<(KeyspaceId, &[u8], Version)> {
        let (stored, version) = self.data.as_ref()?.entry()?;
        let (keyspace, key) = split_stored_key(stored).expect("a block checks the length of its keys");
        Some((keyspace, key, version))
    }

    /// Its value; `None` for a tombstone and for no entry.
    pub(crate) fn value(&self) -> Option<BlockValue> {
        self.data.as_ref()?.value()
    }

    /// To the first entry that does not stand before the edge.
    pub(crate) fn seek(&mut self, edge: Edge<'_>) -> Result<()> {
        let key = stored_key(edge.keyspace, edge.key);
        let target = Target { key: &key, at: edge.at };
        self.fences()?.seek(target);
        self.load(|data| data.seek(target))?;
        // The fence of a block may stand behind its last entry, with the edge between them.
        self.skip_to_block(BlockCursor::next, BlockCursor::first)
    }

    /// To the last entry that stands before the edge.
    pub(crate) fn seek_before(&mut self, edge: Edge<'_>) -> Result<()> {
        let key = stored_key(edge.keyspace, edge.key);
        let target = Target { key: &key, at: edge.at };
        let fences = self.fences()?;
        fences.seek(target);
        if fences.entry().is_none() {
            fences.last();
        }
        self.load(|data| data.seek_before(target))?;
        self.skip_to_block(BlockCursor::previous, BlockCursor::last)
    }

    pub(crate) fn next(&mut self) -> Result<()> {
        let Some(data) = &mut self.data else { return Ok(()) };
        data.next();
        self.skip_to_block(BlockCursor::next, BlockCursor::first)
    }

    pub(crate) fn previous(&mut self) -> Result<()> {
        let Some(data) = &mut self.data else { return Ok(()) };
        data.previous();
        self.skip_to_block(BlockCursor::previous, BlockCursor::last)
    }

    fn fences(&mut self) -> Result<&mut BlockCursor> {
        if self.fences.is_none() {
            let index = Arc::clone(&self.segment.open()?.index);
            self.fences = Some(BlockCursor::new(index));
        }
        Ok(self.fences.as_mut().expect("just set"))
    }

    /// Goes from block to block until the cursor is on an entry or there are no more blocks.
    fn skip_to_block(&mut self, step: fn(&mut BlockCursor), enter: fn(&mut BlockCursor)) -> Result<()> {
        while self.data.as_ref().is_some_and(|data| data.entry().is_none()) {
            step(self.fences()?);
            self.load(enter)?;
        }
        Ok(())
    }

    /// Takes the block of the current fence and enters it; no fence leaves the cursor on no entry.
    fn load(&mut self, enter: impl FnOnce(&mut BlockCursor)) -> Result<()> {
        let old = self.data.take();
        let Some(fences) = &self.fences else { return Ok(()) };
        if fences.entry().is_none() {
            return Ok(());
        }
        let handle = self.segment.fence(fences.value_bytes().unwrap_or_default())?;
        let block = self.segment.data_block(handle)?;
        let mut data = match old {
            Some(mut data) => {
                data.reset(block);
                data
            }
            None => BlockCursor::new(block),
        };
        enter(&mut data);
        self.data = Some(data);
        Ok(())
    }
}
