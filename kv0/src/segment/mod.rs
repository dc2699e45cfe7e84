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
pub(crate) use statistics::Statistics;
pub(crate) use writer::SegmentWriter;

#[cfg(test)]
pub(crate) mod tests;
