//! What differs between two schemas, and which differences a database can take in place.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

use super::{KINDS, Schema, section};

/// One difference between an old and a new schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs: `items.fields.year`, `signals.view`.
    pub path: String,
    /// How.
    pub change: Change,
}

/// How a declaration differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Only the new schema has it.
    Added {
        /// Its declaration.
        now: String,
    },
    /// Only the old schema has it.
    Removed {
        /// Its declaration.
        was: String,
    },
    /// Both have it, with different declarations.
    Changed {
        /// The old declaration.
        was: String,
        /// The new declaration.
        now: String,
    },
}

impl Difference {
    /// Whether a database can take it in place: something new that leaves what is there alone.
    pub fn is_additive(&self) -> bool {
        matches!(self.change, Change::Added { .. })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.change {
            Change::Added { now } => write!(f, "{path}: added: {now}"),
            Change::Removed { was } => write!(f, "{path}: removed, was {was}"),
            Change::Changed { was, now } => write!(f, "{path}: changed from {was} to {now}"),
        }
    }
}

impl Schema {
    /// What is different in `new`. Empty if both declare the same, in whatever order.
    pub fn diff(old: &Schema, new: &Schema) -> Vec<Difference> {
        let mut differences = Vec::new();
        for kind in KINDS {
            let section = section(kind);
            let (old_fields, new_fields) = (old.fields(kind), new.fields(kind));
            compare(
                &format!("{section}.fields"),
                old_fields,
                new_fields,
                |field| &field.name,
                &mut differences,
            );
            let (old_slots, new_slots) = (old.slots(kind), new.slots(kind));
            compare(
                &format!("{section}.embeddings"),
                old_slots,
                new_slots,
                |slot| &slot.name,
                &mut differences,
            );
        }
        compare("signals", &old.signals, &new.signals, |signal| &signal.name, &mut differences);
        differences
    }

    /// The schema of a database that was stored with one schema and is opened with another: everything stored keeps its
    /// number, and what is new follows in the order of its declaration.
    ///
    /// # Errors
    /// `SchemaMismatch`, listing the differences that are not additions; `Invalid` if there are too many declarations.
    pub fn extend(stored: &Schema, new: &Schema) -> Result<Schema> {
        let refused: Vec<String> = Schema::diff(stored, new)
            .iter()
            .filter(|difference| !difference.is_additive())
            .map(Difference::to_string)
            .collect();
        if !refused.is_empty() {
            return Err(Error::new(
                ErrorKind::SchemaMismatch,
                format!(
                    "the schema does not fit the database, which can only be added to:\n  {}",
                    refused.join("\n  ")
                ),
            ));
        }
        let mut merged = stored.clone();
        for kind in KINDS {
            let at = kind as usize;
            for field in new.fields(kind) {
                if stored.field(kind, &field.name).is_none() {
                    merged.kinds[at].fields.push(field.clone());
                }
            }
            for slot in new.slots(kind) {
                if stored.slot_index(kind, &slot.name).is_none() {
                    merged.kinds[at].slots.push(slot.clone());
                }
            }
        }
        for signal in &new.signals {
            if stored.signal(&signal.name).is_none() {
                merged.signals.push(signal.clone());
            }
        }
        Ok(merged)
    }
}

fn compare<T: PartialEq + Declared>(
    path: &str,
    old: &[T],
    new: &[T],
    name: impl Fn(&T) -> &String,
    differences: &mut Vec<Difference>,
) {
    let find = |list: &'_ [T], wanted: &T| list.iter().position(|other| name(other) == name(wanted));
    for was in old {
        let change = match find(new, was).map(|at| &new[at]) {
            None => Change::Removed { was: was.declaration() },
            Some(now) if now != was => Change::Changed { was: was.declaration(), now: now.declaration() },
            Some(_) => continue,
        };
        differences.push(Difference { path: format!("{path}.{}", name(was)), change });
    }
    for now in new {
        if find(old, now).is_none() {
            let change = Change::Added { now: now.declaration() };
            differences.push(Difference { path: format!("{path}.{}", name(now)), change });
        }
    }
}

/// What a schema file says after the name.
pub(super) trait Declared {
    fn declaration(&self) -> String;
}
