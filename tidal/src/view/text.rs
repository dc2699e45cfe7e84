//! The text index of items as a view of the log.

use std::sync::Arc;

use kv0::Position;
use kv0_env::FileSystem;

use crate::error::{Error, ErrorKind, Result};
use crate::id::{Id, Kind, Row};
use crate::record::{EntityRecord, Record};
use crate::schema::{FieldType, Schema};
use crate::state::State;
use crate::store::Store;
use crate::text::{NotIndexed, Opened, RebuildReason, TextField, TextFieldKind, TextIndex};
use crate::value::Value;

use super::feed;

/// The text index, and which fields of the schema it holds.
pub(crate) struct TextView {
    pub(crate) index: TextIndex,
    /// Names of the indexed fields, by their number in the index.
    fields: Vec<String>,
}

impl std::fmt::Debug for TextView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextView").field("fields", &self.fields).finish_non_exhaustive()
    }
}

/// Opens the text index and brings it up to the log. The text says why it had to be made again, if it had to.
pub(crate) fn open_text(
    files: Arc<dyn FileSystem>,
    schema: &Schema,
    store: &Store,
) -> Result<(TextView, Option<String>)> {
    let fields = text_fields(schema);
    let (index, opened) = TextIndex::open(files, &fields)?;
    let view = TextView { index, fields: fields.into_iter().map(|field| field.name).collect() };
    let newest = store.db.position();
    let reason = match opened {
        Opened::At(position) if position > newest.0 => {
            Some(format!("text index: it is at position {position}, ahead of the log"))
        }
        Opened::At(position) if Position(position) < store.db.oldest_position() => {
            Some(format!("text index: the log no longer reaches back to its position {position}"))
        }
        Opened::At(position) => {
            view.follow(store, Position(position))?;
            return Ok((view, None));
        }
        Opened::Rebuild(RebuildReason::New) => None,
        Opened::Rebuild(RebuildReason::Outdated) => {
            Some("text index: it was built for other fields".to_owned())
        }
        Opened::Rebuild(RebuildReason::Damaged(damage)) => Some(format!("text index: {damage}")),
    };
    view.rebuild(store)?;
    Ok((view, reason))
}

impl TextView {
    /// Takes in an item; returns what of it is not indexed, in words.
    pub(crate) fn apply(&self, row: Row, record: &EntityRecord) -> Result<Vec<String>> {
        let Some(content) = &record.content else { return self.index.remove(row).map(|()| Vec::new()) };
        let values: Vec<(usize, Vec<&str>)> = self
            .fields
            .iter()
            .enumerate()
            .filter_map(|(number, name)| Some((number, texts(content.metadata.get(name)?)?)))
            .collect();
        let left_out = self.index.upsert(row, &values)?;
        Ok(left_out.iter().map(|left_out| self.describe(left_out)).collect())
    }

    fn describe(&self, left_out: &NotIndexed) -> String {
        let name = &self.fields[left_out.field];
        let NotIndexed { long_tokens, first_long_token, cut_tokens, cut_bytes, .. } = left_out;
        let mut parts = Vec::new();
        if *long_tokens > 0 {
            parts.push(format!(
                "{long_tokens} words that are too long, the first begins {first_long_token:?}"
            ));
        }
        if *cut_tokens > 0 {
            parts.push(format!("{cut_tokens} words after the last that fits"));
        }
        if *cut_bytes > 0 {
            parts.push(format!("{cut_bytes} bytes at the end"));
        }
        format!("metadata.{name}: not searchable: {}", parts.join("; "))
    }

    /// Takes in what the log has after a position.
    fn follow(&self, store: &Store, from: Position) -> Result<()> {
        let mut changes = store.db.changes(from)?;
        while let Some(commit) = changes.next_commit()? {
            for record in feed::records(store, &commit)? {
                if let Record::Entity(Kind::Item, row, entity) = record {
                    self.apply(row, &entity)?;
                }
            }
        }
        Ok(())
    }

    /// Takes in every stored item, into an index that is emptied row by row as it goes.
    fn rebuild(&self, store: &Store) -> Result<()> {
        let snapshot = store.db.snapshot()?;
        let all = std::ops::RangeFull;
        for entry in snapshot.scan::<&[u8]>(store.entities(Kind::Item), all, kv0::Direction::Ascending)? {
            let (key, value) = entry?;
            let (row, record) = feed::entity(Kind::Item, &key, &value)?;
            self.apply(row, &record)?;
        }
        self.checkpoint(store, snapshot.position().0)
    }

    /// Compares which items have a document with which should.
    pub(crate) fn check(&self, state: &State, record: impl Fn(Row) -> Result<EntityRecord>) -> Result<()> {
        let snapshot = self.index.snapshot()?;
        let live = state.items().columns.live();
        if snapshot.len() != live.len() {
            let (found, expected) = (snapshot.len(), live.len());
            return Err(Error::corrupt(format!("the text index has {found} items, the log {expected}")));
        }
        for row in live {
            if !snapshot.contains(Row(row))? {
                let id = Id::from(record(Row(row))?.id);
                return Err(Error::corrupt(format!("the text index lacks item {id}")));
            }
        }
        Ok(())
    }

    /// Saves the index as of a position, up to which the log is made durable first: a view must not be ahead of it.
    pub(crate) fn checkpoint(&self, store: &Store, position: u64) -> Result<()> {
        store.db.sync()?;
        self.index.checkpoint(position)
    }
}

/// The fields of items that are searched: texts as prose, keywords and tags as a whole.
fn text_fields(schema: &Schema) -> Vec<TextField> {
    let searched = |of: FieldType| match of {
        FieldType::Text => Some(TextFieldKind::Text),
        FieldType::Keyword | FieldType::Tags => Some(TextFieldKind::Keywords),
        _ => None,
    };
    schema
        .fields(Kind::Item)
        .iter()
        .filter_map(|field| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a weight needs no more than the digits of f32"
            )]
            let weight = field.weight as f32;
            Some(TextField { name: field.name.clone(), weight, kind: searched(field.of)? })
        })
        .collect()
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::Text(text) => Some(vec![text]),
        Value::List(list) => Some(list.iter().map(String::as_str).collect()),
        _ => None,
    }
}

/// Where the views of a database are.
pub(crate) fn directory(files: &dyn FileSystem, name: &str) -> Result<Arc<dyn FileSystem>> {
    files.subdirectory(name).map_err(|error| {
        Error::new(ErrorKind::Unavailable, format!("cannot open the directory {name}: {error}"))
    })
}
