//! Every bound of the database.

/// Longest id, in bytes.
pub const MAX_ID_BYTES: usize = 256;
/// Most results of one query.
pub const MAX_LIMIT: usize = 1_000;
/// Most ids that one query can exclude.
pub const MAX_EXCLUDED: usize = 10_000;
/// Most mutations in one batch.
pub const MAX_BATCH_MUTATIONS: usize = 100_000;
/// Most metadata fields of one entity.
pub const MAX_FIELDS: usize = 256;
/// Longest metadata value, in bytes.
pub const MAX_VALUE_BYTES: usize = 1 << 20;
/// Most tags in one field.
pub const MAX_TAGS: usize = 1_024;
/// Largest dimension of an embedding slot.
pub const MAX_DIMENSION: usize = 16_384;
/// Deepest nesting of a filter or expression.
pub const MAX_DEPTH: usize = 64;
/// Most nodes of a filter or expression.
pub const MAX_NODES: usize = 4_096;
/// Most items that one source of a profile may be asked for.
pub const MAX_CANDIDATES: usize = 10_000;
