//! What formulas can ask of an item.

use crate::id::Row;
use crate::signal::{Measure, Window};

/// A feature with numbers in place of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ResolvedFeature {
    /// A number of one of the item's signals.
    Signal(u16, Measure),
    /// Hours since the item's time: the field that the schema names for it, or else its first write. Never negative.
    AgeHours,
    /// A number field: the value; a bool is 0 or 1, a timestamp in seconds since 1970, a duration in seconds. 0 without
    /// a value.
    Field(u16),
    /// The best similarity of the item to the query's item, or else to the user's interest vectors; 0 without.
    Similarity,
    /// The user's decayed interaction weight with the item's creator; 0 without.
    Affinity,
    /// 1 if the user follows the item's creator.
    Following,
    /// 1 if the user has muted the item's creator.
    Muted,
    /// How well the item matches the words of the query; 0 without.
    TextScore,
    /// 1 if the user has seen the item.
    Seen,
    /// How much the item is engaged with by the same users as the query's item, or else as the user's own few latest:
    /// the mean over those items of common users ÷ √(users of one × users of the other), from 0 to 1. 0 without.
    CoEngagement,
    /// 1 ÷ the item's place in the order of the source with this number in [`super::Source::NAMES`]; 0 if it did not find it.
    SourceRank(u8),
}

/// Live values of features. An answer for one query is for one user, one moment and one state.
pub(crate) trait Features {
    /// The value of a feature for an item. What is not finite is taken as in formulas: NaN as 0, infinity as the
    /// largest number.
    fn value(&self, feature: ResolvedFeature, row: Row) -> f64;
}

/// A signal on items, as formulas may name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignalName {
    /// Its number in the table of signals.
    pub signal: u16,
    /// How many decayed values it has: `decayed(name, 0)` to one less.
    pub decayed: usize,
}

/// The names of a schema that formulas may use.
pub(crate) trait Names {
    /// The signal on items of this name.
    fn signal(&self, name: &str) -> Option<SignalName>;

    /// The number of the item field of this name, if it is a number, bool, timestamp or duration.
    fn field(&self, name: &str) -> Option<u16>;
}

/// The window of a measure, which the query may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowName {
    Fixed(Window),
    /// The word `window`: the query's, or else the profile's.
    OfQuery,
}
