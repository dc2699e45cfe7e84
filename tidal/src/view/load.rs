//! Bringing the views up to the log.
//!
//! 1. The events' part of the state: its checkpoint, if there is a sound one, else nothing; then every event after it.
//! 2. Entities and relations: as they are stored now.
//! 3. The text index: from its own position on, or, if that is of no use, from the stored items.
//!
//! A crash between a commit and the views' taking it in is healed by this: what the log has, the views get.

use std::sync::Arc;

use kv0::{Direction, Position};
use kv0_env::FileSystem;

use crate::error::{Error, Result};
use crate::id::Kind;
use crate::record::Record;
use crate::schema::Schema;
use crate::state::{EventState, State};
use crate::store::Store;

use super::text::{TextView, open_text};
use super::{checkpoint, feed};

/// The views, as of the newest commit.
pub(crate) struct Loaded {
    pub(crate) state: State,
    pub(crate) text: TextView,
    /// Events that were applied after the checkpoint.
    pub(crate) replayed: u64,
    /// Which views had to be made again, and why.
    pub(crate) rebuilt: Vec<String>,
}

/// Brings the views up to the log. Nothing may be written meanwhile.
pub(crate) fn load(
    store: &Store,
    views: &dyn FileSystem,
    text: Arc<dyn FileSystem>,
    schema: &Arc<Schema>,
) -> Result<Loaded> {
    let mut rebuilt = Vec::new();
    let newest = store.db.position();
    let (from, mut events) = match checkpoint::load(views, schema) {
        Ok(Some((position, events))) if position <= newest.0 => (position, events),
        Ok(Some((position, _))) => {
            rebuilt.push(format!("events: the checkpoint is at position {position}, ahead of the log"));
            (0, EventState::new(schema))
        }
        Ok(None) => (0, EventState::new(schema)),
        Err(damage) => {
            rebuilt.push(format!("events: {damage}"));
            (0, EventState::new(schema))
        }
    };
    let before = events.count;
    apply_events(store, schema, &mut events, from)?;
    let replayed = events.count - before;
    let mut state = State::new(Arc::clone(schema), events)?;
    load_entities(store, &mut state)?;
    state.position = newest.0;
    let (text, reason) = open_text(text, schema, store)?;
    rebuilt.extend(reason);
    Ok(Loaded { state, text, replayed, rebuilt })
}

/// The events' part of the state, made of the whole log and nothing else.
pub(crate) fn rebuild_events(store: &Store, schema: &Schema) -> Result<EventState> {
    let mut events = EventState::new(schema);
    apply_events(store, schema, &mut events, 0)?;
    Ok(events)
}

fn apply_events(store: &Store, schema: &Schema, events: &mut EventState, from: u64) -> Result<()> {
    let mut records = store.events.records(Position(from))?;
    while let Some((position, record)) = records.next_record()? {
        let event = feed::event(store, store.events.id(), &record, position.0)?;
        if let Some(Record::Event(event)) = event {
            events
                .apply(schema, &event)
                .map_err(|what| Error::corrupt(format!("event of commit {}: {what}", position.0)))?;
        }
    }
    Ok(())
}

fn load_entities(store: &Store, state: &mut State) -> Result<()> {
    let snapshot = store.db.snapshot()?;
    let all = std::ops::RangeFull;
    for kind in [Kind::Creator, Kind::User, Kind::Item] {
        for entry in snapshot.scan::<&[u8]>(store.entities(kind), all, Direction::Ascending)? {
            let (key, value) = entry?;
            let (row, record) = feed::entity(kind, &key, &value)?;
            state.apply(&Record::Entity(kind, row, record))?;
        }
    }
    for entry in snapshot.scan::<&[u8]>(&store.relations, all, Direction::Ascending)? {
        let (key, value) = entry?;
        let record = feed::relation(&key, Some(&value), snapshot.position().0)?;
        state.apply(&record)?;
    }
    Ok(())
}
