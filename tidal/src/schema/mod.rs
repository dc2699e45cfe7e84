//! What kinds of fields, embeddings and signals a database has.
//!
//! A [`Schema`] is read from YAML or JSON ([`Schema::parse`]) or built ([`Schema::builder`]). It numbers everything it
//! declares: the fields and slots of each kind, and the signals, each from 0 in the order of declaration. These
//! numbers are what columns, counters and stored records use instead of names, so they never change:
//! [`Schema::extend`] keeps the numbers of what is stored and puts what is new behind it.
//!
//! `docs/schema.md` describes the file.

mod builder;
pub(crate) mod check_entity;
mod definition;
mod difference;
mod parse;
mod print;
mod stored;
pub(crate) mod yaml;

#[cfg(test)]
mod tests;

pub use crate::vector::Metric;
pub use builder::SchemaBuilder;
pub use definition::{Decay, FieldDef, FieldType, SignalDef, SlotDef};
pub use difference::{Change, Difference};
pub use stored::STORED_VERSION;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::id::Kind;

/// Seconds in a minute.
pub const MINUTE: u64 = 60;
/// Seconds in an hour.
pub const HOUR: u64 = 60 * MINUTE;
/// Seconds in a day.
pub const DAY: u64 = 24 * HOUR;

/// Longest name of a field, slot or signal, in bytes.
pub const MAX_NAME_BYTES: usize = 64;
/// Most embedding slots of one kind.
pub const MAX_SLOTS: usize = 16;
/// Most signals.
pub const MAX_SIGNALS: usize = 64;
/// Most half-lives of one signal.
pub const MAX_HALF_LIVES: usize = 4;
/// Longest schema file, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 1 << 20;

/// The schema of a database. It is valid: there is no way to make one that breaks a rule.
///
/// Indices are dense and stable: `fields(kind)[i]` is the field with number `i`, likewise slots and signals.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// By [`Kind`], in the order of its variants.
    kinds: [KindDef; 3],
    signals: Vec<SignalDef>,
}

/// What is declared for one kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct KindDef {
    fields: Vec<FieldDef>,
    slots: Vec<SlotDef>,
}

/// The kinds in the order in which schemas name them.
const KINDS: [Kind; 3] = [Kind::Item, Kind::User, Kind::Creator];

/// The key of a kind in a schema file.
fn section(kind: Kind) -> &'static str {
    match kind {
        Kind::Item => "items",
        Kind::User => "users",
        Kind::Creator => "creators",
    }
}

impl Schema {
    /// Starts an empty schema.
    pub fn builder() -> SchemaBuilder {
        SchemaBuilder::default()
    }

    fn kind(&self, kind: Kind) -> &KindDef {
        &self.kinds[kind as usize]
    }

    /// The fields of a kind, by number.
    pub fn fields(&self, kind: Kind) -> &[FieldDef] {
        &self.kind(kind).fields
    }

    /// The number of a field.
    pub fn field_index(&self, kind: Kind, name: &str) -> Option<usize> {
        self.fields(kind).iter().position(|field| field.name == name)
    }

    /// A field by name.
    pub fn field(&self, kind: Kind, name: &str) -> Option<&FieldDef> {
        self.fields(kind).iter().find(|field| field.name == name)
    }

    /// The embedding slots of a kind, by number.
    pub fn slots(&self, kind: Kind) -> &[SlotDef] {
        &self.kind(kind).slots
    }

    /// The number of an embedding slot.
    pub fn slot_index(&self, kind: Kind, name: &str) -> Option<usize> {
        self.slots(kind).iter().position(|slot| slot.name == name)
    }

    /// The signals, by number. The signals on all kinds share one row of numbers.
    pub fn signals(&self) -> &[SignalDef] {
        &self.signals
    }

    /// The number of a signal.
    pub fn signal_index(&self, name: &str) -> Option<usize> {
        self.signals.iter().position(|signal| signal.name == name)
    }

    /// A signal by name.
    pub fn signal(&self, name: &str) -> Option<&SignalDef> {
        self.signals.iter().find(|signal| signal.name == name)
    }

    /// The number of a signal that a caller named in the field `signal`.
    ///
    /// # Errors
    /// `NotFound`, with the signals that there are.
    pub(crate) fn require_signal(&self, name: &str) -> Result<usize> {
        self.signal_index(name).ok_or_else(|| {
            let names: Vec<&str> = self.signals.iter().map(|signal| signal.name.as_str()).collect();
            let message = format!("no signal {name:?} in the schema; there are {}", names.join(", "));
            Error::not_found("signal", message)
        })
    }

    /// A number that is equal for equal schemas, also in later versions and on other machines: XXH3 of
    /// [`Schema::to_yaml`]. The order of declaration counts, since the numbers depend on it.
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.to_yaml().as_bytes())
    }
}
