//! From commits of the log to records.

use kv0::{Change, Commit, KeyspaceId, StreamId};

use crate::error::{Error, Result};
use crate::id::{Kind, Row};
use crate::keys;
use crate::record::{EntityRecord, EventRecord, Record, RelationRecord, decode};
use crate::store::Store;
use crate::time::Timestamp;

/// The records of a commit, in order.
pub(crate) fn records(store: &Store, commit: &Commit) -> Result<Vec<Record>> {
    let at = commit.position.0;
    let mut records = Vec::with_capacity(commit.changes.len());
    for change in &commit.changes {
        match change {
            Change::Put { keyspace, key, value } => records.extend(put(store, *keyspace, key, value, at)?),
            Change::Delete { keyspace, key } if *keyspace == store.relations.id() => {
                records.push(relation(key, None, at)?);
            }
            Change::Append { stream, record } => records.extend(event(store, *stream, record, at)?),
            Change::Delete { .. } | Change::DeleteRange { .. } => {
                return Err(Error::corrupt(format!("commit {at} of the log removes what is never removed")));
            }
        }
    }
    Ok(records)
}

/// The event of a stream's record.
pub(crate) fn event(store: &Store, stream: StreamId, record: &[u8], at: u64) -> Result<Option<Record>> {
    if stream != store.events.id() {
        return Ok(None);
    }
    decode::<EventRecord>(record, &format!("event of commit {at}")).map(|event| Some(Record::Event(event)))
}

/// The record of an entity's key and value.
pub(crate) fn entity(kind: Kind, key: &[u8], value: &[u8]) -> Result<(Row, EntityRecord)> {
    let row =
        keys::entity_row(key).ok_or_else(|| Error::corrupt(format!("a key of {kind}s is not a row")))?;
    Ok((row, decode(value, &format!("{kind} of row {}", row.0))?))
}

/// The record of a relation's key and value.
pub(crate) fn relation(key: &[u8], value: Option<&[u8]>, at: u64) -> Result<Record> {
    let (user, kind, target) = keys::relation_parts(key)
        .ok_or_else(|| Error::corrupt(format!("the key of a relation in commit {at} is none")))?;
    let since: Option<Timestamp> = value.map(|value| decode(value, "relation")).transpose()?;
    Ok(Record::Relation(RelationRecord { user, kind, target, since }))
}

fn put(store: &Store, keyspace: KeyspaceId, key: &[u8], value: &[u8], at: u64) -> Result<Option<Record>> {
    if let Some(kind) = store.kind_of(keyspace) {
        let (row, record) = entity(kind, key, value)?;
        return Ok(Some(Record::Entity(kind, row, record)));
    }
    if keyspace == store.relations.id() {
        return relation(key, Some(value), at).map(Some);
    }
    Ok(None)
}
