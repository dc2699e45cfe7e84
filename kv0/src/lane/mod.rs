//! The log of one writer: a row of chunk files, each a header and frames. `docs/format/lane.md` describes the bytes.

pub(crate) mod body;
pub(crate) mod format;
pub(crate) mod reader;
mod synced_file;
pub(crate) mod writer;

pub(crate) use reader::{ChunkReader, Frame};
pub(crate) use writer::{LaneWriter, Tail};

use crate::files::number_in;

/// Where the chunks of a lane are.
pub(crate) fn directory(lane: u64) -> String {
    format!("lanes/{lane:016x}")
}

/// The file of a chunk.
pub(crate) fn chunk_path(lane: u64, number: u64) -> String {
    format!("lanes/{lane:016x}/{number:016}.wal")
}

/// The number in a chunk's file name, or `None` if it is not the name of a chunk.
pub(crate) fn chunk_number(name: &str) -> Option<u64> {
    number_in(name, ".wal")
}

#[cfg(test)]
mod tests;
