//! Sizes and counts.

use crate::engine::Engine;
use crate::error::Result;

/// Sizes and counts of an open database at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Chunks of the log.
    pub log_chunks: usize,
    /// Bytes of the log.
    pub log_bytes: u64,
    /// Segments.
    pub segments: usize,
    /// Bytes of the segments.
    pub segment_bytes: u64,
    /// Versions of keys and tombstones in the segments.
    pub segment_entries: u64,
    /// Memtables: the one that takes the writes, and the one that is being flushed, if any.
    pub memtables: usize,
    /// Bytes in the memtables.
    pub memtable_bytes: usize,
    /// Bytes of filters and indexes of the segments that are open.
    pub segment_metadata_bytes: usize,
    /// Bytes of blocks in the cache.
    pub cache_bytes: u64,
}

impl Engine {
    pub(crate) fn stats(&self) -> Result<Stats> {
        let (view, _) = self.read_point()?;
        let log = self.log.lock();
        Ok(Stats {
            log_chunks: log.chunks.len(),
            log_bytes: log.chunks.iter().map(|chunk| chunk.bytes).sum(),
            segments: view.segments().len(),
            segment_bytes: view.segments().iter().map(|segment| segment.info().size_bytes).sum(),
            segment_entries: view.segments().iter().map(|segment| segment.info().entries).sum(),
            memtables: view.memtables().len(),
            memtable_bytes: view.memtables().iter().map(|memtable| memtable.bytes()).sum(),
            segment_metadata_bytes: view.segments().iter().map(|segment| segment.resident_bytes()).sum(),
            cache_bytes: self.cache.block_bytes(),
        })
    }
}
