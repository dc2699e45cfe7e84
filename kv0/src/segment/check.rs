//! Reads a whole segment and compares everything in it that must agree.

use std::sync::Arc;

use super::block::{Block, BlockCursor, Target};
use super::filter;
use super::format::{BlockHandle, HEADER_BYTES, check_header, split_stored_key};
use super::info::FullKey;
use super::reader::{Opened, Segment};
use super::statistics::{Statistics, reach};
use crate::entry::Version;
use crate::error::Error;

impl Segment {
    /// All damage that reading the file from its first byte to its last finds; nothing if it is sound. Takes nothing
    /// from the cache and leaves nothing there.
    pub(crate) fn check(&self) -> Vec<Error> {
        let mut found = Vec::new();
        if let Err(error) = self.check_header() {
            found.push(error);
        }
        match self.read_metadata() {
            Ok(opened) => Walk::new(self, &opened, &mut found).run(),
            Err(error) => found.push(error),
        }
        found
    }

    fn check_header(&self) -> Result<(), Error> {
        // A file shorter than a header is found by reading the metadata, which knows its size.
        let bytes = self.read(&*self.file()?, 0, HEADER_BYTES as u64)?;
        let bytes = bytes.first_chunk().expect("read with this length");
        check_header(bytes).map_err(|refusal| self.refused(0, refusal))
    }
}

/// A pass over all data blocks, in order.
struct Walk<'a> {
    segment: &'a Segment,
    opened: &'a Opened,
    found: &'a mut Vec<Error>,
    /// Stored key and version of the entry before.
    last: Option<(Vec<u8>, Version)>,
    /// What the statistics should be.
    counted: Statistics,
}

impl<'a> Walk<'a> {
    fn new(segment: &'a Segment, opened: &'a Opened, found: &'a mut Vec<Error>) -> Walk<'a> {
        let counted = Statistics {
            entries: 0,
            tombstones: 0,
            range_tombstones: opened.range_tombstones.len() as u64,
            keys: 0,
            raw_bytes: 0,
            data_blocks: 0,
            // Replaced by the first entry or range tombstone.
            min_version: Version::MAX,
            max_version: Version(0),
            min_key: segment.info().max_key.clone(),
            max_key: segment.info().min_key.clone(),
        };
        Walk { segment, opened, found, last: None, counted }
    }

    fn run(mut self) {
        let mut fences = BlockCursor::new(Arc::clone(&self.opened.index));
        fences.first();
        let mut expected_at = HEADER_BYTES as u64;
        let mut blocks_read = true;
        while let Some((key, version)) = fences.entry() {
            let fence = Target { key, at: Some(version) };
            match self.segment.fence(fences.value_bytes().unwrap_or_default()) {
                Ok(handle) => {
                    if handle.offset != expected_at {
                        self.damage(handle.offset, format!("block begins here, expected at {expected_at}"));
                    }
                    expected_at = handle.end().expect("a fence points into the file");
                    blocks_read &= self.block(handle, fence);
                }
                Err(error) => {
                    blocks_read = false;
                    self.found.push(error);
                }
            }
            fences.next();
        }
        if expected_at != self.segment.info().metadata_offset {
            self.damage(expected_at, "the last block ends here, before the metadata begins");
        }
        if blocks_read {
            self.compare_statistics();
        }
    }

    /// Checks one block; whether it could be read.
    fn block(&mut self, handle: BlockHandle, fence: Target<'_>) -> bool {
        let block = match self.segment.read_data_block(handle) {
            Ok(block) => block,
            Err(error) => {
                self.found.push(error);
                return false;
            }
        };
        if let Err(damage) = self.entries(block, fence) {
            self.damage(handle.offset, damage);
        }
        self.counted.data_blocks += 1;
        true
    }

    /// Checks order, fence and filter for the entries of a block and counts them; reports what is wrong first.
    fn entries(&mut self, block: Block, fence: Target<'_>) -> Result<(), String> {
        let mut wrong = Ok(());
        let mut cursor = BlockCursor::new(Arc::new(block));
        cursor.first();
        let mut index = 0;
        while let Some((stored, version)) = cursor.entry() {
            let previous = self.last.as_ref().map(|(key, version)| (key.as_slice(), *version));
            let same_key = previous.is_some_and(|(key, _)| key == stored);
            let in_order = previous.is_none_or(|(key, older)| key < stored || same_key && older > version);
            let before_fence = (stored, std::cmp::Reverse(version))
                <= (fence.key, std::cmp::Reverse(fence.at.expect("a fence has a version")));
            if !in_order {
                wrong = wrong.and(Err(format!("entry {index} is out of order")));
            }
            if !before_fence {
                wrong = wrong.and(Err(format!("entry {index} is behind the fence of its block")));
            }
            if !self.opened.filter.may_contain(filter::hash(stored)) {
                wrong = wrong.and(Err(format!("entry {index} is not in the filter")));
            }
            self.count(stored, version, cursor.value_bytes(), same_key);
            let mut key = self.last.take().map_or_else(Vec::new, |(key, _)| key);
            key.clear();
            key.extend_from_slice(stored);
            self.last = Some((key, version));
            index += 1;
            cursor.next();
        }
        wrong
    }

    fn count(&mut self, stored: &[u8], version: Version, value: Option<&[u8]>, same_key: bool) {
        let (keyspace, key) = split_stored_key(stored).expect("a block checks the length of its keys");
        let counted = &mut self.counted;
        if counted.entries == 0 {
            counted.min_key = (keyspace, key.into());
        }
        counted.entries += 1;
        counted.keys += u64::from(!same_key);
        counted.tombstones += u64::from(value.is_none());
        counted.raw_bytes += (key.len() + value.map_or(0, <[u8]>::len)) as u64;
        counted.min_version = counted.min_version.min(version);
        counted.max_version = counted.max_version.max(version);
    }

    fn compare_statistics(&mut self) {
        if let Some((stored, _)) = &self.last {
            let (keyspace, key) = split_stored_key(stored).expect("a block checks the length of its keys");
            self.counted.max_key = (keyspace, key.into());
        }
        let counted = &mut self.counted;
        for tombstone in self.opened.range_tombstones.iter() {
            let start: FullKey = (tombstone.keyspace, Arc::clone(&tombstone.start));
            counted.min_key = counted.min_key.clone().min(start.clone());
            counted.max_key = counted.max_key.clone().max(reach(tombstone)).max(start);
            counted.min_version = counted.min_version.min(tombstone.version);
            counted.max_version = counted.max_version.max(tombstone.version);
        }
        if self.counted != self.opened.statistics {
            let what =
                format!("counted {:?}, but the statistics say {:?}", self.counted, self.opened.statistics);
            self.damage(self.segment.info().metadata_offset, what);
        }
    }

    fn damage(&mut self, offset: u64, what: impl std::fmt::Display) {
        self.found.push(self.segment.corrupt(offset, what));
    }
}
