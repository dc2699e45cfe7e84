//! What a schema is made of: fields, embedding slots and signals, and the rules that each must keep by itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::id::Kind;
use crate::limits;
use crate::vector::Metric;

use super::{DAY, MAX_HALF_LIVES, MAX_NAME_BYTES};

/// Longest half-life or linear decay: a hundred years, in seconds.
const MAX_DECAY_SECONDS: u64 = 36_500 * DAY;
/// Largest weight of a text field.
const MAX_TEXT_WEIGHT: f64 = 1_000.0;
/// Largest affinity of a signal, either way.
const MAX_AFFINITY: f64 = 100.0;

/// Names with a meaning of their own in the text form of a query, where a field could not be told from them.
const RESERVED: [&str; 24] = [
    "all",
    "and",
    "any",
    "between",
    "contains",
    "creator",
    "exists",
    "false",
    "following",
    "hidden",
    "id",
    "in",
    "is",
    "liked",
    "near",
    "not",
    "null",
    "or",
    "saved",
    "seen",
    "true",
    "unseen",
    "user",
    "within",
];

/// The type of a metadata field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FieldType {
    /// One of many strings, compared exactly.
    Keyword,
    /// Several keywords.
    Tags,
    /// Words to search in; not to compare.
    Text,
    /// True or false.
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// A finite number.
    Float,
    /// A moment, exact to the microsecond.
    Timestamp,
    /// A length of time, exact to the microsecond.
    Duration,
    /// Latitude and longitude in degrees.
    Geo,
}

impl FieldType {
    /// All types, in the order of their numbers in the stored form.
    pub const ALL: [FieldType; 9] = [
        FieldType::Keyword,
        FieldType::Tags,
        FieldType::Text,
        FieldType::Bool,
        FieldType::Int,
        FieldType::Float,
        FieldType::Timestamp,
        FieldType::Duration,
        FieldType::Geo,
    ];

    /// Its name in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            FieldType::Keyword => "keyword",
            FieldType::Tags => "tags",
            FieldType::Text => "text",
            FieldType::Bool => "bool",
            FieldType::Int => "int",
            FieldType::Float => "float",
            FieldType::Timestamp => "timestamp",
            FieldType::Duration => "duration",
            FieldType::Geo => "geo",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<FieldType> {
        FieldType::ALL.into_iter().find(|of| of.name() == name)
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A declared metadata field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldDef {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub of: FieldType,
    /// How much a match in a text field counts; 1 for fields of other types.
    pub weight: f64,
}

impl FieldDef {
    /// A field; a text field gets weight 1.
    pub fn new(name: &str, of: FieldType) -> FieldDef {
        FieldDef { name: name.to_owned(), of, weight: 1.0 }
    }

    pub(super) fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        if self.of != FieldType::Text && self.weight != 1.0 {
            return Err(Error::invalid(
                "weight",
                format!("only text fields have a weight, this is {}", self.of),
            ));
        }
        if !(self.weight > 0.0 && self.weight <= MAX_TEXT_WEIGHT) {
            return Err(Error::invalid(
                "weight",
                format!("{} is out of range: above 0, at most {MAX_TEXT_WEIGHT}", self.weight),
            ));
        }
        Ok(())
    }
}

/// A declared embedding slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotDef {
    /// Its name.
    pub name: String,
    /// Numbers in each of its vectors.
    pub dimension: u32,
    /// How its vectors are compared.
    pub metric: Metric,
}

impl SlotDef {
    pub(super) fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        if self.dimension == 0 || self.dimension as usize > limits::MAX_DIMENSION {
            return Err(Error::invalid(
                "dimension",
                format!("{} is out of range: 1 to {}", self.dimension, limits::MAX_DIMENSION),
            ));
        }
        Ok(())
    }
}

/// How the weight of a signal fades with its age.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decay {
    /// It does not.
    None,
    /// In a straight line to nothing.
    Linear {
        /// Age at which nothing is left.
        seconds: u64,
    },
    /// By halves. Each half-life has a counter of its own.
    Exponential {
        /// 1 to [`MAX_HALF_LIVES`] different half-lives; the first is the one meant where none is named.
        half_lives_seconds: Vec<u64>,
    },
}

impl Decay {
    /// `field` of the error names the key of the schema file.
    fn check(&self) -> Result<()> {
        let in_range = |field: &str, seconds: u64| {
            if seconds == 0 || seconds > MAX_DECAY_SECONDS {
                return Err(Error::invalid(field, "out of range: 1s to 36500d"));
            }
            Ok(())
        };
        match self {
            Decay::None => Ok(()),
            Decay::Linear { seconds } => in_range("decay", *seconds),
            Decay::Exponential { half_lives_seconds } => {
                if half_lives_seconds.is_empty() || half_lives_seconds.len() > MAX_HALF_LIVES {
                    return Err(Error::invalid(
                        "half_life",
                        format!("expected 1 to {MAX_HALF_LIVES} durations"),
                    ));
                }
                for (at, &seconds) in half_lives_seconds.iter().enumerate() {
                    in_range("half_life", seconds)?;
                    if half_lives_seconds[..at].contains(&seconds) {
                        return Err(Error::invalid("half_life", "the same duration twice"));
                    }
                }
                Ok(())
            }
        }
    }
}

/// A declared signal: what it happens to, how it fades, and what it says about the user who gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalDef {
    /// Its name.
    pub name: String,
    /// What it happens to.
    pub on: Kind,
    /// How its weight fades. Windows are kept as well, whatever this is.
    pub decay: Decay,
    /// The user has seen the item.
    pub seen: bool,
    /// The user likes the item.
    pub liked: bool,
    /// The user keeps the item for later.
    pub saved: bool,
    /// How far the user's interest moves towards the item's embedding, -1 (away) to 1; 0 for not at all.
    pub interest: f64,
    /// What it adds to the user's interaction weight with the item's creator, -100 to 100.
    pub affinity: f64,
    /// It counts against the item.
    pub negative: bool,
}

impl SignalDef {
    /// A signal that does not fade and says nothing about the user.
    pub fn new(name: &str, on: Kind) -> SignalDef {
        SignalDef {
            name: name.to_owned(),
            on,
            decay: Decay::None,
            seen: false,
            liked: false,
            saved: false,
            interest: 0.0,
            affinity: 0.0,
            negative: false,
        }
    }

    /// Fades by halves, with one counter for each of these half-lives.
    #[must_use]
    pub fn half_lives(mut self, seconds: &[u64]) -> SignalDef {
        self.decay = Decay::Exponential { half_lives_seconds: seconds.to_vec() };
        self
    }

    /// Fades in a straight line.
    #[must_use]
    pub fn linear(mut self, seconds: u64) -> SignalDef {
        self.decay = Decay::Linear { seconds };
        self
    }

    /// Means that the user has seen the item.
    #[must_use]
    pub fn seen(mut self) -> SignalDef {
        self.seen = true;
        self
    }

    /// Means that the user likes the item.
    #[must_use]
    pub fn liked(mut self) -> SignalDef {
        self.liked = true;
        self
    }

    /// Means that the user keeps the item for later.
    #[must_use]
    pub fn saved(mut self) -> SignalDef {
        self.saved = true;
        self
    }

    /// Moves the user's interest.
    #[must_use]
    pub fn interest(mut self, interest: f64) -> SignalDef {
        self.interest = interest;
        self
    }

    /// Adds to the interaction weight with the creator.
    #[must_use]
    pub fn affinity(mut self, affinity: f64) -> SignalDef {
        self.affinity = affinity;
        self
    }

    /// Counts against the item.
    #[must_use]
    pub fn negative(mut self) -> SignalDef {
        self.negative = true;
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        self.decay.check()?;
        // Both ranges also refuse NaN.
        if !(-1.0..=1.0).contains(&self.interest) {
            return Err(Error::invalid("interest", format!("{} is out of range: -1 to 1", self.interest)));
        }
        if !(-MAX_AFFINITY..=MAX_AFFINITY).contains(&self.affinity) {
            return Err(Error::invalid(
                "affinity",
                format!("{} is out of range: -100 to 100", self.affinity),
            ));
        }
        let about_items = [
            ("seen", self.seen),
            ("liked", self.liked),
            ("saved", self.saved),
            ("interest", self.interest != 0.0),
            ("affinity", self.affinity != 0.0),
        ];
        for (key, set) in about_items {
            if set && self.on != Kind::Item {
                return Err(Error::invalid(
                    key,
                    format!("only signals on items have this, this one is on {}", self.on),
                ));
            }
        }
        Ok(())
    }
}

/// The error has no field: the name itself is the place.
pub(super) fn check_name(name: &str) -> Result<()> {
    let head = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let tail = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !head || !tail || name.len() > MAX_NAME_BYTES {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!(
                "bad name: expected lower-case letters, digits and _, a letter first, at most {MAX_NAME_BYTES} bytes"
            ),
        ));
    }
    if RESERVED.contains(&name) {
        return Err(Error::new(ErrorKind::Invalid, "reserved name: it is a word of the query language"));
    }
    Ok(())
}
