//! What is stored: entities under their keys, events in the stream. `docs/format/tidal.md` describes the bytes.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::id::{Id, Kind, Row};
use crate::mutation::RelationKind;
use crate::time::Timestamp;
use crate::value::Value;

/// First byte of every record: the version of its form.
pub(crate) const RECORD_VERSION: u8 = 1;

/// An entity under its key. A removed one leaves this record without content, so that its id keeps its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EntityRecord {
    pub(crate) id: StoredId,
    /// When the id was written first.
    pub(crate) created: Timestamp,
    /// `None` if it was removed, or was only ever mentioned.
    pub(crate) content: Option<EntityContent>,
}

/// An id in a form that tells numbers from texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StoredId {
    Number(u64),
    Text(String),
}

/// What was written of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EntityContent {
    pub(crate) creator: Option<Row>,
    pub(crate) metadata: BTreeMap<String, Value>,
    pub(crate) embeddings: BTreeMap<String, Vec<f32>>,
}

/// Something that happened, as a record of the stream of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventRecord {
    /// The signal's number in the schema.
    pub(crate) signal: u16,
    pub(crate) kind: Kind,
    pub(crate) target: Row,
    /// The creator that the item had then.
    pub(crate) creator: Option<Row>,
    pub(crate) user: Option<Row>,
    pub(crate) weight: f64,
    pub(crate) at: Timestamp,
    /// When the database got it.
    pub(crate) received: Timestamp,
    pub(crate) key: Option<String>,
}

/// A relation that was made (with the time) or ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RelationRecord {
    pub(crate) user: Row,
    pub(crate) kind: RelationKind,
    pub(crate) target: Row,
    pub(crate) since: Option<Timestamp>,
}

/// One change of a commit, as the views see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Record {
    Entity(Kind, Row, EntityRecord),
    Relation(RelationRecord),
    Event(EventRecord),
}

impl From<&Id> for StoredId {
    fn from(id: &Id) -> StoredId {
        match id {
            Id::Number(number) => StoredId::Number(*number),
            Id::Text(text) => StoredId::Text(text.clone()),
        }
    }
}

impl From<StoredId> for Id {
    fn from(id: StoredId) -> Id {
        match id {
            StoredId::Number(number) => Id::Number(number),
            StoredId::Text(text) => Id::Text(text),
        }
    }
}

impl EntityRecord {
    /// The entity as it was written, or `None` if there is none.
    pub(crate) fn entity(&self, creator_id: impl Fn(Row) -> Option<Id>) -> Option<Entity> {
        let content = self.content.as_ref()?;
        Some(Entity {
            id: self.id.clone().into(),
            creator: content.creator.and_then(creator_id),
            metadata: content.metadata.clone(),
            embeddings: content.embeddings.clone(),
        })
    }
}

/// The stored form of a record.
pub(crate) fn encode<T: Serialize>(record: &T) -> Vec<u8> {
    postcard::to_extend(record, vec![RECORD_VERSION]).expect("records hold nothing that cannot be stored")
}

/// Reads a record; `place` is named in errors.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8], place: &str) -> Result<T> {
    match bytes.split_first() {
        Some((&RECORD_VERSION, body)) => {
            let (record, rest) = postcard::take_from_bytes(body)
                .map_err(|error| Error::corrupt(format!("{place}: not a record: {error}")))?;
            if rest.is_empty() {
                return Ok(record);
            }
            Err(Error::corrupt(format!("{place}: {} bytes are left after the record", rest.len())))
        }
        Some((version, _)) => Err(Error::invalid(
            place,
            format!(
                "the record has version {version}; this build reads version {RECORD_VERSION}: use a newer build"
            ),
        )),
        None => Err(Error::corrupt(format!("{place}: the record is empty"))),
    }
}
