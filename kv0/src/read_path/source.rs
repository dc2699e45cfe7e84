//! What a merge reads from: one interface to memtables and segments, within one keyspace.

use std::ops::Bound;
use std::sync::Arc;

use crate::Direction;
use crate::edge::Edge;
use crate::entry::{KeyspaceId, Version};
use crate::error::Result;
use crate::memtable::{Memtable, MemtableEntry};
use crate::segment::{BlockValue, Segment, SegmentCursor};

/// A value where it lies.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Shared(Arc<[u8]>),
    InBlock(BlockValue),
}

impl Value {
    /// The value by itself: copied out of its block, so that it does not hold the rest of it in memory.
    pub(super) fn into_shared(self) -> Arc<[u8]> {
        match self {
            Value::Shared(bytes) => bytes,
            Value::InBlock(value) => value.bytes().into(),
        }
    }
}

/// A source with a place in it, going one way.
#[derive(Debug)]
pub(super) struct Source {
    keyspace: KeyspaceId,
    direction: Direction,
    at: Version,
    cursor: Cursor,
}

#[derive(Debug)]
enum Cursor {
    Memtable { memtable: Arc<Memtable>, batch: Vec<MemtableEntry>, position: usize },
    Segment(SegmentCursor),
}

impl Source {
    pub(super) fn memtable(
        memtable: Arc<Memtable>,
        keyspace: KeyspaceId,
        direction: Direction,
        at: Version,
    ) -> Source {
        let cursor = Cursor::Memtable { memtable, batch: Vec::new(), position: 0 };
        Source { keyspace, direction, at, cursor }
    }

    pub(super) fn segment(
        segment: Arc<Segment>,
        keyspace: KeyspaceId,
        direction: Direction,
        at: Version,
    ) -> Source {
        Source { keyspace, direction, at, cursor: Cursor::Segment(SegmentCursor::new(segment)) }
    }

    /// To the first entry on the far side of the edge, seen in the direction.
    pub(super) fn seek(&mut self, edge: Edge<'_>) -> Result<()> {
        match (&mut self.cursor, self.direction) {
            (Cursor::Memtable { memtable, batch, position }, direction) => {
                let from = match direction {
                    Direction::Ascending => Bound::Included(edge),
                    Direction::Descending => Bound::Excluded(edge),
                };
                batch.clear();
                *position = 0;
                memtable.read_batch(self.keyspace, from, direction, self.at, batch);
                Ok(())
            }
            (Cursor::Segment(cursor), Direction::Ascending) => cursor.seek(edge),
            (Cursor::Segment(cursor), Direction::Descending) => cursor.seek_before(edge),
        }
    }

    pub(super) fn advance(&mut self) -> Result<()> {
        match (&mut self.cursor, self.direction) {
            (Cursor::Memtable { memtable, batch, position }, direction) => {
                *position += 1;
                if *position == batch.len() {
                    let last = batch.swap_remove(*position - 1);
                    let from = Edge { keyspace: self.keyspace, key: &last.key, at: Some(last.version) };
                    batch.clear();
                    *position = 0;
                    memtable.read_batch(self.keyspace, Bound::Excluded(from), direction, self.at, batch);
                }
                Ok(())
            }
            (Cursor::Segment(cursor), Direction::Ascending) => cursor.next(),
            (Cursor::Segment(cursor), Direction::Descending) => cursor.previous(),
        }
    }

    /// Key and version of the entry here; `None` behind the last one of the keyspace.
    pub(super) fn entry(&self) -> Option<(&[u8], Version)> {
        match &self.cursor {
            Cursor::Memtable { batch, position, .. } => {
                let entry = batch.get(*position)?;
                Some((&*entry.key, entry.version))
            }
            Cursor::Segment(cursor) => {
                let (keyspace, key, version) = cursor.entry()?;
                (keyspace == self.keyspace).then_some((key, version))
            }
        }
    }

    /// The value of the entry here; `None` for a tombstone.
    pub(super) fn value(&self) -> Option<Value> {
        match &self.cursor {
            Cursor::Memtable { batch, position, .. } => {
                batch.get(*position)?.value.clone().map(Value::Shared)
            }
            Cursor::Segment(cursor) => cursor.value().map(Value::InBlock),
        }
    }
}
