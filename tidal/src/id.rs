//! Ids outside, rows inside.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The id that the application gave: a number or a string. `17` and `"17"` are two ids; strings are compared exactly,
/// by byte.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A number, exact up to 2^64 - 1.
    Number(u64),
    /// 1 to 256 bytes of UTF-8.
    Text(String),
}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id::Number(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Id {
        Id::Text(text.to_owned())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Id {
        Id::Text(text)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => write!(f, "{number}"),
            Id::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// What a row is a row of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What is ranked.
    Item,
    /// Who it is ranked for.
    User,
    /// Who made it.
    Creator,
}

impl Kind {
    /// The word for the target of a signal or relation in input and in errors. `user` is who does it, not a target.
    pub(crate) fn target_name(self) -> &'static str {
        match self {
            Kind::Item => "item",
            Kind::User => "target_user",
            Kind::Creator => "creator",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Item => "item",
            Kind::User => "user",
            Kind::Creator => "creator",
        })
    }
}

/// The dense number of an entity within its kind, given at its first write and never given again. Columns are arrays
/// over rows, sets are bitmaps of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Row(pub u32);
