//! The entities of one kind by row, and the rows by id.

use std::collections::BTreeMap;

use crate::columns::Columns;
use crate::entity::Entity;
use crate::error::Result;
use crate::id::{Id, Kind, Row};
use crate::record::EntityRecord;
use crate::schema::Schema;
use crate::time::Timestamp;
use crate::vector::{BruteForceIndex, VectorIndex};

/// The entities of one kind.
#[derive(Debug)]
pub(crate) struct Table {
    rows: BTreeMap<Id, Row>,
    ids: Vec<Id>,
    created: Vec<Timestamp>,
    /// Items: who made them.
    creators: Vec<Option<Row>>,
    pub(crate) columns: Columns,
    /// One index for each embedding slot.
    pub(crate) vectors: Vec<BruteForceIndex>,
}

impl Table {
    pub(crate) fn new(schema: &Schema, kind: Kind) -> Result<Table> {
        let vectors = schema
            .slots(kind)
            .iter()
            .map(|slot| BruteForceIndex::new(slot.dimension as usize, slot.metric))
            .collect::<Result<_>>()?;
        Ok(Table {
            rows: BTreeMap::new(),
            ids: Vec::new(),
            created: Vec::new(),
            creators: Vec::new(),
            columns: Columns::new(schema.fields(kind)),
            vectors,
        })
    }

    /// The row of an id that was ever written, whether or not it was removed since.
    pub(crate) fn row(&self, id: &Id) -> Option<Row> {
        self.rows.get(id).copied()
    }

    /// The row of an id that exists.
    pub(crate) fn live_row(&self, id: &Id) -> Option<Row> {
        self.row(id).filter(|row| self.is_live(*row))
    }

    pub(crate) fn is_live(&self, row: Row) -> bool {
        self.columns.live().contains(row.0)
    }

    pub(crate) fn id(&self, row: Row) -> Option<&Id> {
        self.ids.get(row.0 as usize)
    }

    /// When the id was written first.
    pub(crate) fn created(&self, row: Row) -> Option<Timestamp> {
        self.created.get(row.0 as usize).copied()
    }

    /// Who made an item.
    pub(crate) fn creator(&self, row: Row) -> Option<Row> {
        self.creators.get(row.0 as usize).copied().flatten()
    }

    /// The row that the next new id gets.
    pub(crate) fn next_row(&self) -> Row {
        Row(u32::try_from(self.ids.len()).unwrap_or(u32::MAX))
    }

    /// Rows are given out without gaps, and a record comes for each before the next: so the log has them in order.
    pub(crate) fn apply(
        &mut self,
        schema: &Schema,
        kind: Kind,
        row: Row,
        record: &EntityRecord,
    ) -> Result<(), String> {
        let index = row.0 as usize;
        let id = Id::from(record.id.clone());
        match self.ids.get(index) {
            Some(known) if *known != id => {
                return Err(format!("row {} is of {kind} {known}, not {id}", row.0));
            }
            Some(_) => {}
            None if index == self.ids.len() => {
                self.rows.insert(id.clone(), row);
                self.ids.push(id.clone());
                self.created.push(record.created);
                self.creators.push(None);
            }
            None => return Err(format!("row {} of {kind} {id} comes before row {}", row.0, self.ids.len())),
        }
        let Some(content) = &record.content else {
            self.columns.remove(row);
            self.creators[index] = None;
            for vectors in &mut self.vectors {
                vectors.remove(row);
            }
            return Ok(());
        };
        self.creators[index] = content.creator;
        let entity =
            Entity { id, creator: None, metadata: content.metadata.clone(), embeddings: BTreeMap::new() };
        self.columns.set(row, &entity);
        for (slot, vectors) in schema.slots(kind).iter().zip(&mut self.vectors) {
            match content.embeddings.get(&slot.name) {
                Some(vector) => vectors.upsert(row, vector).map_err(|error| error.to_string())?,
                None => drop(vectors.remove(row)),
            }
        }
        Ok(())
    }
}
