//! Reading the members of an object.

use serde_json::{Map, Value as Json};

use super::{bool, mismatch, only_keys, text};
use crate::error::{Error, Result};

/// An object of which only known keys may be there. A key with `null` counts as absent.
pub(super) struct Object<'a> {
    map: &'a Map<String, Json>,
}

impl<'a> Object<'a> {
    /// # Errors
    /// `Invalid`: `json` is no object, or has a key outside `known`.
    pub(super) fn new(json: &'a Json, known: &[&str]) -> Result<Object<'a>> {
        let map = super::object(json)?;
        only_keys(map, known)?;
        Ok(Object { map })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Json> {
        self.map.get(key).filter(|json| !json.is_null())
    }

    /// The value of a key, read by `read`, whose error is put below the key.
    pub(super) fn read<T>(&self, key: &str, read: impl FnOnce(&Json) -> Result<T>) -> Result<Option<T>> {
        self.get(key).map(|json| read(json).map_err(|error| error.below(key))).transpose()
    }

    pub(super) fn require<T>(&self, key: &str, read: impl FnOnce(&Json) -> Result<T>) -> Result<T> {
        self.read(key, read)?.ok_or_else(|| Error::invalid(key, "is missing"))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>> {
        self.read(key, |json| text(json).map(str::to_owned))
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool> {
        Ok(self.read(key, bool)?.unwrap_or(false))
    }

    pub(super) fn count(&self, key: &str) -> Result<Option<usize>> {
        self.read(key, |json| {
            json.as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .ok_or_else(|| mismatch("a whole number, 0 or more", json))
        })
    }
}

/// The one of some named things that a text names.
pub(super) fn named<T: Copy>(json: &Json, what: &str, names: &[(&str, T)]) -> Result<T> {
    let text = text(json)?;
    let found = names.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        mismatch(&format!("{what} ({})", names.join(", ")), json)
    })
}
