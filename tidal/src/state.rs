//! What queries read: a view of the log, in memory.
//!
//! It is a function of the entities and relations as they are now and of all events, and not of the order in which
//! events came. So it can be put together from a checkpoint of the events' part, the stored entities and relations, and
//! the events since the checkpoint.

use std::collections::BTreeMap;
use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::error::{Error, Result};
use crate::id::{Id, Kind, Row};
use crate::mutation::RelationKind;
use crate::record::{EventRecord, Record};
use crate::relation::Relations;
use crate::schema::{Decay, Schema};
use crate::signal::{Decay as TableDecay, SignalTable};
use crate::table::Table;
use crate::user::UserState;

/// Everything that is in memory, except for texts.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) schema: Arc<Schema>,
    /// The log is applied up to here.
    pub(crate) position: u64,
    tables: [Table; 3],
    pub(crate) relations: Relations,
    pub(crate) events: EventState,
    /// Items of each creator.
    made_by: BTreeMap<u32, RoaringBitmap>,
}

/// The part of the state that comes of events. This is what a checkpoint holds.
#[derive(Debug, Clone)]
pub(crate) struct EventState {
    /// Events that were applied, of all time.
    pub(crate) count: u64,
    signals: [SignalTable; 3],
    pub(crate) users: BTreeMap<u32, UserState>,
    /// Users who engaged with an item: the reverse of `UserState::engaged`.
    engaged_by: BTreeMap<u32, RoaringBitmap>,
}

impl EventState {
    pub(crate) fn new(schema: &Schema) -> EventState {
        let decays = decays(schema);
        let table = || SignalTable::new(&decays);
        EventState {
            count: 0,
            signals: [table(), table(), table()],
            users: BTreeMap::new(),
            engaged_by: BTreeMap::new(),
        }
    }

    /// From the parts that a checkpoint holds.
    pub(crate) fn from_parts(
        count: u64,
        signals: [SignalTable; 3],
        users: BTreeMap<u32, UserState>,
    ) -> EventState {
        let mut engaged_by: BTreeMap<u32, RoaringBitmap> = BTreeMap::new();
        for (&user, state) in &users {
            for item in &state.engaged {
                engaged_by.entry(item).or_default().insert(user);
            }
        }
        EventState { count, signals, users, engaged_by }
    }

    pub(crate) fn signals(&self, kind: Kind) -> &SignalTable {
        &self.signals[kind as usize]
    }

    /// Users who engaged with an item.
    pub(crate) fn engaged_by(&self, item: Row) -> Option<&RoaringBitmap> {
        self.engaged_by.get(&item.0)
    }

    /// One more than the highest row of an item that anybody engaged with.
    pub(crate) fn engaged_rows(&self) -> usize {
        self.engaged_by.last_key_value().map_or(0, |(&row, _)| row as usize + 1)
    }

    pub(crate) fn apply(&mut self, schema: &Schema, event: &EventRecord) -> Result<(), String> {
        let Some(signal) = schema.signals().get(usize::from(event.signal)) else {
            return Err(format!("the event is of signal {}, which the schema does not have", event.signal));
        };
        self.count += 1;
        let EventRecord { target, user, weight, at, received, .. } = *event;
        self.signals[event.kind as usize].apply(target, event.signal, weight, at, received, user);
        if event.kind != Kind::Item {
            return Ok(());
        }
        if let Some(creator) = event.creator {
            self.signals[Kind::Creator as usize].apply(creator, event.signal, weight, at, received, user);
        }
        if let Some(user) = user {
            let state = self.users.entry(user.0).or_default();
            state.apply(signal, target, event.creator, weight, at.min(received));
            if state.engaged.contains(target.0) {
                self.engaged_by.entry(target.0).or_default().insert(user.0);
            }
        }
        Ok(())
    }
}

/// The decays of all signals, in the words of the signal table.
pub(crate) fn decays(schema: &Schema) -> Vec<TableDecay> {
    let decay = |decay: &Decay| match decay {
        Decay::None => TableDecay::None,
        Decay::Linear { seconds } => TableDecay::Linear(*seconds as f64),
        Decay::Exponential { half_lives_seconds } => {
            TableDecay::HalfLives(half_lives_seconds.iter().map(|&seconds| seconds as f64).collect())
        }
    };
    schema.signals().iter().map(|signal| decay(&signal.decay)).collect()
}

impl State {
    /// A state without entities and relations.
    pub(crate) fn new(schema: Arc<Schema>, events: EventState) -> Result<State> {
        let table = |kind| Table::new(&schema, kind);
        Ok(State {
            position: 0,
            tables: [table(Kind::Item)?, table(Kind::User)?, table(Kind::Creator)?],
            relations: Relations::default(),
            events,
            made_by: BTreeMap::new(),
            schema,
        })
    }

    pub(crate) fn table(&self, kind: Kind) -> &Table {
        &self.tables[kind as usize]
    }

    pub(crate) fn items(&self) -> &Table {
        self.table(Kind::Item)
    }

    /// Items of a creator.
    pub(crate) fn made_by(&self, creator: Row) -> Option<&RoaringBitmap> {
        self.made_by.get(&creator.0)
    }

    /// Items of the creators to whom a user has a relation.
    pub(crate) fn items_of_related(&self, user: Row, relation: RelationKind) -> RoaringBitmap {
        let creators = self.relations.targets(user, relation).into_iter().flatten();
        creators
            .filter_map(|creator| self.made_by.get(&creator))
            .fold(RoaringBitmap::new(), |all, made| all | made)
    }

    /// What is known of a user; nothing of one who did nothing yet.
    pub(crate) fn user(&self, user: Row) -> Option<&UserState> {
        self.events.users.get(&user.0)
    }

    /// Takes in one change of the log.
    ///
    /// # Errors
    /// `Corrupt` if the record cannot have been written by this database.
    pub(crate) fn apply(&mut self, record: &Record) -> Result<()> {
        let result = match record {
            Record::Relation(relation) => {
                self.relations.apply(relation);
                Ok(())
            }
            Record::Event(event) => self.events.apply(&self.schema, event),
            Record::Entity(kind, row, entity) => {
                let before = self.table(*kind).creator(*row);
                self.tables[*kind as usize].apply(&self.schema, *kind, *row, entity).map(|()| {
                    if *kind == Kind::Item {
                        self.note_creator(*row, before);
                    }
                })
            }
        };
        result.map_err(|what| Error::corrupt(format!("the log does not fit: {what}")))
    }

    /// Keeps the items of creators in step with an item that was written.
    fn note_creator(&mut self, item: Row, before: Option<Row>) {
        let now = self.items().creator(item);
        if before == now {
            return;
        }
        if let Some(made) = before.and_then(|creator| self.made_by.get_mut(&creator.0)) {
            made.remove(item.0);
        }
        if let Some(creator) = now {
            self.made_by.entry(creator.0).or_default().insert(item.0);
        }
    }

    /// The row of an entity that exists, or an error that names the field and the id.
    pub(crate) fn require(&self, kind: Kind, id: &Id, field: &str) -> Result<Row> {
        self.table(kind)
            .live_row(id)
            .ok_or_else(|| Error::not_found(field, format!("there is no {kind} with the id {id}")))
    }

    /// What must hold, checked after every step of random tests and by `check`.
    pub(crate) fn check_invariants(&self) -> Result<()> {
        for table in &self.tables {
            table.columns.check_invariants()?;
            for vectors in &table.vectors {
                vectors.check_invariants();
            }
        }
        self.relations.check_invariants().map_err(Error::corrupt)?;
        for (&creator, made) in &self.made_by {
            if let Some(item) =
                made.iter().find(|&item| self.items().creator(Row(item)) != Some(Row(creator)))
            {
                return Err(Error::corrupt(format!("item row {item} is listed under creator row {creator}")));
            }
        }
        Ok(())
    }
}
