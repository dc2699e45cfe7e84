//! The bounds of the text index, in one place.

/// The longest token that is indexed, in bytes after folding. A longer one is skipped and reported.
pub(crate) const TOKEN_BYTES_MAX: usize = 255;

/// The most bytes of one field of one document that are indexed, over all its values. The rest is skipped and
/// reported.
pub(crate) const FIELD_BYTES_MAX: usize = 1 << 20;

/// The most tokens of one field of one document that are indexed. The rest is skipped and reported.
pub(crate) const FIELD_TOKENS_MAX: usize = 200_000;

/// The most text fields of one kind.
pub(crate) const FIELDS_MAX: usize = 64;

/// How many positions apart the values of a field with several are, so that no phrase spans two of them.
pub(crate) const VALUE_POSITION_GAP: usize = 1_000;

/// The longest query in bytes.
pub(crate) const QUERY_BYTES_MAX: usize = 4096;

/// The most terms of a query, those of phrases and of compounds counted one by one.
pub(crate) const QUERY_TERMS_MAX: usize = 64;

/// How deep parentheses nest.
pub(crate) const QUERY_NESTING_MAX: usize = 16;

/// The most hits of one search.
pub(crate) const HITS_MAX: usize = 10_000;

/// Looser readings of the query (typos, missing spaces) are tried when the exact one finds fewer hits than this, and
/// fewer than were asked for.
pub(crate) const LOOSEN_BELOW_HITS: usize = 20;

/// The most spellings that one mistyped word stands for: the nearest, then the most frequent.
pub(crate) const TYPO_TERMS_MAX: usize = 32;

/// The most spellings that are looked at for one mistyped word in one field of one segment.
pub(crate) const TYPO_CANDIDATES_MAX: usize = 4096;

/// The most places where a space is put into one word.
pub(crate) const SPLITS_MAX: usize = 3;

/// The longest word, in characters, that typo tolerance and missing spaces are tried for.
pub(crate) const LOOSE_WORD_CHARS_MAX: usize = 32;

/// Files that are kept in memory up to the next checkpoint, in bytes over all of them; beyond, they are written to
/// disk at once.
pub(crate) const PENDING_BYTES_MAX: u64 = 64 << 20;

/// A file of up to this size is read whole and kept; a larger one is read piece by piece.
pub(crate) const RESIDENT_FILE_BYTES_MAX: u64 = 256 << 20;

/// The largest checkpoint file.
pub(crate) const CHECKPOINT_BYTES_MAX: u64 = 16 << 20;

/// Memory in which documents are inverted before they become a segment, in bytes.
pub(crate) const WRITER_MEMORY_BYTES: usize = 32 << 20;

/// So many segments of about one size are merged into one.
pub(crate) const MERGE_WIDTH: usize = 8;

/// Segments with fewer documents than this count as one size.
pub(crate) const MERGE_SMALL_DOCS: u32 = 1024;

/// The most documents that are merged in passing, within a search that publishes pending writes. Larger merges
/// wait for the checkpoint.
pub(crate) const MERGE_IN_PASSING_DOCS_MAX: u32 = 16 * 1024;

/// A segment is rewritten when more than this part of it, in percent, is deleted.
pub(crate) const MERGE_DELETED_PERCENT: u32 = 25;
