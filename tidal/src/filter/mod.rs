//! Which items may come.
//!
//! A [`Filter`] is what is asked. A query binds it to the schema, which resolves names and literals and refuses what
//! cannot be meant, and evaluates the bound filter to a bitmap of rows.
//!
//! Null logic is two-valued: a condition on a missing value is false, and [`Filter::Not`] is the complement among the
//! live rows, so exactly one of `f` and `Not(f)` holds for every item. `docs/filters.md` has the whole account.

mod bind;
mod evaluate;
mod literal;

#[cfg(test)]
mod tests;

use std::ops::Bound;

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::error::Result;
use crate::id::{Id, Row};
use crate::signal::Window;
use crate::value::Value;

/// A condition on items, or on users or creators where they are asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// All of these (true if there are none).
    All(Vec<Filter>),
    /// At least one of these (false if there are none).
    Any(Vec<Filter>),
    /// Not this.
    Not(Box<Filter>),
    /// A declared field passes a test.
    Field(String, Test),
    /// It is one of these.
    Id(Vec<Id>),
    /// It was made by one of these creators. Items only.
    Creator(Vec<Id>),
    /// The query's user stands to it like this. Items only; refused if the query has no user.
    User(UserCondition),
    /// A signal was given so often.
    Signal(SignalCondition),
}

/// A test of a field's value. It fails where there is no value, except `Exists(false)`.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Equal; for tags: one of them is this.
    Eq(Value),
    /// Equal to one of these; for tags: one of them is one of these. False if there are none.
    In(Vec<Value>),
    /// Has each of these tags. True of every list of tags if there are none.
    All(Vec<Value>),
    /// Between two bounds. Numbers, timestamps and durations only.
    Range(Bound<Value>, Bound<Value>),
    /// Whether there is a value. A list without tags is none.
    Exists(bool),
    /// Not farther than this from a place, along the earth's surface.
    Within {
        /// Degrees, -90 to 90.
        latitude: f64,
        /// Degrees, -180 to 180.
        longitude: f64,
        /// Metres, not negative.
        radius_m: f64,
    },
}

/// How a user can stand to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserCondition {
    /// Has seen it.
    Seen,
    /// Has not seen it.
    Unseen,
    /// Likes it.
    Liked,
    /// Keeps it for later.
    Saved,
    /// Never wants to see it again.
    Hidden,
    /// Follows its creator.
    Following,
}

/// A set of items that a user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum UserSet {
    /// Items seen.
    Seen,
    /// Items liked.
    Liked,
    /// Items saved.
    Saved,
    /// Items hidden.
    Hidden,
    /// Items of the creators whom the user follows.
    Following,
}

impl UserCondition {
    /// The set that it is about, and whether it means to be in it.
    pub(crate) fn set(self) -> (UserSet, bool) {
        match self {
            UserCondition::Seen => (UserSet::Seen, true),
            UserCondition::Unseen => (UserSet::Seen, false),
            UserCondition::Liked => (UserSet::Liked, true),
            UserCondition::Saved => (UserSet::Saved, true),
            UserCondition::Hidden => (UserSet::Hidden, true),
            UserCondition::Following => (UserSet::Following, true),
        }
    }
}

/// Bounds on the sum of a signal's weights in a window. What never got the signal has 0, not null.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalCondition {
    /// Its name.
    pub signal: String,
    /// Counted back from now.
    pub window: Window,
    /// Not less. One of the two bounds must be there.
    pub at_least: Option<f64>,
    /// Not more.
    pub at_most: Option<f64>,
}

/// What a filter needs to know to be evaluated, all at one moment.
pub(crate) trait FilterContext {
    /// Fields of the kind that is filtered.
    fn columns(&self) -> &Columns;
    /// A set of the query's user; `None` if the query has no user.
    fn user_set(&self, set: UserSet) -> Result<Option<RoaringBitmap>>;
    /// Sum of a signal's weights in a window, for a live row; the signal by its number in the schema.
    fn signal_value(&self, signal: usize, window: Window, row: Row) -> f64;
    /// Items of these creators; unknown creators have none.
    fn rows_of_creators(&self, creators: &[Id]) -> RoaringBitmap;
    /// The row of an id, if it has one.
    fn row_of(&self, id: &Id) -> Option<Row>;
}

impl Filter {
    /// A field is equal to a value, or one of its tags is.
    pub fn eq(field: &str, value: impl Into<Value>) -> Filter {
        Filter::Field(field.to_owned(), Test::Eq(value.into()))
    }

    /// A field is equal to one of these, or one of its tags is.
    pub fn one_of<V: Into<Value>>(field: &str, values: impl IntoIterator<Item = V>) -> Filter {
        Filter::Field(field.to_owned(), Test::In(values.into_iter().map(Into::into).collect()))
    }

    /// A field is at least `low` and at most `high`.
    pub fn between(field: &str, low: impl Into<Value>, high: impl Into<Value>) -> Filter {
        Filter::range(field, Bound::Included(low.into()), Bound::Included(high.into()))
    }

    /// A field is within bounds.
    pub fn range(field: &str, low: Bound<Value>, high: Bound<Value>) -> Filter {
        Filter::Field(field.to_owned(), Test::Range(low, high))
    }

    /// A field has a value.
    pub fn exists(field: &str) -> Filter {
        Filter::Field(field.to_owned(), Test::Exists(true))
    }

    /// The opposite.
    #[must_use]
    pub fn negate(self) -> Filter {
        Filter::Not(Box::new(self))
    }
}
