//! Reading JSON objects strictly: a key that nobody asked for is an error that names it.

use serde_json::{Map, Value as Json};

use crate::error::{Error, Result};
use crate::id::Id;
use crate::limits::MAX_ID_BYTES;

/// An object of which only known keys may be there. A key with `null` counts as absent.
pub(crate) struct Object<'a> {
    map: &'a Map<String, Json>,
}

impl<'a> Object<'a> {
    /// # Errors
    /// `Invalid`: `json` is no object, or has a key outside `known`.
    pub(crate) fn new(json: &'a Json, known: &[&str]) -> Result<Object<'a>> {
        let Json::Object(map) = json else {
            return Err(Error::invalid("", format!("expected an object, found {}", found(json))));
        };
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                Err(Error::invalid(key.as_str(), format!("unknown key; known here: {}", known.join(", "))))
            }
            None => Ok(Object { map }),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Json> {
        self.map.get(key).filter(|json| !json.is_null())
    }

    /// The value of a key, read by `read`, whose error is put below the key.
    pub(crate) fn read<T>(&self, key: &str, read: impl FnOnce(&Json) -> Result<T>) -> Result<Option<T>> {
        self.get(key).map(|json| read(json).map_err(|error| below(error, key))).transpose()
    }

    pub(crate) fn require<T>(&self, key: &str, read: impl FnOnce(&Json) -> Result<T>) -> Result<T> {
        self.read(key, read)?.ok_or_else(|| Error::invalid(key, "is missing"))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<String>> {
        self.read(key, text)
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool> {
        let flag = self.read(key, |json| json.as_bool().ok_or_else(|| expected("true or false", json)))?;
        Ok(flag.unwrap_or(false))
    }

    pub(crate) fn count(&self, key: &str) -> Result<Option<usize>> {
        self.read(key, |json| {
            json.as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .ok_or_else(|| expected("a whole number, 0 or more", json))
        })
    }
}

/// A field of an error, put below `parent`; an error about the whole is an error about `parent`.
pub(crate) fn below(error: Error, parent: &str) -> Error {
    match error.field() {
        Some("") => Error::invalid(parent, error.message()),
        _ => error.below(parent),
    }
}

/// Reads an array element by element, putting the place into the error: `[3].item`.
pub(crate) fn array<T>(json: &Json, limit: usize, read: impl Fn(&Json) -> Result<T>) -> Result<Vec<T>> {
    let Json::Array(elements) = json else { return Err(expected("an array", json)) };
    if elements.len() > limit {
        return Err(Error::invalid("", format!("has {} elements, at most {limit} are allowed", elements.len())));
    }
    let one = |(index, json)| read(json).map_err(|error| below(error, &format!("[{index}]")));
    elements.iter().enumerate().map(one).collect()
}

/// Reads an id: a whole number or a string. `17` and `"17"` are two ids.
///
/// # Errors
/// `Invalid`: anything else, a number below 0 or above 2^64 - 1, a string of 0 or more than [`MAX_ID_BYTES`] bytes.
pub fn id_from_json(json: &Json) -> Result<Id> {
    match json {
        Json::Number(number) => {
            number.as_u64().map(Id::Number).ok_or_else(|| expected("a whole number from 0 to 2^64 - 1", json))
        }
        Json::String(text) if text.is_empty() || text.len() > MAX_ID_BYTES => Err(Error::invalid(
            "",
            format!("an id has 1 to {MAX_ID_BYTES} bytes, this one has {}", text.len()),
        )),
        Json::String(text) => Ok(Id::Text(text.clone())),
        _ => Err(expected("an id: a whole number or a string", json)),
    }
}

/// Writes an id.
pub fn id_to_json(id: &Id) -> Json {
    match id {
        Id::Number(number) => Json::from(*number),
        Id::Text(text) => Json::from(text.as_str()),
    }
}

pub(crate) fn text(json: &Json) -> Result<String> {
    json.as_str().map(str::to_owned).ok_or_else(|| expected("a string", json))
}

pub(crate) fn expected(what: &str, json: &Json) -> Error {
    Error::invalid("", format!("expected {what}, found {}", found(json)))
}

/// What is there instead, short enough for a message.
fn found(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(flag) => flag.to_string(),
        Json::Number(number) => number.to_string(),
        Json::String(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
        Json::String(_) => "a string".to_owned(),
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}
