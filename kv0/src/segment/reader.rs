//! Reads a segment: opened at the first touch, then one block for a lookup.
//!
//! A lookup: 1. the bounds in the manifest, 2. the filter, 3. the index (the fence of the one block that can have the
//! key), 4. the block, from the cache or the file, 5. its restart points.

use std::sync::{Arc, OnceLock};

use kv0_env::{File, FileSystem};
use parking_lot::Mutex;

use super::block::{Block, BlockValue, Target};
use super::filter::{self, Filter};
use super::format::{
    BlockHandle, BlockType, FOOTER_BYTES, FORMAT_VERSION, FRAME_BYTES, Footer, HEADER_BYTES, KEYSPACE_BYTES,
    Refusal, append_stored_key, open_block,
};
use super::info::SegmentInfo;
use super::statistics::{Statistics, decode_range_tombstones};
use crate::cache::{BlockId, Cache};
use crate::encoding::Damage;
use crate::entry::{KeyspaceId, Version};
use crate::error::{Error, ErrorKind, Result};
use crate::tombstones::RangeTombstones;

/// A segment that the manifest names.
#[derive(Debug)]
pub(crate) struct Segment {
    files: Arc<dyn FileSystem>,
    path: String,
    info: SegmentInfo,
    cache: Arc<Cache>,
    /// Set once the metadata was read and found good; a failure is not kept, the next touch tries again.
    opened: OnceLock<Opened>,
    /// Held while opening, so that the metadata is read once.
    opening: Mutex<()>,
}

/// What stays in memory of an opened segment.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) filter: Filter,
    pub(super) index: Arc<Block>,
    pub(super) range_tombstones: Arc<RangeTombstones>,
    pub(super) statistics: Statistics,
}

/// A key to look up in segments, composed and hashed once for all of them.
#[derive(Debug)]
pub(crate) struct LookupKey {
    /// Holds keys up to its size; longer ones are in `long`.
    short: [u8; 124],
    length: usize,
    long: Vec<u8>,
    hash: u64,
    keyspace: KeyspaceId,
}

impl LookupKey {
    pub(crate) fn new(keyspace: KeyspaceId, key: &[u8]) -> LookupKey {
        let prefix = keyspace.0.to_be_bytes();
        let length = prefix.len() + key.len();
        let mut lookup = LookupKey { short: [0; 124], length, long: Vec::new(), hash: 0, keyspace };
        if let Some(short) = lookup.short.get_mut(..length) {
            short[..prefix.len()].copy_from_slice(&prefix);
            short[prefix.len()..].copy_from_slice(key);
        } else {
            append_stored_key(&mut lookup.long, keyspace, key);
        }
        lookup.hash = filter::hash(lookup.stored());
        lookup
    }

    pub(super) fn stored(&self) -> &[u8] {
        self.short.get(..self.length).unwrap_or(&self.long)
    }

    fn key(&self) -> &[u8] {
        &self.stored()[KEYSPACE_BYTES..]
    }
}

impl Segment {
    /// Reads nothing yet.
    pub(crate) fn new(
        files: Arc<dyn FileSystem>,
        path: String,
        info: SegmentInfo,
        cache: Arc<Cache>,
    ) -> Segment {
        Segment { files, path, info, cache, opened: OnceLock::new(), opening: Mutex::new(()) }
    }

    pub(crate) fn info(&self) -> &SegmentInfo {
        &self.info
    }

    /// The newest version of the key that is not newer than `at`; an inner `None` is a tombstone. Range tombstones
    /// are not applied.
    pub(crate) fn get(&self, key: &LookupKey, at: Version) -> Result<Option<(Version, Option<BlockValue>)>> {
        if self.info.min_version > at || !self.info.covers(key.keyspace, key.key()) {
            return Ok(None);
        }
        let opened = self.open()?;
        if !opened.filter.may_contain(key.hash) {
            return Ok(None);
        }
        let fence = opened.index.value_from(Target { key: key.stored(), at: Some(at) });
        let Some(fence) = fence else { return Ok(None) };
        let block = self.data_block(self.fence(fence)?)?;
        let found = block.find(key.stored(), at);
        Ok(found.map(|(version, value)| (version, value.map(|range| BlockValue::new(block, range)))))
    }

    /// The range tombstones. Reads nothing if there are none.
    pub(crate) fn range_tombstones(&self) -> Result<Option<Arc<RangeTombstones>>> {
        if !self.info.has_range_tombstones {
            return Ok(None);
        }
        Ok(Some(Arc::clone(&self.open()?.range_tombstones)))
    }

    /// The newest version not after `at` at which a range over the key was deleted.
    pub(crate) fn range_tombstone_over(
        &self,
        keyspace: KeyspaceId,
        key: &[u8],
        at: Version,
    ) -> Result<Option<Version>> {
        if !self.info.has_range_tombstones || !self.info.covers(keyspace, key) {
            return Ok(None);
        }
        Ok(self.open()?.range_tombstones.newest_over(keyspace, key, at))
    }

    /// What was counted when it was written.
    #[cfg(test)]
    pub(crate) fn statistics(&self) -> Result<&Statistics> {
        Ok(&self.open()?.statistics)
    }

    /// Memory that filter and index take while the segment is open, in bytes; 0 before it is touched.
    pub(crate) fn resident_bytes(&self) -> usize {
        self.opened.get().map_or(0, |opened| opened.filter.memory_bytes() + opened.index.memory_bytes())
    }

    pub(super) fn corrupt(&self, offset: u64, what: impl std::fmt::Display) -> Error {
        Error::corrupt(&self.path, offset, what)
    }

    pub(super) fn refused(&self, offset: u64, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Damage(damage) => self.corrupt(offset, damage),
            Refusal::Newer(version) => Error::new(
                ErrorKind::Invalid,
                format!(
                    "{}: segment format version {version} needs a newer version of kv0, this one reads up to \
                     version {FORMAT_VERSION}",
                    self.path
                ),
            ),
        }
    }

    pub(super) fn open(&self) -> Result<&Opened> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let _one_at_a_time = self.opening.lock();
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.read_metadata()?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// Reads everything behind the data blocks at once and checks it against the manifest.
    pub(super) fn read_metadata(&self) -> Result<Opened> {
        let file = self.file()?;
        let size = file.size().map_err(|error| Error::io("find the size of", &self.path, error))?;
        if size != self.info.size_bytes {
            let what = format!("file of {size} bytes, expected {}", self.info.size_bytes);
            return Err(self.corrupt(size.min(self.info.size_bytes), what));
        }
        let start = self.info.metadata_offset;
        let bytes = self.read(&*file, start, size - start)?;
        let Some((blocks, footer_bytes)) = bytes.split_last_chunk::<FOOTER_BYTES>() else {
            return Err(self.corrupt(start, "no room for a footer"));
        };
        let footer_at = size - FOOTER_BYTES as u64;
        let (footer, checksum) =
            Footer::decode(footer_bytes).map_err(|refusal| self.refused(footer_at, refusal))?;
        if checksum != self.info.footer_checksum {
            let expected = self.info.footer_checksum;
            let what = format!("another segment: footer checksum {checksum:08x}, expected {expected:08x}");
            return Err(self.corrupt(footer_at, what));
        }
        self.check_layout(&footer).map_err(|damage| self.corrupt(footer_at, damage))?;
        let section = |handle: BlockHandle, block_type| {
            let from = usize::try_from(handle.offset - start).expect("in the bytes that were read");
            let block = blocks[from..from + handle.length as usize].to_vec();
            open_block(block, handle.offset, block_type)
        };
        let at = |handle: BlockHandle| move |damage: Damage| self.corrupt(handle.offset, damage);
        let filter = section(footer.filter, BlockType::Filter).and_then(|(body, _)| Filter::decode(body));
        let index =
            section(footer.index, BlockType::Index).and_then(|(body, count)| Block::decode(body, count, 0));
        let range_tombstones = section(footer.range_tombstones, BlockType::RangeTombstones)
            .and_then(|(body, count)| decode_range_tombstones(&body, count));
        let statistics = section(footer.statistics, BlockType::Statistics)
            .and_then(|(body, _)| Statistics::decode(&body))
            .and_then(|statistics| statistics.check_against(&self.info).map(|()| statistics));
        let opened = Opened {
            filter: filter.map_err(at(footer.filter))?,
            index: Arc::new(index.map_err(at(footer.index))?),
            range_tombstones: Arc::new(range_tombstones.map_err(at(footer.range_tombstones))?),
            statistics: statistics.map_err(at(footer.statistics))?,
        };
        if (opened.range_tombstones.len() as u64, u64::from(opened.index.count()))
            != (opened.statistics.range_tombstones, opened.statistics.data_blocks)
        {
            return Err(self.corrupt(footer.statistics.offset, "statistics do not count what is there"));
        }
        Ok(opened)
    }

    /// The metadata blocks follow each other from the end of the data to the footer.
    fn check_layout(&self, footer: &Footer) -> std::result::Result<(), Damage> {
        let mut at = self.info.metadata_offset;
        for handle in [footer.filter, footer.index, footer.range_tombstones, footer.statistics] {
            if handle.offset != at {
                return Err(format!("metadata block at {}, expected at {at}", handle.offset));
            }
            at = handle.end().ok_or("metadata block of no end")?;
        }
        let end = self.info.size_bytes - FOOTER_BYTES as u64;
        if at == end { Ok(()) } else { Err(format!("metadata ends at {at}, expected {end}")) }
    }

    /// The block that the value of a fence points to.
    pub(super) fn fence(&self, value: &[u8]) -> Result<BlockHandle> {
        let handle = BlockHandle::decode(value)
            .map_err(|damage| self.corrupt(self.info.metadata_offset, format!("fence: {damage}")))?;
        let inside = handle.offset >= HEADER_BYTES as u64
            && handle.length as usize >= FRAME_BYTES
            && handle.end().is_some_and(|end| end <= self.info.metadata_offset);
        if !inside {
            let what = format!("fence to {} bytes outside of the data", handle.length);
            return Err(self.corrupt(handle.offset, what));
        }
        Ok(handle)
    }

    /// A data block from the cache or the file.
    pub(super) fn data_block(&self, handle: BlockHandle) -> Result<Arc<Block>> {
        let id = BlockId { segment: self.info.id, offset: handle.offset };
        if let Some(block) = self.cache.block(id) {
            return Ok(block);
        }
        let block = Arc::new(self.read_data_block(handle)?);
        self.cache.keep_block(id, Arc::clone(&block));
        Ok(block)
    }

    /// A data block from the file.
    pub(super) fn read_data_block(&self, handle: BlockHandle) -> Result<Block> {
        let bytes = self.read(&*self.file()?, handle.offset, u64::from(handle.length))?;
        open_block(bytes, handle.offset, BlockType::Data)
            .and_then(|(body, count)| Block::decode_data(body, count))
            .map_err(|damage| self.corrupt(handle.offset, damage))
    }

    pub(super) fn file(&self) -> Result<Arc<dyn File>> {
        let opened = self.cache.file(self.info.id, &*self.files, &self.path);
        opened.map_err(|error| Error::io("open", &self.path, error))
    }

    /// Reads a part of the file that lies within its size.
    pub(super) fn read(&self, file: &dyn File, offset: u64, length: u64) -> Result<Vec<u8>> {
        assert!(
            offset.checked_add(length).is_some_and(|end| end <= self.info.size_bytes),
            "reads stay inside of the file"
        );
        let length = usize::try_from(length)
            .map_err(|_| self.corrupt(offset, format!("{length} bytes, more than fit in memory")))?;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset).map_err(|error| {
            Error::io(&format!("read {length} bytes at offset {offset} of"), &self.path, error)
        })?;
        Ok(bytes)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.cache.forget_file(self.info.id);
    }
}
