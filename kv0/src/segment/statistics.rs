//! The statistics of a segment, and how its range tombstones are stored.

use std::sync::Arc;

use super::format::{MAX_STORED_KEY_BYTES, split_stored_key, stored_key};
use super::info::{FullKey, SegmentInfo};
use crate::encoding::{Damage, Input, append_varint};
use crate::entry::{KeyspaceId, RangeTombstone, Version};
use crate::limits;
use crate::tombstones::{self, RangeTombstones};

/// What a segment holds, counted while it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// Entries, tombstones among them.
    pub(crate) entries: u64,
    pub(crate) tombstones: u64,
    pub(crate) range_tombstones: u64,
    /// Different keys.
    pub(crate) keys: u64,
    /// Keys and values of all entries before compression, in bytes.
    pub(crate) raw_bytes: u64,
    pub(crate) data_blocks: u64,
    pub(crate) min_version: Version,
    pub(crate) max_version: Version,
    pub(crate) min_key: FullKey,
    pub(crate) max_key: FullKey,
}

impl Statistics {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for number in [
            self.entries,
            self.tombstones,
            self.range_tombstones,
            self.keys,
            self.raw_bytes,
            self.data_blocks,
            self.min_version.0,
            self.max_version.0,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for (keyspace, key) in [&self.min_key, &self.max_key] {
            append_bytes(&mut out, &stored_key(*keyspace, key));
        }
        out
    }

    pub(crate) fn decode(body: &[u8]) -> Result<Statistics, Damage> {
        let mut input = Input::new(body);
        let statistics = Statistics {
            entries: input.u64()?,
            tombstones: input.u64()?,
            range_tombstones: input.u64()?,
            keys: input.u64()?,
            raw_bytes: input.u64()?,
            data_blocks: input.u64()?,
            min_version: Version(input.u64()?),
            max_version: Version(input.u64()?),
            min_key: read_full_key(&mut input)?,
            max_key: read_full_key(&mut input)?,
        };
        input.end()?;
        Ok(statistics)
    }

    /// Compares with what the manifest says of the segment.
    pub(crate) fn check_against(&self, info: &SegmentInfo) -> Result<(), Damage> {
        let wrong = if self.entries != info.entries {
            "number of entries"
        } else if (self.range_tombstones > 0) != info.has_range_tombstones {
            "range tombstones"
        } else if (self.min_version, self.max_version) != (info.min_version, info.max_version) {
            "versions"
        } else if (&self.min_key, &self.max_key) != (&info.min_key, &info.max_key) {
            "smallest or greatest key"
        } else {
            return Ok(());
        };
        Err(format!("the {wrong} of the statistics differ from those of the manifest"))
    }
}

pub(crate) fn append_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    append_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(crate) fn read_full_key(input: &mut Input<'_>) -> Result<FullKey, Damage> {
    let length = input.varlen()?;
    let stored = input.bytes(length.min(MAX_STORED_KEY_BYTES + 1))?;
    let (keyspace, key) = split_stored_key(stored).ok_or_else(|| format!("key of {length} bytes"))?;
    Ok((keyspace, key.into()))
}

/// The body of the range-tombstone block.
pub(crate) fn encode_range_tombstones(tombstones: &[RangeTombstone]) -> Vec<u8> {
    let mut out = Vec::new();
    for RangeTombstone { keyspace, start, end, version } in tombstones {
        append_bytes(&mut out, &stored_key(*keyspace, start));
        match end {
            None => append_varint(&mut out, 0),
            Some(end) => {
                append_varint(&mut out, end.len() as u64 + 1);
                out.extend_from_slice(end);
            }
        }
        out.extend_from_slice(&version.0.to_le_bytes());
    }
    out
}

pub(crate) fn decode_range_tombstones(body: &[u8], count: u32) -> Result<RangeTombstones, Damage> {
    let mut input = Input::new(body);
    let mut all = Vec::new();
    for _ in 0..count {
        let (keyspace, start) = read_full_key(&mut input)?;
        if keyspace.0 == u32::MAX {
            return Err("range tombstone in a keyspace that has no next one".into());
        }
        let end = match input.varlen()? {
            0 => None,
            length if length - 1 <= limits::MAX_KEY_BYTES => Some(Arc::from(input.bytes(length - 1)?)),
            length => return Err(format!("range tombstone with an end of {} bytes", length - 1)),
        };
        let version = Version(input.u64()?);
        all.push(RangeTombstone { keyspace, start, end, version });
    }
    input.end()?;
    if !all.is_sorted_by(|a, b| tombstones::order(a, b).is_le()) {
        return Err("range tombstones out of order".into());
    }
    Ok(RangeTombstones::new(all))
}

/// The greatest key that a range tombstone may bear on, or the end it stops at.
pub(crate) fn reach(tombstone: &RangeTombstone) -> FullKey {
    match &tombstone.end {
        Some(end) => (tombstone.keyspace, Arc::clone(end)),
        None => {
            let next = tombstone.keyspace.0.checked_add(1).expect("keyspaces are numbered up to MAX_NAMES");
            (KeyspaceId(next), Arc::from([]))
        }
    }
}

#[cfg(test)]
mod tests;
