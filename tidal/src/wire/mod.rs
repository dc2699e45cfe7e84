//! JSON forms. Here and in programs only: everything else knows types.
//!
//! Every reader names what it refuses by its path, and refuses keys that it does not know. Whole numbers are exact over
//! all 64 bits.

pub mod answer;
mod batch;
pub mod entity;
pub mod filter;
mod object;
pub mod query;
pub mod relation;
pub mod signal;
pub mod value;

#[cfg(test)]
mod tests;

pub use batch::one_or_many;

use serde_json::{Map, Value as Json};

use crate::error::{Error, ErrorKind, Result};

/// Longest part of a value that a message quotes, in bytes.
const MAX_QUOTED: usize = 60;

/// What was found, for a message.
fn found(json: &Json) -> String {
    match json {
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        scalar => {
            let text = scalar.to_string();
            match text.char_indices().nth(MAX_QUOTED) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

/// Wrong where the caller knows the place.
fn mismatch(expected: &str, json: &Json) -> Error {
    Error::new(ErrorKind::Invalid, format!("expected {expected}, found {}", found(json)))
}

fn object(json: &Json) -> Result<&Map<String, Json>> {
    json.as_object().ok_or_else(|| mismatch("an object", json))
}

/// Refuses keys other than these.
///
/// # Errors
/// `Invalid`, with the key as its field and the known ones in its message.
pub fn only_keys(object: &Map<String, Json>, known: &[&str]) -> Result<()> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Error::invalid(key, format!("unknown key; expected one of {}", known.join(", ")))),
        None => Ok(()),
    }
}

/// Reads a list, each element by `read`.
fn list<T>(json: &Json, read: impl Fn(&Json) -> Result<T>) -> Result<Vec<T>> {
    let elements = json.as_array().ok_or_else(|| mismatch("a list", json))?;
    let element = |(at, json)| read(json).map_err(|error| error.below(&format!("[{at}]")));
    elements.iter().enumerate().map(element).collect()
}

fn number(json: &Json) -> Result<f64> {
    json.as_f64().filter(|number| number.is_finite()).ok_or_else(|| mismatch("a number", json))
}

fn text(json: &Json) -> Result<&str> {
    json.as_str().ok_or_else(|| mismatch("text", json))
}

fn bool(json: &Json) -> Result<bool> {
    json.as_bool().ok_or_else(|| mismatch("true or false", json))
}
