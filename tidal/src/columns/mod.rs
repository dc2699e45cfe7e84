//! The declared fields of one kind in memory, a column each, over rows.
//!
//! Filters read whole columns and answer with bitmaps of rows; scoring reads single values by field number and row, which
//! is an array access. Keywords and tags have a bitmap per value. Numbers have none and no sorted index either: a range
//! is answered by comparing the whole array, 64 rows to a word, without a branch. That takes the same time for every
//! range, 8 bytes read a row, and costs nothing at a write, where a sorted index would pay at every change for fields
//! that are rarely asked about.
//!
//! Bounded by the rows in use: an emptied row keeps its place in the arrays, a keyword without rows is forgotten.

mod bits;
mod geo;
mod keyword;
mod number;

#[cfg(test)]
mod tests;

use roaring::RoaringBitmap;

use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::id::Row;
use crate::schema::{FieldDef, FieldType};
use crate::time::MICROS_PER_SECOND;
use crate::value::Value;

use bits::Bits;
use geo::Places;
pub(crate) use geo::distance_m;
use keyword::{Keywords, Tags};
use number::Numbers;
pub(crate) use number::in_ranges;

/// All columns of one kind. Fields are given by their number in the schema; one that is not there has no values.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    names: Vec<String>,
    columns: Vec<Column>,
    live: RoaringBitmap,
}

#[derive(Debug, Clone)]
enum Column {
    Keyword(Keywords),
    Tags(Tags),
    /// Words are in the text index; here is only who has any.
    Text(Bits),
    Bool {
        present: Bits,
        yes: Bits,
    },
    Int(Numbers<i64>),
    Float(Numbers<f64>),
    /// Timestamps and durations, in microseconds.
    Micros(Numbers<i64>),
    Geo(Places),
}

impl Column {
    fn new(of: FieldType) -> Column {
        match of {
            FieldType::Keyword => Column::Keyword(Keywords::default()),
            FieldType::Tags => Column::Tags(Tags::default()),
            FieldType::Text => Column::Text(Bits::default()),
            FieldType::Bool => Column::Bool { present: Bits::default(), yes: Bits::default() },
            FieldType::Int => Column::Int(Numbers::default()),
            FieldType::Float => Column::Float(Numbers::default()),
            FieldType::Timestamp | FieldType::Duration => Column::Micros(Numbers::default()),
            FieldType::Geo => Column::Geo(Places::default()),
        }
    }

    /// A value of another type than the column's is no value. The schema lets none through, but an entity may be older
    /// than the declaration of its field.
    fn set(&mut self, row: u32, value: Option<&Value>) {
        match (self, value) {
            (Column::Keyword(column), Some(Value::Text(text))) => column.set(row, text),
            (Column::Tags(column), Some(Value::List(tags))) => column.set(row, tags),
            (Column::Text(present), Some(Value::Text(_))) => present.set(row),
            (Column::Bool { present, yes }, Some(Value::Bool(value))) => {
                present.set(row);
                if *value { yes.set(row) } else { yes.clear(row) }
            }
            (Column::Int(column), Some(Value::Int(number))) => column.set(row, *number),
            (Column::Float(column), Some(Value::Float(number))) => column.set(row, *number),
            (Column::Micros(column), Some(Value::Timestamp(timestamp))) => column.set(row, timestamp.0),
            (Column::Micros(column), Some(Value::Duration(micros))) => column.set(row, *micros),
            (Column::Geo(column), Some(Value::Geo(latitude, longitude))) => {
                column.set(row, *latitude, *longitude);
            }
            (column, _) => column.clear(row),
        }
    }

    fn clear(&mut self, row: u32) {
        match self {
            Column::Keyword(column) => column.clear(row),
            Column::Tags(column) => column.clear(row),
            Column::Text(present) => present.clear(row),
            Column::Bool { present, yes } => {
                present.clear(row);
                yes.clear(row);
            }
            Column::Int(column) | Column::Micros(column) => column.clear(row),
            Column::Float(column) => column.clear(row),
            Column::Geo(column) => column.clear(row),
        }
    }

    fn has(&self, row: u32) -> bool {
        match self {
            Column::Keyword(column) => column.get(row).is_some(),
            Column::Tags(column) => column.get(row).next().is_some(),
            Column::Text(present) | Column::Bool { present, .. } => present.contains(row),
            Column::Int(column) | Column::Micros(column) => column.present().contains(row),
            Column::Float(column) => column.present().contains(row),
            Column::Geo(column) => column.present().contains(row),
        }
    }

    fn present(&self) -> RoaringBitmap {
        match self {
            Column::Keyword(column) => column.present(),
            Column::Tags(column) => column.present(),
            Column::Text(present) | Column::Bool { present, .. } => present.to_bitmap(),
            Column::Int(column) | Column::Micros(column) => column.present().to_bitmap(),
            Column::Float(column) => column.present().to_bitmap(),
            Column::Geo(column) => column.present().to_bitmap(),
        }
    }

    fn check_invariants(&self) -> std::result::Result<(), String> {
        match self {
            Column::Keyword(column) => column.check_invariants(),
            Column::Tags(column) => column.check_invariants(),
            Column::Text(_) => Ok(()),
            Column::Bool { present, yes } => match yes.to_bitmap().is_subset(&present.to_bitmap()) {
                true => Ok(()),
                false => Err("a row is true and has no value".to_owned()),
            },
            Column::Int(column) | Column::Micros(column) => column.check_invariants(),
            Column::Float(column) => column.check_invariants(),
            Column::Geo(column) => column.check_invariants(),
        }
    }
}

impl Columns {
    /// Empty columns for the fields of a kind.
    pub(crate) fn new(fields: &[FieldDef]) -> Columns {
        Columns {
            names: fields.iter().map(|field| field.name.clone()).collect(),
            columns: fields.iter().map(|field| Column::new(field.of)).collect(),
            live: RoaringBitmap::new(),
        }
    }

    /// Puts an entity, checked by [`crate::Schema::check_entity`], in place of whatever the row had.
    pub(crate) fn set(&mut self, row: Row, entity: &Entity) {
        self.live.insert(row.0);
        for (name, column) in self.names.iter().zip(&mut self.columns) {
            column.set(row.0, entity.metadata.get(name));
        }
    }

    /// Empties a row.
    pub(crate) fn remove(&mut self, row: Row) {
        if self.live.remove(row.0) {
            for column in &mut self.columns {
                column.clear(row.0);
            }
        }
    }

    /// The rows that have an entity.
    pub(crate) fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    /// An int or float; a timestamp or duration in seconds; a bool as 1 or 0.
    pub(crate) fn number(&self, field: usize, row: Row) -> Option<f64> {
        match self.columns.get(field)? {
            Column::Int(column) => column.get(row.0).map(|number| number as f64),
            Column::Float(column) => column.get(row.0),
            Column::Micros(column) => {
                column.get(row.0).map(|micros| micros as f64 / MICROS_PER_SECOND as f64)
            }
            Column::Bool { present, yes } => {
                present.contains(row.0).then(|| f64::from(u8::from(yes.contains(row.0))))
            }
            _ => None,
        }
    }

    /// An int, or a timestamp or duration in microseconds, exactly.
    pub(crate) fn integer(&self, field: usize, row: Row) -> Option<i64> {
        match self.columns.get(field)? {
            Column::Int(column) | Column::Micros(column) => column.get(row.0),
            _ => None,
        }
    }

    /// A keyword.
    #[cfg(test)]
    pub(crate) fn keyword(&self, field: usize, row: Row) -> Option<&str> {
        match self.columns.get(field)? {
            Column::Keyword(column) => column.get(row.0),
            _ => None,
        }
    }

    /// Tags, each once, in an order that has no meaning.
    #[cfg(test)]
    pub(crate) fn tags(&self, field: usize, row: Row) -> impl Iterator<Item = &str> {
        match self.columns.get(field) {
            Some(Column::Tags(column)) => Some(column.get(row.0)),
            _ => None,
        }
        .into_iter()
        .flatten()
    }

    /// A place: latitude and longitude in degrees.
    pub(crate) fn place(&self, field: usize, row: Row) -> Option<(f64, f64)> {
        match self.columns.get(field)? {
            Column::Geo(column) => column.get(row.0),
            _ => None,
        }
    }

    /// The values of a keyword or tags field with their rows, by value.
    #[cfg_attr(not(test), expect(dead_code, reason = "what facets will count"))]
    pub(crate) fn values(&self, field: usize) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.dictionary(field).map(keyword::Dictionary::iter).into_iter().flatten()
    }

    fn dictionary(&self, field: usize) -> Option<&keyword::Dictionary> {
        match self.columns.get(field)? {
            Column::Keyword(column) => Some(column.dictionary()),
            Column::Tags(column) => Some(column.dictionary()),
            _ => None,
        }
    }

    /// The rows with a keyword or tag.
    pub(crate) fn rows_with(&self, field: usize, value: &str) -> Option<&RoaringBitmap> {
        self.dictionary(field)?.rows(value)
    }

    /// Whether a row has a value in a field. A list without tags is none.
    pub(crate) fn has(&self, field: usize, row: Row) -> bool {
        self.columns.get(field).is_some_and(|column| column.has(row.0))
    }

    /// The rows that have a value in a field. A list without tags is none.
    pub(crate) fn present(&self, field: usize) -> RoaringBitmap {
        self.columns.get(field).map(Column::present).unwrap_or_default()
    }

    /// The rows whose bool is `value`.
    pub(crate) fn rows_that_are(&self, field: usize, value: bool) -> RoaringBitmap {
        match self.columns.get(field) {
            Some(Column::Bool { yes, .. }) if value => yes.to_bitmap(),
            Some(Column::Bool { present, yes }) => present.to_bitmap() - yes.to_bitmap(),
            _ => RoaringBitmap::new(),
        }
    }

    /// The rows whose int, or timestamp or duration in microseconds, lies in one of these ranges, which include both
    /// ends, are sorted and do not overlap.
    pub(crate) fn integers_in(&self, field: usize, ranges: &[(i64, i64)]) -> RoaringBitmap {
        match self.columns.get(field) {
            Some(Column::Int(column) | Column::Micros(column)) => column.rows_in(ranges),
            _ => RoaringBitmap::new(),
        }
    }

    /// The same for floats.
    pub(crate) fn floats_in(&self, field: usize, ranges: &[(f64, f64)]) -> RoaringBitmap {
        match self.columns.get(field) {
            Some(Column::Float(column)) => column.rows_in(ranges),
            _ => RoaringBitmap::new(),
        }
    }

    /// Holds if every column and its indexes agree and only live rows have values.
    ///
    /// # Errors
    /// `Corrupt`, naming the field and what does not hold.
    pub(crate) fn check_invariants(&self) -> Result<()> {
        for (name, column) in self.names.iter().zip(&self.columns) {
            let fail = |reason: String| Error::corrupt(format!("column {name}: {reason}"));
            column.check_invariants().map_err(fail)?;
            if let Some(row) = (column.present() - &self.live).min() {
                return Err(fail(format!("row {row} has a value and is not live")));
            }
        }
        Ok(())
    }
}
