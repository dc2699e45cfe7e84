//! The body of data and index blocks: sorted entries with shared prefixes, and restart points to search among.
//!
//! A [`Block`] is checked as a whole when it is decoded; what comes later relies on that and cannot fail.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::format::{FRAME_BYTES, KEYSPACE_BYTES, MAX_STORED_KEY_BYTES, RESTART_INTERVAL};
use crate::encoding::{Damage, Input, append_varint};
use crate::entry::Version;

const TAG_TOMBSTONE: u64 = 0;
const TAG_VALUE: u64 = 1;
const TAG_BITS: u32 = 2;
const CHECKED: &str = "the block was checked when it was decoded";

/// A place in a block, in bytes of stored keys; see [`crate::edge::Edge`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) at: Option<Version>,
}

impl Target<'_> {
    /// Whether an entry stands before this place, given how its key compares with that of the place.
    fn is_behind(self, key_order: Ordering, version: Version) -> bool {
        match key_order {
            Ordering::Less => true,
            Ordering::Equal => self.at.is_none_or(|at| version > at),
            Ordering::Greater => false,
        }
    }
}

/// Builds the body of a block from entries in order.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    body: Vec<u8>,
    restarts: Vec<u32>,
    count: u32,
    base: u64,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Size of the body with one more entry, or a little less.
    pub(crate) fn size_with(&self, key: &[u8], value: Option<&[u8]>) -> usize {
        self.body.len() + (self.restarts.len() + 1) * 4 + key.len() + value.map_or(0, <[u8]>::len)
    }

    pub(crate) fn add(&mut self, key: &[u8], version: Version, value: Option<&[u8]>) {
        if self.is_empty() {
            self.base = version.0;
            self.body.extend_from_slice(&self.base.to_le_bytes());
        }
        let mut shared = 0;
        if (self.count as usize).is_multiple_of(RESTART_INTERVAL) {
            self.restarts.push(u32::try_from(self.body.len()).expect("a body stays below 4 GiB"));
        } else {
            shared = shared_prefix(&self.last_key, key);
        }
        append_varint(&mut self.body, shared as u64);
        append_varint(&mut self.body, (key.len() - shared) as u64);
        let tag = match value {
            None => TAG_TOMBSTONE,
            Some(value) => (value.len() as u64) << TAG_BITS | TAG_VALUE,
        };
        append_varint(&mut self.body, tag);
        append_varint(&mut self.body, zigzag(version.0.wrapping_sub(self.base)));
        self.body.extend_from_slice(&key[shared..]);
        self.body.extend_from_slice(value.unwrap_or_default());
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
        self.count += 1;
    }

    /// Hands the finished body and the number of entries to `take`, and begins a new block.
    pub(crate) fn finish<T>(&mut self, take: impl FnOnce(&[u8], u32) -> T) -> T {
        if self.is_empty() {
            self.body.extend_from_slice(&0_u64.to_le_bytes());
        }
        for restart in &self.restarts {
            self.body.extend_from_slice(&restart.to_le_bytes());
        }
        let result = take(&self.body, self.count);
        self.body.clear();
        self.restarts.clear();
        self.count = 0;
        result
    }
}

/// Length of the longest common prefix.
pub(crate) fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn zigzag(difference: u64) -> u64 {
    // The top bit is the sign: moved to the bottom, it keeps small differences of either sign short.
    (difference << 1) ^ if difference >> 63 == 1 { u64::MAX } else { 0 }
}

fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ if value & 1 == 1 { u64::MAX } else { 0 }
}

/// The decoded body of a data or index block.
#[derive(Debug)]
pub(crate) struct Block {
    body: Vec<u8>,
    base: u64,
    count: u32,
    /// Where the entries end and the restart points begin.
    restarts_at: usize,
    restart_count: usize,
}

/// One entry as it lies in the body.
struct Parsed {
    shared: usize,
    suffix: Range<usize>,
    version: Version,
    value: Option<Range<usize>>,
    end: usize,
}

impl Block {
    /// Checks everything that access relies on: the bounds of each entry, the restart points, the length of each key
    /// (at least `min_key_bytes`). Not checked is the order of the entries, which no access relies on for its safety.
    pub(crate) fn decode(body: Vec<u8>, count: u32, min_key_bytes: usize) -> Result<Block, Damage> {
        let restart_count = (count as usize).div_ceil(RESTART_INTERVAL);
        let restarts_at = body
            .len()
            .checked_sub(restart_count * 4)
            .filter(|&at| at >= 8)
            .ok_or_else(|| format!("{count} entries in a body of {} bytes", body.len()))?;
        let base = Input::new(&body).u64()?;
        let block = Block { body, base, count, restarts_at, restart_count };
        let mut position = 8;
        let mut key_bytes = 0;
        for index in 0..count as usize {
            let entry = block.parse(position)?;
            let restarts = index.is_multiple_of(RESTART_INTERVAL);
            if restarts && (entry.shared != 0 || block.restart(index / RESTART_INTERVAL) != position) {
                return Err(format!("no restart point at entry {index}, at {position} of the body"));
            }
            if entry.shared > key_bytes {
                return Err(format!("entry {index} shares {} of {key_bytes} bytes", entry.shared));
            }
            key_bytes = entry.shared + entry.suffix.len();
            if key_bytes < min_key_bytes || key_bytes > MAX_STORED_KEY_BYTES {
                return Err(format!("entry {index} has a key of {key_bytes} bytes"));
            }
            position = entry.end;
        }
        if position != block.restarts_at {
            return Err(format!("entries end at {position} of the body, expected {}", block.restarts_at));
        }
        Ok(block)
    }

    /// A data block: every key has a keyspace.
    pub(crate) fn decode_data(body: Vec<u8>, count: u32) -> Result<Block, Damage> {
        if count == 0 {
            return Err("data block without entries".into());
        }
        Block::decode(body, count, KEYSPACE_BYTES)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.body.len() + FRAME_BYTES + size_of::<Block>()
    }

    /// Version and value of the entry with this key and the newest version not newer than `at`.
    pub(crate) fn find(&self, key: &[u8], at: Version) -> Option<(Version, Option<Range<usize>>)> {
        let (order, version, value) = self.first_from(Target { key, at: Some(at) })?;
        order.is_eq().then_some((version, value))
    }

    /// The value of the first entry that does not stand before the place; empty for a tombstone.
    pub(crate) fn value_from(&self, target: Target<'_>) -> Option<&[u8]> {
        let (_, _, value) = self.first_from(target)?;
        Some(&self.body[value.unwrap_or_default()])
    }

    /// The first entry that does not stand before the place, and how its key compares with that of the place.
    ///
    /// Walks from the last restart point before the place, comparing each key only where it differs from the one
    /// before: `matched` is how many bytes the previous key has in common with the wanted one, and an entry that
    /// shares more than that with its predecessor compares like it.
    fn first_from(&self, target: Target<'_>) -> Option<(Ordering, Version, Option<Range<usize>>)> {
        let mut position = self.restart(self.restart_before(target)?);
        let mut matched = 0;
        let mut order = Ordering::Less;
        while position < self.restarts_at {
            let entry = self.parse(position).expect(CHECKED);
            if entry.shared <= matched {
                let suffix = &self.body[entry.suffix];
                let rest = &target.key[entry.shared..];
                matched = entry.shared + shared_prefix(suffix, rest);
                order = suffix.cmp(rest);
            }
            if !target.is_behind(order, entry.version) {
                return Some((order, entry.version, entry.value));
            }
            position = entry.end;
        }
        None
    }

    /// The last restart point whose entry stands before the place, or the first one; `None` if there are none.
    fn restart_before(&self, target: Target<'_>) -> Option<usize> {
        let (mut low, mut high) = (0, self.restart_count);
        while low < high {
            let middle = low.midpoint(high);
            let entry = self.parse(self.restart(middle)).expect(CHECKED);
            if target.is_behind(self.body[entry.suffix].cmp(target.key), entry.version) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (self.restart_count > 0).then(|| low.saturating_sub(1))
    }

    fn restart(&self, index: usize) -> usize {
        let at = self.restarts_at + index * 4;
        Input::new(&self.body[at..]).u32().expect("as many restart points as entries need") as usize
    }

    fn parse(&self, position: usize) -> Result<Parsed, Damage> {
        let entries = self.body.get(..self.restarts_at).unwrap_or_default();
        let mut input = Input::new(entries.get(position..).unwrap_or_default());
        let (shared, unshared) = (input.varlen()?, input.varlen()?);
        let tag = input.varint()?;
        let version = Version(self.base.wrapping_add(unzigzag(input.varint()?)));
        let start = position + input.position();
        input.bytes(unshared)?;
        let suffix = start..start + unshared;
        let value = match (tag & ((1 << TAG_BITS) - 1), tag >> TAG_BITS) {
            (TAG_TOMBSTONE, 0) => None,
            (TAG_VALUE, length) => {
                let length = usize::try_from(length).map_err(|_| format!("value of {length} bytes"))?;
                input.bytes(length)?;
                Some(suffix.end..suffix.end + length)
            }
            _ => {
                return Err(format!("unknown tag {tag:#x} of an entry at {position} of the body"));
            }
        };
        Ok(Parsed { shared, suffix, version, value, end: position + input.position() })
    }
}

/// A value that lies in a block and keeps it in memory.
#[derive(Debug, Clone)]
pub(crate) struct BlockValue {
    block: Arc<Block>,
    range: Range<usize>,
}

impl BlockValue {
    pub(crate) fn new(block: Arc<Block>, range: Range<usize>) -> BlockValue {
        BlockValue { block, range }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.block.body[self.range.clone()]
    }
}

/// A place on an entry of a block, or behind either end of it. Moves both ways: it decodes the entries from one
/// restart point to the next together.
#[derive(Debug)]
pub(crate) struct BlockCursor {
    block: Arc<Block>,
    /// The restart interval that is decoded in `entries`.
    interval: usize,
    entries: Vec<Decoded>,
    /// The keys of the interval, one behind the other.
    keys: Vec<u8>,
    /// Index in `entries`; not one of them means that the cursor is on no entry.
    at: usize,
}

#[derive(Debug)]
struct Decoded {
    key: Range<usize>,
    version: Version,
    value: Option<Range<usize>>,
}

const NO_ENTRY: usize = usize::MAX;

impl BlockCursor {
    /// On no entry.
    pub(crate) fn new(block: Arc<Block>) -> BlockCursor {
        BlockCursor { block, interval: 0, entries: Vec::new(), keys: Vec::new(), at: NO_ENTRY }
    }

    /// The same buffers on another block.
    pub(crate) fn reset(&mut self, block: Arc<Block>) {
        self.block = block;
        self.entries.clear();
        self.at = NO_ENTRY;
    }

    /// Stored key and version of the entry under the cursor.
    pub(crate) fn entry(&self) -> Option<(&[u8], Version)> {
        let entry = self.entries.get(self.at)?;
        Some((&self.keys[entry.key.clone()], entry.version))
    }

    /// The value of the entry under the cursor; `None` for a tombstone and for no entry.
    pub(crate) fn value(&self) -> Option<BlockValue> {
        let range = self.entries.get(self.at)?.value.clone()?;
        Some(BlockValue::new(Arc::clone(&self.block), range))
    }

    pub(crate) fn value_bytes(&self) -> Option<&[u8]> {
        let range = self.entries.get(self.at)?.value.clone()?;
        Some(&self.block.body[range])
    }

    pub(crate) fn first(&mut self) {
        self.load(0);
    }

    pub(crate) fn last(&mut self) {
        self.at = NO_ENTRY;
        if let Some(interval) = self.block.restart_count.checked_sub(1) {
            self.load(interval);
            self.at = self.entries.len() - 1;
        }
    }

    /// To the first entry that does not stand before the place.
    pub(crate) fn seek(&mut self, target: Target<'_>) {
        self.at = NO_ENTRY;
        let Some(interval) = self.block.restart_before(target) else {
            return;
        };
        self.load(interval);
        let keys = &self.keys;
        self.at = self.entries.partition_point(|entry| {
            target.is_behind(keys[entry.key.clone()].cmp(target.key), entry.version)
        });
        if self.at == self.entries.len() {
            self.load(interval + 1);
        }
    }

    /// To the last entry that stands before the place.
    pub(crate) fn seek_before(&mut self, target: Target<'_>) {
        self.seek(target);
        if self.at == NO_ENTRY {
            self.last();
        } else {
            self.previous();
        }
    }

    pub(crate) fn next(&mut self) {
        if self.at == NO_ENTRY {
            return;
        }
        self.at += 1;
        if self.at == self.entries.len() {
            self.load(self.interval + 1);
        }
    }

    pub(crate) fn previous(&mut self) {
        if self.at == NO_ENTRY {
            return;
        }
        if self.at > 0 {
            self.at -= 1;
            return;
        }
        self.at = NO_ENTRY;
        if let Some(interval) = self.interval.checked_sub(1) {
            self.load(interval);
            self.at = self.entries.len() - 1;
        }
    }

    /// Decodes an interval and stands on its first entry, or on none if there is no such interval.
    fn load(&mut self, interval: usize) {
        self.at = NO_ENTRY;
        if interval >= self.block.restart_count {
            return;
        }
        self.interval = interval;
        self.entries.clear();
        self.keys.clear();
        let mut position = self.block.restart(interval);
        let mut previous = 0..0;
        while position < self.block.restarts_at && self.entries.len() < RESTART_INTERVAL {
            let entry = self.block.parse(position).expect(CHECKED);
            let start = self.keys.len();
            self.keys.extend_from_within(previous.start..previous.start + entry.shared);
            self.keys.extend_from_slice(&self.block.body[entry.suffix]);
            previous = start..self.keys.len();
            self.entries.push(Decoded { key: previous.clone(), version: entry.version, value: entry.value });
            position = entry.end;
        }
        self.at = 0;
    }
}

#[cfg(test)]
mod tests;
