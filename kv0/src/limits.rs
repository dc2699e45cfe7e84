//! Every bound of the engine.

/// Longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 64 << 10;
/// Longest value, in bytes.
pub const MAX_VALUE_BYTES: usize = 2 << 30;
/// Longest record of a stream, in bytes.
pub const MAX_RECORD_BYTES: usize = 16 << 20;
/// Most operations in one batch.
pub const MAX_BATCH_OPERATIONS: usize = 16 << 20;
/// Largest batch in its encoded form, in bytes: the log stores its length in 32 bits.
pub const MAX_BATCH_BYTES: usize = (2 << 30) + (1 << 20);
/// Longest name of a keyspace or stream, in bytes.
pub const MAX_NAME_BYTES: usize = 255;
/// Most keyspaces, and most streams, in one database.
pub const MAX_NAMES: usize = 65_536;
/// A log chunk is sealed and a new one begun once it holds this many bytes.
pub const CHUNK_BYTES: u64 = 4 << 20;
/// Uncompressed size at which a block of a segment is closed, in bytes.
pub const BLOCK_BYTES: usize = 8 << 10;
/// Smallest and largest permitted `memory_budget`, in bytes.
pub const MEMORY_BUDGET_BYTES: std::ops::RangeInclusive<usize> = (1 << 20)..=(1 << 40);
/// Entries that a scan takes from one memtable at a time.
pub const SCAN_BATCH_ENTRIES: usize = 128;
/// Segment files that are open at the same time.
pub const OPEN_SEGMENT_FILES: usize = 32;
/// How often an opening for reading looks again when a writer beside it changed the files between two looks.
pub const READ_ATTEMPTS: usize = 64;
/// Bytes that a segment writer gathers before it writes them to the file.
pub const WRITE_BUFFER_BYTES: usize = 1 << 20;
