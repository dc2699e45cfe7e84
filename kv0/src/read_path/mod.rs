//! Reading over many sources: memtables and segments whose versions overlap.

mod lookup;
mod merge;
mod source;

use std::cmp::Reverse;
use std::sync::Arc;

#[cfg(test)]
pub(crate) use lookup::Found;
pub(crate) use merge::MergeScan;

use crate::memtable::Memtable;
use crate::segment::Segment;

/// The sources of all data at one time. Cheap to clone; what it holds stays readable as long as it lives (that the
/// files of its segments are not deleted meanwhile is the business of who hands it out).
#[derive(Debug, Clone)]
pub(crate) struct ReadView {
    memtables: Arc<[Arc<Memtable>]>,
    /// Those with the newest versions first, so that a lookup can stop early.
    segments: Arc<[Arc<Segment>]>,
}

impl ReadView {
    /// Memtables in any order, best the newest first; segments in any order.
    pub(crate) fn new(memtables: Vec<Arc<Memtable>>, mut segments: Vec<Arc<Segment>>) -> ReadView {
        segments.sort_by_key(|segment| Reverse((segment.info().max_version, segment.info().id)));
        ReadView { memtables: memtables.into(), segments: segments.into() }
    }

    pub(crate) fn memtables(&self) -> &[Arc<Memtable>] {
        &self.memtables
    }

    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }
}

#[cfg(test)]
mod tests;
