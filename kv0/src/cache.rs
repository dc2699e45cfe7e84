//! The memory and the file handles that all segments of a database share.

use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::sync::Arc;

use kv0_env::{File, FileSystem};
use quick_cache::sync::{Cache as QuickCache, DefaultLifecycle};
use quick_cache::{OptionsBuilder, Weighter};

use crate::limits;
use crate::segment::Block;

/// A shard smaller than this would turn away ordinary blocks.
const MIN_SHARD_BYTES: u64 = 4 << 20;
const MAX_SHARDS: u64 = 16;

/// Decompressed, checked blocks up to a number of bytes, and open files up to [`limits::OPEN_SEGMENT_FILES`].
///
/// What is evicted when depends on the calls alone, not on a random seed or the machine, so that a simulation repeats.
#[derive(Debug)]
pub(crate) struct Cache {
    blocks: QuickCache<BlockId, Arc<Block>, BlockWeight, BuildHasherDefault<MixHasher>>,
    files: QuickCache<u64, Arc<dyn File>, OneEach, BuildHasherDefault<MixHasher>>,
}

/// A block of a segment, by the segment's number (never used twice) and its offset in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlockId {
    pub(crate) segment: u64,
    pub(crate) offset: u64,
}

impl Cache {
    /// A cache whose blocks take up to `capacity_bytes`. A block over a shard's share of it is not kept.
    pub(crate) fn new(capacity_bytes: usize) -> Cache {
        let capacity = capacity_bytes as u64;
        let shards = (capacity / MIN_SHARD_BYTES).clamp(1, MAX_SHARDS);
        Cache {
            blocks: shared(capacity, shards, capacity_bytes / limits::BLOCK_BYTES, BlockWeight),
            files: shared(limits::OPEN_SEGMENT_FILES as u64, 1, limits::OPEN_SEGMENT_FILES, OneEach),
        }
    }

    pub(crate) fn block(&self, id: BlockId) -> Option<Arc<Block>> {
        self.blocks.get(&id)
    }

    pub(crate) fn keep_block(&self, id: BlockId, block: Arc<Block>) {
        self.blocks.insert(id, block);
    }

    /// The open file of a segment, opened if need be.
    pub(crate) fn file(&self, segment: u64, files: &dyn FileSystem, path: &str) -> io::Result<Arc<dyn File>> {
        if let Some(file) = self.files.get(&segment) {
            return Ok(file);
        }
        let file = files.open_read(path)?;
        self.files.insert(segment, Arc::clone(&file));
        Ok(file)
    }

    /// Lets go of the file of a segment that nobody uses any more.
    pub(crate) fn forget_file(&self, segment: u64) {
        self.files.remove(&segment);
    }

    /// What the blocks take, in bytes.
    pub(crate) fn block_bytes(&self) -> u64 {
        self.blocks.weight()
    }
}

fn shared<K, V, W>(
    capacity: u64,
    shards: u64,
    items: usize,
    weighter: W,
) -> QuickCache<K, V, W, BuildHasherDefault<MixHasher>>
where
    K: std::hash::Hash + Eq,
    V: Clone,
    W: Weighter<K, V> + Clone,
{
    let options = OptionsBuilder::new()
        .shards(usize::try_from(shards).expect("at most MAX_SHARDS"))
        .estimated_items_capacity(items.max(1))
        .weight_capacity(capacity)
        .build()
        .expect("the required options are set");
    QuickCache::with_options(options, weighter, BuildHasherDefault::default(), DefaultLifecycle::default())
}

#[derive(Debug, Clone)]
struct BlockWeight;

impl Weighter<BlockId, Arc<Block>> for BlockWeight {
    fn weight(&self, _: &BlockId, block: &Arc<Block>) -> u64 {
        block.memory_bytes() as u64
    }
}

#[derive(Debug, Clone)]
struct OneEach;

impl Weighter<u64, Arc<dyn File>> for OneEach {
    fn weight(&self, _: &u64, _: &Arc<dyn File>) -> u64 {
        1
    }
}

/// Mixes a few integers. The keys are our own numbers, so nobody can choose them to collide.
#[derive(Debug, Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        let low = product & u128::from(u64::MAX);
        self.0 = u64::try_from((product >> 64) ^ low).expect("64 bits each");
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests;
