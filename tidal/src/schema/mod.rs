//! What kinds of fields, signals and embeddings a database has.

/// The schema of a database.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema;
