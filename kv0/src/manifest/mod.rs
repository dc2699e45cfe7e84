//! The manifest: what the database consists of. Small, written as a whole, replaced atomically.
//! `docs/format/manifest.md` describes the bytes.

pub(crate) mod format;
mod store;

use std::collections::BTreeMap;

use crate::segment::SegmentInfo;
pub(crate) use store::{ManifestStore, is_stale};

/// What a database consists of at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Random; the same for the life of the database.
    pub(crate) database: u64,
    /// Grows by one with every change of the manifest; part of its file name.
    pub(crate) number: u64,
    /// No segment has or had this number or a greater one.
    pub(crate) next_segment: u64,
    /// Changes up to this sequence may be gone from the log.
    pub(crate) trimmed: u64,
    pub(crate) lanes: Vec<Lane>,
    /// Sorted by id.
    pub(crate) keyspaces: BTreeMap<u32, String>,
    pub(crate) streams: BTreeMap<u32, StreamState>,
    /// Newest first.
    pub(crate) segments: Vec<LeveledSegment>,
}

/// What the manifest says of one writer's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) id: u64,
    /// Number of the oldest chunk that exists; those below are gone or may be removed.
    pub(crate) first_chunk: u64,
    /// Keys of commits up to this sequence are in segments.
    pub(crate) flushed: u64,
}

/// What the manifest says of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamState {
    pub(crate) name: String,
    /// Records of commits up to this sequence were trimmed.
    pub(crate) trimmed: u64,
}

/// A segment and the level it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeveledSegment {
    pub(crate) level: u32,
    pub(crate) info: SegmentInfo,
}

impl Manifest {
    /// The manifest of an empty database.
    pub(crate) fn empty(database: u64) -> Manifest {
        Manifest {
            database,
            number: 0,
            next_segment: 1,
            trimmed: 0,
            lanes: Vec::new(),
            keyspaces: BTreeMap::new(),
            streams: BTreeMap::new(),
            segments: Vec::new(),
        }
    }

    /// What must hold of every manifest, before it is written and after it was read. The text says what does not.
    pub(crate) fn check_invariants(&self) -> Result<(), String> {
        let mut seen = std::collections::BTreeSet::new();
        for segment in &self.segments {
            let id = segment.info.id;
            if id >= self.next_segment {
                return Err(format!("segment {id} is not below the next number {}", self.next_segment));
            }
            if !seen.insert(id) {
                return Err(format!("segment {id} is listed twice"));
            }
        }
        if !self
            .segments
            .is_sorted_by(|a, b| a.level < b.level || (a.level == b.level && a.info.id > b.info.id))
        {
            return Err("the segments are not sorted by level and from new to old".to_owned());
        }
        for names in [
            self.keyspaces.values().collect::<Vec<_>>(),
            self.streams.values().map(|stream| &stream.name).collect(),
        ] {
            let distinct: std::collections::BTreeSet<_> = names.iter().collect();
            if distinct.len() != names.len() {
                return Err("two keyspaces or two streams have one name".to_owned());
            }
        }
        let lanes: std::collections::BTreeSet<_> = self.lanes.iter().map(|lane| lane.id).collect();
        if lanes.len() != self.lanes.len() {
            return Err("a lane is listed twice".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
