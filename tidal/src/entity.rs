//! Items, users and creators.

use std::collections::BTreeMap;

use crate::id::Id;
use crate::value::Value;

/// An item, user or creator as it is written and read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Its id within its kind.
    pub id: Id,
    /// Who made it. Items only.
    pub creator: Option<Id>,
    /// Field values. Declared fields have the declared type and are indexed; others are kept and returned only.
    pub metadata: BTreeMap<String, Value>,
    /// One vector per embedding slot, of the slot's dimension.
    pub embeddings: BTreeMap<String, Vec<f32>>,
}

impl Entity {
    /// An entity with nothing but an id.
    pub fn new(id: impl Into<Id>) -> Entity {
        Entity { id: id.into(), creator: None, metadata: BTreeMap::new(), embeddings: BTreeMap::new() }
    }

    /// Says who made it.
    #[must_use]
    pub fn creator(mut self, creator: impl Into<Id>) -> Entity {
        self.creator = Some(creator.into());
        self
    }

    /// Sets a field.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Value>) -> Entity {
        self.metadata.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the vector of an embedding slot.
    #[must_use]
    pub fn embedding(mut self, slot: &str, vector: impl Into<Vec<f32>>) -> Entity {
        self.embeddings.insert(slot.to_owned(), vector.into());
        self
    }
}
