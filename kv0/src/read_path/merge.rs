//! Scans: the k-way merge over all sources.
//!
//! 1. Each source stands on its next entry; a heap orders the sources by the key of that entry alone.
//! 2. A step takes the first key and moves every source that has it past all of its versions, keeping the newest
//!    version not newer than `at`.
//! 3. If that is a value, and no range tombstone of any source is newer, the step yields it; else it goes on.
//!
//! Versions within a key come newest first in one direction and oldest first in the other; step 2 does not care.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use super::ReadView;
use super::source::{Source, Value};
use crate::Direction;
use crate::edge::Edge;
use crate::entry::{KeyspaceId, Version};
use crate::error::{Error, ErrorKind, Result};
use crate::segment::{Segment, SegmentInfo};
use crate::snapshot::Pair;
use crate::tombstones::RangeTombstones;

/// An iterator over the pairs of a range as of one version. Keeps its sources alive.
///
/// After an error it is failed: every further step returns the same error, until a seek that succeeds.
#[derive(Debug)]
pub(crate) struct MergeScan {
    keyspace: KeyspaceId,
    lower: Bound<Arc<[u8]>>,
    upper: Bound<Arc<[u8]>>,
    direction: Direction,
    at: Version,
    sources: Vec<Source>,
    /// Range tombstones of the sources that have some.
    tombstones: Vec<Arc<RangeTombstones>>,
    /// Segments whose range tombstones are still to be read: before the first step.
    unread_tombstones: Vec<Arc<Segment>>,
    state: State,
    /// Indices of the sources that stand on an entry, as a binary heap: the first key on top.
    heap: Vec<usize>,
    /// The key of the current step.
    key: Vec<u8>,
}

#[derive(Debug)]
enum State {
    /// Nothing was read yet.
    New,
    Positioned,
    Failed(ErrorKind, String),
}

impl ReadView {
    /// Scans the keys between the bounds. Reads nothing before the first step.
    pub(crate) fn scan(
        &self,
        keyspace: KeyspaceId,
        lower: Bound<Arc<[u8]>>,
        upper: Bound<Arc<[u8]>>,
        direction: Direction,
        at: Version,
    ) -> MergeScan {
        let mut sources = Vec::new();
        let mut tombstones = Vec::new();
        for memtable in &*self.memtables {
            sources.push(Source::memtable(Arc::clone(memtable), keyspace, direction, at));
            tombstones.push(memtable.range_tombstones());
        }
        tombstones.retain(|set| !set.is_empty());
        let mut unread_tombstones = Vec::new();
        for segment in &*self.segments {
            let info = segment.info();
            if info.min_version > at || !overlaps(info, keyspace, &lower, &upper) {
                continue;
            }
            sources.push(Source::segment(Arc::clone(segment), keyspace, direction, at));
            if info.has_range_tombstones {
                unread_tombstones.push(Arc::clone(segment));
            }
        }
        MergeScan {
            keyspace,
            lower,
            upper,
            direction,
            at,
            sources,
            tombstones,
            unread_tombstones,
            state: State::New,
            heap: Vec::new(),
            key: Vec::new(),
        }
    }
}

fn overlaps(
    info: &SegmentInfo,
    keyspace: KeyspaceId,
    lower: &Bound<Arc<[u8]>>,
    upper: &Bound<Arc<[u8]>>,
) -> bool {
    let begins_too_late = match upper {
        Bound::Included(key) => (info.min_key.0, &*info.min_key.1) > (keyspace, &**key),
        Bound::Excluded(key) => (info.min_key.0, &*info.min_key.1) >= (keyspace, &**key),
        Bound::Unbounded => info.min_key.0 > keyspace,
    };
    let ends_too_early = match lower {
        Bound::Included(key) | Bound::Excluded(key) => {
            (info.max_key.0, &*info.max_key.1) < (keyspace, &**key)
        }
        Bound::Unbounded => info.max_key.0 < keyspace,
    };
    !begins_too_late && !ends_too_early
}

impl MergeScan {
    /// The next pair in the direction, or `None` behind the last one.
    pub(crate) fn next(&mut self) -> Result<Option<Pair>> {
        match &self.state {
            State::Positioned => {}
            State::New => {
                let start = match self.direction {
                    Direction::Ascending => self.lower.clone(),
                    Direction::Descending => self.upper.clone(),
                };
                self.position(start.as_ref().map(|key| &**key))?;
            }
            State::Failed(kind, message) => return Err(Error::new(*kind, message.clone())),
        }
        let result = self.step();
        self.keep_failure(result)
    }

    /// Up to `limit` further pairs; fewer only behind the last one. A failure anywhere among them is the result: a short
    /// list would be taken for the end.
    pub(crate) fn next_many(&mut self, limit: usize) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        while pairs.len() < limit {
            let Some(pair) = self.next()? else { break };
            pairs.push(pair);
        }
        Ok(pairs)
    }

    /// Goes to the key, or if it is not there to the next one in the direction, but not out of the bounds: the next
    /// step yields that pair. May go either way.
    pub(crate) fn seek(&mut self, key: &[u8]) -> Result<()> {
        let start = match self.direction {
            Direction::Ascending => &self.lower,
            Direction::Descending => &self.upper,
        };
        let out_of_bounds = match (start, self.direction) {
            (Bound::Included(bound) | Bound::Excluded(bound), Direction::Ascending) => *key <= **bound,
            (Bound::Included(bound) | Bound::Excluded(bound), Direction::Descending) => *key >= **bound,
            (Bound::Unbounded, _) => false,
        };
        if out_of_bounds {
            let start = start.clone();
            return self.position(start.as_ref().map(|key| &**key));
        }
        self.position(Bound::Included(key))
    }

    /// Puts every source on its first entry from the start on, and builds the heap.
    fn position(&mut self, start: Bound<&[u8]>) -> Result<()> {
        let result = self.try_position(start);
        self.keep_failure(result)
    }

    fn try_position(&mut self, start: Bound<&[u8]>) -> Result<()> {
        let keyspace = self.keyspace;
        let edge =
            match (start, self.direction) {
                (Bound::Unbounded, Direction::Ascending) => Edge::before(keyspace, &[]),
                (Bound::Unbounded, Direction::Descending) => Edge::end_of(keyspace),
                (Bound::Included(key), Direction::Ascending)
                | (Bound::Excluded(key), Direction::Descending) => Edge::before(keyspace, key),
                (Bound::Excluded(key), Direction::Ascending)
                | (Bound::Included(key), Direction::Descending) => Edge::behind(keyspace, key),
            };
        while let Some(segment) = self.unread_tombstones.last() {
            self.tombstones.extend(segment.range_tombstones()?);
            self.unread_tombstones.pop();
        }
        self.heap.clear();
        for source in &mut self.sources {
            source.seek(edge)?;
        }
        let standing = self.sources.iter().enumerate().filter(|(_, source)| source.entry().is_some());
        self.heap.extend(standing.map(|(index, _)| index));
        for index in (0..self.heap.len() / 2).rev() {
            self.sift_down(index);
        }
        self.state = State::Positioned;
        Ok(())
    }

    fn keep_failure<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.state = State::Failed(error.kind(), error.to_string());
        }
        result
    }

    fn step(&mut self) -> Result<Option<Pair>> {
        loop {
            let Some(&top) = self.heap.first() else {
                return Ok(None);
            };
            let (key, _) = self.sources[top].entry().expect("a source in the heap stands on an entry");
            if self.is_behind_bounds(key) {
                self.heap.clear();
                return Ok(None);
            }
            self.key.clear();
            self.key.extend_from_slice(key);
            let newest = self.take_key()?;
            if let Some((version, Some(value))) = newest
                && !self.is_deleted_by_range(version)
            {
                return Ok(Some((self.key.as_slice().into(), value.into_shared())));
            }
        }
    }

    /// Moves all sources past the key of this step; its newest version not newer than `at`.
    fn take_key(&mut self) -> Result<Option<(Version, Option<Value>)>> {
        let mut newest: Option<(Version, Option<Value>)> = None;
        while let Some(&top) = self.heap.first() {
            let source = &mut self.sources[top];
            let mut taken = false;
            while let Some((key, version)) = source.entry()
                && *key == *self.key
            {
                if version <= self.at && newest.as_ref().is_none_or(|(newest, _)| version > *newest) {
                    newest = Some((version, source.value()));
                }
                source.advance()?;
                taken = true;
            }
            if !taken {
                break;
            }
            if source.entry().is_none() {
                self.heap.swap_remove(0);
            }
            self.sift_down(0);
        }
        Ok(newest)
    }

    fn is_deleted_by_range(&self, version: Version) -> bool {
        self.tombstones.iter().any(|set| {
            set.newest_over(self.keyspace, &self.key, self.at).is_some_and(|deleted| deleted > version)
        })
    }

    fn is_behind_bounds(&self, key: &[u8]) -> bool {
        match self.direction {
            Direction::Ascending => match &self.upper {
                Bound::Included(upper) => *key > **upper,
                Bound::Excluded(upper) => *key >= **upper,
                Bound::Unbounded => false,
            },
            Direction::Descending => match &self.lower {
                Bound::Included(lower) => *key < **lower,
                Bound::Excluded(lower) => *key <= **lower,
                Bound::Unbounded => false,
            },
        }
    }

    fn sift_down(&mut self, mut parent: usize) {
        loop {
            let mut first = parent;
            for child in [2 * parent + 1, 2 * parent + 2] {
                if child < self.heap.len() && self.comes_first(self.heap[child], self.heap[first]) {
                    first = child;
                }
            }
            if first == parent {
                return;
            }
            self.heap.swap(parent, first);
            parent = first;
        }
    }

    fn comes_first(&self, a: usize, b: usize) -> bool {
        let key = |index: usize| self.sources[index].entry().map(|(key, _)| key);
        let expected = match self.direction {
            Direction::Ascending => Ordering::Less,
            Direction::Descending => Ordering::Greater,
        };
        key(a).cmp(&key(b)) == expected
    }
}
