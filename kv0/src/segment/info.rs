//! What the manifest knows of a segment.

use std::sync::Arc;

use super::format::{FOOTER_BYTES, HEADER_BYTES, stored_key};
use super::statistics::{append_bytes, read_full_key};
use crate::encoding::{Damage, Input};
use crate::entry::{KeyspaceId, Version};

/// A key with its keyspace.
pub(crate) type FullKey = (KeyspaceId, Arc<[u8]>);

/// Enough to find a segment, to leave it out of a lookup unopened, and to know its file again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentInfo {
    pub(crate) id: u64,
    /// Size of the file, in bytes.
    pub(crate) size_bytes: u64,
    /// Where the data blocks end and filter, index and the rest begin, which are read together.
    pub(crate) metadata_offset: u64,
    /// Entries, tombstones among them; range tombstones are not.
    pub(crate) entries: u64,
    /// No entry and no part of a range tombstone lies before it.
    pub(crate) min_key: FullKey,
    /// None lies behind it. (A range tombstone may end just there; one without end reaches to the next keyspace.)
    pub(crate) max_key: FullKey,
    pub(crate) min_version: Version,
    pub(crate) max_version: Version,
    pub(crate) has_range_tombstones: bool,
    pub(crate) footer_checksum: u32,
}

impl SegmentInfo {
    /// Whether something of the segment bears on the key.
    pub(crate) fn covers(&self, keyspace: KeyspaceId, key: &[u8]) -> bool {
        self.starts_by(keyspace, key) && (keyspace, key) <= (self.max_key.0, &*self.max_key.1)
    }

    /// Whether the segment begins at or before the key.
    pub(crate) fn starts_by(&self, keyspace: KeyspaceId, key: &[u8]) -> bool {
        (self.min_key.0, &*self.min_key.1) <= (keyspace, key)
    }

    /// Appends the bytes that [`SegmentInfo::decode`] reads.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for number in [
            self.id,
            self.size_bytes,
            self.metadata_offset,
            self.entries,
            self.min_version.0,
            self.max_version.0,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.footer_checksum.to_le_bytes());
        out.push(u8::from(self.has_range_tombstones));
        for (keyspace, key) in [&self.min_key, &self.max_key] {
            append_bytes(out, &stored_key(*keyspace, key));
        }
    }

    /// The info that exactly these bytes are, or what is wrong with them.
    pub(crate) fn decode(bytes: &[u8]) -> Result<SegmentInfo, Damage> {
        let mut input = Input::new(bytes);
        let mut number = || input.u64();
        let (id, size_bytes, metadata_offset, entries) = (number()?, number()?, number()?, number()?);
        let (min_version, max_version) = (Version(number()?), Version(number()?));
        let footer_checksum = input.u32()?;
        let has_range_tombstones = match input.u8()? {
            0 => false,
            1 => true,
            other => return Err(format!("{other} range tombstones, expected 0 or 1")),
        };
        let min_key = read_full_key(&mut input)?;
        let max_key = read_full_key(&mut input)?;
        input.end()?;
        let info = SegmentInfo {
            id,
            size_bytes,
            metadata_offset,
            entries,
            min_key,
            max_key,
            min_version,
            max_version,
            has_range_tombstones,
            footer_checksum,
        };
        info.check_invariants()?;
        Ok(info)
    }

    /// What holds for the info of every segment.
    pub(crate) fn check_invariants(&self) -> Result<(), Damage> {
        let data_end = self.size_bytes.checked_sub(FOOTER_BYTES as u64);
        let wrong = if self.metadata_offset < HEADER_BYTES as u64
            || data_end.is_none_or(|end| self.metadata_offset > end)
        {
            "metadata outside of the file"
        } else if self.min_key > self.max_key {
            "smallest key above greatest"
        } else if self.min_version > self.max_version {
            "oldest version above newest"
        } else if self.entries == 0 && !self.has_range_tombstones {
            "nothing in it"
        } else {
            return Ok(());
        };
        Err(format!("segment {}: {wrong}", self.id))
    }
}

#[cfg(test)]
mod tests;
