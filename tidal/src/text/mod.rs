//! Full-text search over the text fields of one kind: a view derived from the change feed.
//!
//! [`TextIndex`] holds the documents by row, [`TextSnapshot`] searches a pinned state. The rest of the crate knows
//! nothing of tantivy, which does the work underneath. A query goes `parse` → `plan` → `collect`; a document goes
//! `fold` → `analyzer` → `tokens` → tantivy → `directory`.

mod analyzer;
mod checkpoint;
mod collect;
mod directory;
mod exclude;
mod fold;
mod index;
mod limits;
mod loosen;
mod merge;
mod parse;
mod plan;
mod query;
mod schema;
mod search;
mod tokens;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use collect::TextHit;
pub(crate) use index::{Opened, RebuildReason, TextIndex};
pub(crate) use parse::Parsing;
pub(crate) use schema::{TextField, TextFieldKind};
pub(crate) use search::Matching;
#[cfg(test)]
pub(crate) use search::{TextHits, Total};
pub(crate) use tokens::NotIndexed;

use crate::{Error, ErrorKind};

/// What tantivy reports, as an error of this crate. Every byte that tantivy reads was verified or written by this
/// process, so what is left is a disk that failed.
fn failure(error: &tantivy::TantivyError) -> Error {
    Error::new(ErrorKind::Unavailable, format!("text index: {error}"))
}

fn disk_failure(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("text index: {error}"))
}
