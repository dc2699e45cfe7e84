//! Segments: immutable sorted runs of entries in a file. The bytes are described in `docs/format/segment.md`.

mod block;
mod check;
mod cursor;
mod filter;
mod format;
mod info;
mod reader;
mod statistics;
mod writer;

pub(crate) use block::{Block, BlockValue};
pub(crate) use cursor::SegmentCursor;
pub(crate) use info::SegmentInfo;
pub(crate) use reader::{LookupKey, Segment};
pub(crate) use writer::SegmentWriter;

use crate::files::number_in;

/// The file of a segment.
pub(crate) fn segment_path(id: u64) -> String {
    format!("segments/{id:016}.seg")
}

/// The number in a segment's file name, or `None` if it is not the name of a segment.
pub(crate) fn segment_number(name: &str) -> Option<u64> {
    number_in(name, ".seg")
}

#[cfg(test)]
pub(crate) mod tests;

/// A block of these entries, for tests of what holds blocks.
#[cfg(test)]
pub(crate) fn block_of(entries: &[(&[u8], crate::entry::Version, &[u8])]) -> Block {
    let mut builder = block::BlockBuilder::default();
    for (key, version, value) in entries {
        builder.add(key, *version, Some(value));
    }
    builder.finish(|body, count| Block::decode_data(body.to_vec(), count)).expect("just built")
}
