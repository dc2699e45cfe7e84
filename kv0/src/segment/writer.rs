//! Writes a segment: data blocks as entries come, everything else at the end.

use std::cmp::Ordering;
use std::sync::Arc;

use kv0_env::{File, FileSystem};

use super::block::{BlockBuilder, shared_prefix};
use super::filter;
use super::format::{
    BlockHandle, BlockType, Footer, INDEX_LEVELS, append_block, append_stored_key, header, split_stored_key,
};
use super::info::{FullKey, SegmentInfo};
use super::statistics::{Statistics, encode_range_tombstones, reach};
use crate::entry::{Entry, RangeTombstone, Version};
use crate::error::{Error, Result};
use crate::limits;
use crate::tombstones;

/// A segment being written. [`SegmentWriter::finish`] makes it one; dropped before, a useless file stays.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    out: Output,
    id: u64,
    data: BlockBuilder,
    index: BlockBuilder,
    /// The data block before the current one: its fence waits for the first key after it.
    unfenced: Option<BlockHandle>,
    /// Stored key and version of the last entry, and room for the next key.
    last: Option<Version>,
    last_key: Vec<u8>,
    next_key: Vec<u8>,
    /// One per different key.
    hashes: Vec<u64>,
    range_tombstones: Vec<RangeTombstone>,
    bounds: Bounds,
    entries: u64,
    tombstones: u64,
    data_blocks: u64,
    raw_bytes: u64,
}

impl SegmentWriter {
    /// Creates the file. The directory must exist; the caller syncs it after [`SegmentWriter::finish`].
    pub(crate) fn create(files: &dyn FileSystem, path: &str, id: u64) -> Result<SegmentWriter> {
        let file = files.create_new(path).map_err(|error| Error::io("create", path, error))?;
        let out = Output { file, path: path.to_owned(), buffer: header().to_vec(), written: 0 };
        Ok(SegmentWriter {
            out,
            id,
            data: BlockBuilder::default(),
            index: BlockBuilder::default(),
            unfenced: None,
            last: None,
            last_key: Vec::new(),
            next_key: Vec::new(),
            hashes: Vec::new(),
            range_tombstones: Vec::new(),
            bounds: Bounds::default(),
            entries: 0,
            tombstones: 0,
            data_blocks: 0,
            raw_bytes: 0,
        })
    }

    /// Adds the next entry in the order of [`Entry::order`].
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<()> {
        assert!(entry.key.len() <= limits::MAX_KEY_BYTES, "keys are checked when they are written");
        self.next_key.clear();
        append_stored_key(&mut self.next_key, entry.keyspace, &entry.key);
        let key_order = match self.last {
            None => Ordering::Less,
            Some(_) => self.last_key.cmp(&self.next_key),
        };
        let in_order = key_order.is_lt() || key_order.is_eq() && self.last > Some(entry.version);
        assert!(in_order, "entries of a segment come in order, each once");
        if key_order.is_lt() {
            self.hashes.push(filter::hash(&self.next_key));
        }
        let value = entry.value.as_deref();
        if !self.data.is_empty() && self.data.size_with(&self.next_key, value) > limits::BLOCK_BYTES {
            self.close_data_block()?;
        }
        self.fence(if key_order.is_eq() { Next::SameKey } else { Next::LaterKey });
        self.data.add(&self.next_key, entry.version, value);
        self.entries += 1;
        self.tombstones += u64::from(value.is_none());
        self.raw_bytes += (entry.key.len() + value.map_or(0, <[u8]>::len)) as u64;
        self.bounds.versions(entry.version);
        self.last = Some(entry.version);
        std::mem::swap(&mut self.last_key, &mut self.next_key);
        if self.entries == 1 {
            self.bounds.key(&(entry.keyspace, Arc::clone(&entry.key)));
        }
        Ok(())
    }

    /// Adds a range tombstone; these come in any order, before or after entries.
    pub(crate) fn add_range_tombstone(&mut self, tombstone: RangeTombstone) {
        self.bounds.versions(tombstone.version);
        self.bounds.key(&(tombstone.keyspace, Arc::clone(&tombstone.start)));
        self.bounds.key(&reach(&tombstone));
        self.range_tombstones.push(tombstone);
    }

    /// Whether nothing was added. Such a segment must not be finished.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0 && self.range_tombstones.is_empty()
    }

    /// Writes the rest and makes the file durable. Its name is durable when the caller has synced the directory.
    pub(crate) fn finish(mut self) -> Result<SegmentInfo> {
        assert!(!self.is_empty(), "a segment holds something");
        self.close_data_block()?;
        self.fence(Next::Nothing);
        if self.entries > 0 {
            let (keyspace, key) = split_stored_key(&self.last_key).expect("composed in add");
            let last: FullKey = (keyspace, key.into());
            self.bounds.key(&last);
        }
        self.range_tombstones.sort_by(tombstones::order);
        let statistics = self.statistics();
        let metadata_offset = self.out.offset();
        let (footer, footer_checksum) = self.write_metadata(&statistics)?.encode();
        self.out.buffer.extend_from_slice(&footer);
        self.out.write()?;
        let Output { file, path, written: size_bytes, .. } = self.out;
        file.sync().map_err(|error| Error::io("sync", &path, error))?;
        let info = SegmentInfo {
            id: self.id,
            size_bytes,
            metadata_offset,
            entries: statistics.entries,
            min_key: statistics.min_key,
            max_key: statistics.max_key,
            min_version: statistics.min_version,
            max_version: statistics.max_version,
            has_range_tombstones: !self.range_tombstones.is_empty(),
            footer_checksum,
        };
        info.check_invariants().expect("what was just written is sound");
        Ok(info)
    }

    fn write_metadata(&mut self, statistics: &Statistics) -> Result<Footer> {
        let keys = u32::try_from(self.hashes.len()).expect("a segment has less than 2^32 keys");
        let filter = self.out.block(BlockType::Filter, keys, &filter::build(&self.hashes))?;
        let out = &mut self.out;
        let index = self.index.finish(|body, count| out.block(BlockType::Index, count, body))?;
        let body = encode_range_tombstones(&self.range_tombstones);
        let count = u32::try_from(self.range_tombstones.len()).expect("less than 2^32 range tombstones");
        let range_tombstones = self.out.block(BlockType::RangeTombstones, count, &body)?;
        let statistics = self.out.block(BlockType::Statistics, 1, &statistics.encode())?;
        Ok(Footer { filter, index, range_tombstones, statistics, levels: INDEX_LEVELS })
    }

    fn statistics(&self) -> Statistics {
        let (min_key, max_key) = self.bounds.keys.clone().expect("not empty");
        Statistics {
            entries: self.entries,
            tombstones: self.tombstones,
            range_tombstones: self.range_tombstones.len() as u64,
            keys: self.hashes.len() as u64,
            raw_bytes: self.raw_bytes,
            data_blocks: self.data_blocks,
            min_version: self.bounds.min_version.expect("not empty"),
            max_version: self.bounds.max_version.expect("not empty"),
            min_key,
            max_key,
        }
    }

    fn close_data_block(&mut self) -> Result<()> {
        if self.data.is_empty() {
            return Ok(());
        }
        let out = &mut self.out;
        let handle = self.data.finish(|body, count| out.block(BlockType::Data, count, body))?;
        self.unfenced = Some(handle);
        self.data_blocks += 1;
        Ok(())
    }

    /// Writes the fence of the block just closed, if any: a place that no entry of the block stands behind and every
    /// later entry does.
    fn fence(&mut self, next: Next) {
        let Some(handle) = self.unfenced.take() else {
            return;
        };
        let (key, version) = match (next, self.last) {
            (Next::SameKey, Some(version)) => (&self.last_key[..], version),
            (Next::LaterKey, _) => (separator(&self.last_key, &self.next_key), Version(0)),
            _ => (&self.last_key[..], Version(0)),
        };
        self.index.add(key, version, Some(&handle.encode()));
    }
}

/// What follows a block.
#[derive(Clone, Copy)]
enum Next {
    SameKey,
    /// The one in `next_key`.
    LaterKey,
    Nothing,
}

/// A short key that is not below `last` and is below `next`, which follows it.
fn separator<'a>(last: &'a [u8], next: &'a [u8]) -> &'a [u8] {
    let shared = shared_prefix(last, next);
    // One byte more than they share, taken from the next key, is above the last key; it is below the next key if
    // that goes on.
    if shared + 1 < next.len() && shared + 1 < last.len() { &next[..=shared] } else { last }
}

/// Where the file is being written to, in large pieces.
#[derive(Debug)]
struct Output {
    file: Arc<dyn File>,
    path: String,
    buffer: Vec<u8>,
    written: u64,
}

impl Output {
    fn offset(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn block(&mut self, block_type: BlockType, count: u32, body: &[u8]) -> Result<BlockHandle> {
        let offset = self.offset();
        let length = append_block(&mut self.buffer, offset, block_type, count, body);
        if self.buffer.len() >= limits::WRITE_BUFFER_BYTES {
            self.write()?;
        }
        Ok(BlockHandle { offset, length })
    }

    fn write(&mut self) -> Result<()> {
        self.file
            .write_at(&self.buffer, self.written)
            .map_err(|error| Error::io("write", &self.path, error))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// The extremes of what was added.
#[derive(Debug, Default)]
struct Bounds {
    keys: Option<(FullKey, FullKey)>,
    min_version: Option<Version>,
    max_version: Option<Version>,
}

impl Bounds {
    fn versions(&mut self, version: Version) {
        self.min_version = Some(self.min_version.map_or(version, |min| min.min(version)));
        self.max_version = self.max_version.max(Some(version));
    }

    fn key(&mut self, key: &FullKey) {
        match &mut self.keys {
            None => self.keys = Some((key.clone(), key.clone())),
            Some((min, max)) => {
                if key < min {
                    min.clone_from(key);
                }
                if key > max {
                    max.clone_from(key);
                }
            }
        }
    }
}
