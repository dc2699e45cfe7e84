//! JSON for every type that goes in or comes out. Reading is strict: an unknown key, a wrong type or a value out of
//! range is an error whose field is the path to it, such as `[3].filter.and[1].lt`.
//!
//! Each module has `from_json` and `to_json`; what one writes the other reads back unchanged. The forms are described
//! in `docs/http.md`.

pub mod answer;
pub mod entity;
pub mod filter;
mod object;
pub mod query;
pub mod relation;
pub mod signal;
#[cfg(test)]
mod tests;
pub mod value;

use serde_json::Value as Json;

pub use object::{id_from_json, id_to_json};

use crate::error::Result;
use crate::limits::MAX_BATCH_MUTATIONS;

/// Reads one object, or an array of them, as a list. The field of an error in an array begins with its place: `[3]`.
///
/// # Errors
/// `Invalid`: the first element that `read` refuses, or more than [`MAX_BATCH_MUTATIONS`] of them.
pub fn one_or_many<T>(json: &Json, read: impl Fn(&Json) -> Result<T>) -> Result<Vec<T>> {
    match json {
        Json::Array(_) => object::array(json, MAX_BATCH_MUTATIONS, read),
        _ => Ok(vec![read(json)?]),
    }
}
