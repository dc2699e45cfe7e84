//! Writing: from mutations to one commit.
//!
//! 1. Check every mutation against the schema and against what exists, including what the batch itself makes.
//! 2. Commit the records to the log, all or none.
//! 3. Apply the same records to the views.
//!
//! Users, and creators that items name, come into being when they are first mentioned; items do not. Ending a relation
//! mentions nobody.

use std::collections::{BTreeMap, BTreeSet};

use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::id::{Id, Kind, Row};
use crate::keys;
use crate::limits;
use crate::mutation::{Batch, Mutation, Relation, RelationKind, Signal};
use crate::record::{EntityContent, EntityRecord, EventRecord, Record, RelationRecord, encode};
use crate::schema::check_entity::check_id;
use crate::signal::SignalTable;
use crate::state::State;
use crate::store::Store;
use crate::time::Timestamp;

/// Turns a batch into records, against a state that does not change meanwhile.
pub(crate) struct Writer<'a> {
    state: &'a State,
    store: &'a Store,
    now: Timestamp,
    records: Vec<Record>,
    /// Entities that the batch wrote, and rows that it gave out.
    made: BTreeMap<(Kind, Id), (Row, bool)>,
    next_rows: [u32; 3],
    creators: BTreeMap<u32, Option<Row>>,
    /// Relations that the batch made (true) or ended.
    relations: BTreeMap<(RelationKind, Row, Row), bool>,
    keys: BTreeSet<String>,
    duplicates: usize,
    unchanged: usize,
}

/// The records of a batch, checked.
pub(crate) struct Prepared {
    pub(crate) records: Vec<Record>,
    /// Signals left out because their idempotency key was seen before.
    pub(crate) duplicates: usize,
    /// Relations left out because they were as the batch wants them.
    pub(crate) unchanged: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(state: &'a State, store: &'a Store, now: Timestamp) -> Writer<'a> {
        let next_rows = [Kind::Item, Kind::User, Kind::Creator].map(|kind| state.table(kind).next_row().0);
        Writer {
            state,
            store,
            now,
            records: Vec::new(),
            made: BTreeMap::new(),
            next_rows,
            creators: BTreeMap::new(),
            relations: BTreeMap::new(),
            keys: BTreeSet::new(),
            duplicates: 0,
            unchanged: 0,
        }
    }

    /// Checks a batch. In an error of a batch of several the field begins with the place in it: `[3].metadata.year`.
    pub(crate) fn prepare(mut self, batch: Batch) -> Result<Prepared> {
        let count = batch.mutations.len();
        if count > limits::MAX_BATCH_MUTATIONS {
            let most = limits::MAX_BATCH_MUTATIONS;
            return Err(Error::invalid("batch", format!("{count} changes; at most {most} are possible")));
        }
        for (place, mutation) in batch.mutations.into_iter().enumerate() {
            let result = self.add(mutation);
            result.map_err(|error| if count > 1 { error.below(&format!("[{place}]")) } else { error })?;
        }
        Ok(Prepared { records: self.records, duplicates: self.duplicates, unchanged: self.unchanged })
    }

    fn add(&mut self, mutation: Mutation) -> Result<()> {
        match mutation {
            Mutation::Put(kind, entity) => self.put(kind, entity),
            Mutation::Delete(kind, id) => self.delete(kind, &id),
            Mutation::Relate(relation) => self.relate(&relation, Some(self.now)),
            Mutation::Unrelate(relation) => self.relate(&relation, None),
            Mutation::Signal(signal) => self.signal(signal),
        }
    }

    fn put(&mut self, kind: Kind, mut entity: Entity) -> Result<()> {
        self.state.schema.check_entity(kind, &mut entity)?;
        let creator = entity.creator.map(|creator| self.mention(Kind::Creator, &creator)).transpose()?;
        let Entity { id, metadata, embeddings, .. } = entity;
        let row = self.row_for(kind, &id)?;
        if kind == Kind::Item {
            self.creators.insert(row.0, creator);
        }
        self.push_entity(kind, row, &id, Some(EntityContent { creator, metadata, embeddings }));
        Ok(())
    }

    fn delete(&mut self, kind: Kind, id: &Id) -> Result<()> {
        let row = self.require(kind, id, "id")?;
        self.push_entity(kind, row, id, None);
        Ok(())
    }

    fn relate(&mut self, relation: &Relation, since: Option<Timestamp>) -> Result<()> {
        let Relation { kind, user, target } = relation;
        check_id(user).map_err(|error| error.below("user"))?;
        // A removed item can be hidden, and the hide of one that is gone can be undone.
        let target_kind = kind.target_kind();
        let Some((target, _)) = self.known_row(target_kind, target) else {
            return Err(no_such(target_kind, target, target_kind.target_name()));
        };
        let user = match since {
            Some(_) => Some(self.mention(Kind::User, user).map_err(|error| error.below("user"))?),
            // Who is not there has nothing to end, and does not come into being by that.
            None => self.known_row(Kind::User, user).map(|(row, _)| row),
        };
        match user {
            Some(user) if self.holds(user, *kind, target) != since.is_some() => {
                self.relations.insert((*kind, user, target), since.is_some());
                self.records.push(Record::Relation(RelationRecord { user, kind: *kind, target, since }));
            }
            _ => self.unchanged += 1,
        }
        Ok(())
    }

    fn signal(&mut self, signal: Signal) -> Result<()> {
        let schema = &self.state.schema;
        let number = schema.require_signal(&signal.signal)?;
        SignalTable::check_weight(signal.weight)?;
        let kind = schema.signals()[number].on;
        let target = self.require(kind, &signal.target, kind.target_name())?;
        if let Some(key) = &signal.key {
            if key.is_empty() || key.len() > limits::MAX_ID_BYTES {
                let what =
                    format!("1 to {} bytes are possible, this has {}", limits::MAX_ID_BYTES, key.len());
                return Err(Error::invalid("key", what));
            }
            if self.keys.contains(key) || self.store.idempotency.get(key)?.is_some() {
                self.duplicates += 1;
                return Ok(());
            }
            self.keys.insert(key.clone());
        }
        let user = signal.user.as_ref().map(|user| self.mention(Kind::User, user)).transpose();
        let user = user.map_err(|error| error.below("user"))?;
        let creator = match kind {
            Kind::Item => {
                self.creators.get(&target.0).copied().unwrap_or_else(|| self.state.items().creator(target))
            }
            Kind::User | Kind::Creator => None,
        };
        self.records.push(Record::Event(EventRecord {
            signal: u16::try_from(number).expect("a schema has far fewer signals"),
            kind,
            target,
            creator,
            user,
            weight: signal.weight,
            at: signal.at.unwrap_or(self.now),
            received: self.now,
            key: signal.key,
        }));
        Ok(())
    }

    /// Whether a relation is there, after what the batch did so far.
    fn holds(&self, user: Row, kind: RelationKind, target: Row) -> bool {
        let made = self.relations.get(&(kind, user, target)).copied();
        made.unwrap_or_else(|| self.state.relations.holds(user, kind, target))
    }

    /// The row of an entity, which comes into being if it does not exist.
    fn mention(&mut self, kind: Kind, id: &Id) -> Result<Row> {
        check_id(id)?;
        if let Some((row, true)) = self.known_row(kind, id) {
            return Ok(row);
        }
        let row = self.row_for(kind, id)?;
        let (metadata, embeddings) = (BTreeMap::new(), BTreeMap::new());
        self.push_entity(kind, row, id, Some(EntityContent { creator: None, metadata, embeddings }));
        Ok(row)
    }

    /// The row of an entity that exists.
    fn require(&self, kind: Kind, id: &Id, field: &str) -> Result<Row> {
        match self.known_row(kind, id) {
            Some((row, true)) => Ok(row),
            _ => Err(no_such(kind, id, field)),
        }
    }

    /// The row that an id has, and whether the entity exists.
    fn known_row(&self, kind: Kind, id: &Id) -> Option<(Row, bool)> {
        if let Some(made) = self.made.get(&(kind, id.clone())) {
            return Some(*made);
        }
        let table = self.state.table(kind);
        table.row(id).map(|row| (row, table.is_live(row)))
    }

    /// The row that an id has, or a new one.
    fn row_for(&mut self, kind: Kind, id: &Id) -> Result<Row> {
        if let Some((row, _)) = self.known_row(kind, id) {
            return Ok(row);
        }
        let next = &mut self.next_rows[kind as usize];
        if *next == u32::MAX {
            return Err(Error::invalid("id", format!("there are 2^32 - 1 {kind}s, the most there can be")));
        }
        *next += 1;
        Ok(Row(*next - 1))
    }

    fn push_entity(&mut self, kind: Kind, row: Row, id: &Id, content: Option<EntityContent>) {
        let created = self.state.table(kind).created(row).unwrap_or(self.now);
        self.made.insert((kind, id.clone()), (row, content.is_some()));
        self.records.push(Record::Entity(kind, row, EntityRecord { id: id.into(), created, content }));
    }
}

fn no_such(kind: Kind, id: &Id, field: &str) -> Error {
    Error::not_found(field, format!("there is no {kind} with the id {id}"))
}

/// The commit that writes the records.
pub(crate) fn to_commit(store: &Store, records: &[Record]) -> kv0::Batch {
    let mut commit = kv0::Batch::new();
    for record in records {
        match record {
            Record::Entity(kind, row, entity) => {
                commit.put(store.entities(*kind), keys::entity(*row), encode(entity));
            }
            Record::Relation(RelationRecord { user, kind, target, since }) => {
                let key = keys::relation(*user, *kind, *target);
                match since {
                    Some(since) => commit.put(&store.relations, key, encode(since)),
                    None => commit.delete(&store.relations, key),
                }
            }
            Record::Event(event) => {
                commit.append(&store.events, encode(event));
                if let Some(key) = &event.key {
                    commit.put(&store.idempotency, key, encode(&event.received));
                }
            }
        }
    }
    commit
}
