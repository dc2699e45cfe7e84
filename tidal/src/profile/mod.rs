//! Ranking profiles: where candidates come from, and by what formula they are ordered. A profile is data.
//!
//! A [`Profile`] is text as people write it. [`Profile::resolve`] checks all of it against a schema and gives a
//! [`ResolvedProfile`], which knows numbers in place of names and is what queries run. `docs/profiles.md` describes the
//! language of formulas and the built-in profiles.

mod builtin;
mod expression;
mod feature;
mod resolve;

pub(crate) use builtin::builtin;
pub(crate) use expression::finite;
pub(crate) use feature::{Features, Names, ResolvedFeature, SignalName};
pub(crate) use resolve::{ResolvedForm, ResolvedProfile, ResolvedSource, ResolvedTerm};

use serde::{Deserialize, Serialize};

use crate::query::Diversity;
use crate::signal::Window;

/// How items are found and ordered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// What queries call it: 1 to 64 bytes.
    pub name: String,
    /// Of two profiles with one name the higher version is meant unless one is asked for.
    #[serde(default = "first_version")]
    pub version: u32,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// What `window` stands for in formulas, unless the query says otherwise.
    #[serde(default = "default_window")]
    pub window: Window,
    /// Whether items that the user has seen are left out.
    #[serde(default)]
    pub hide_seen: bool,
    /// Rules of diversity, unless the query has its own.
    #[serde(default)]
    pub diversity: DiversityRules,
    /// Where candidates come from; an item may come from several.
    pub sources: Vec<Source>,
    /// Conditions: an item for which one of them is 0 is left out.
    #[serde(default)]
    pub gates: Vec<Term>,
    /// Summands of the score.
    pub terms: Vec<Term>,
    /// Instead of the three above, for a query without a user or with one who has no history.
    #[serde(default)]
    pub cold: Option<Form>,
}

/// Candidates and their score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Form {
    /// Where candidates come from; an item may come from several.
    pub sources: Vec<Source>,
    /// Conditions: an item for which one of them is 0 is left out.
    #[serde(default)]
    pub gates: Vec<Term>,
    /// Summands of the score.
    pub terms: Vec<Term>,
}

/// A named formula.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Term {
    /// What explanations call it.
    pub name: String,
    /// The formula, such as `2 * ln1p(count(view, 7d))`.
    pub formula: String,
}

impl Term {
    /// A named formula.
    pub(crate) fn new(name: &str, formula: &str) -> Term {
        Term { name: name.to_owned(), formula: formula.to_owned() }
    }
}

/// Where candidates come from. Each gives at most `limit` items, in its own order, best first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Source {
    /// Items for which one number of a signal is largest, and above zero.
    Signal {
        /// The number, such as `decayed(like)` or `count(view, window)`.
        by: String,
        /// Most items.
        limit: usize,
    },
    /// Items nearest to the user's interest vectors.
    Interest {
        /// Most items.
        limit: usize,
    },
    /// Items nearest to the item that the query names.
    Seed {
        /// Most items.
        limit: usize,
    },
    /// Items of creators that the user follows, newest first.
    Followed {
        /// Most items.
        limit: usize,
    },
    /// The newest items.
    Fresh {
        /// Most items.
        limit: usize,
    },
    /// Items that the users who engaged with the query's item, or else with the user's own, engaged with too.
    CoEngaged {
        /// Most items.
        limit: usize,
    },
    /// Items that match the words of the query, best match first.
    Text {
        /// Most items.
        limit: usize,
    },
    /// Every item, in the order of rows. No limit: the whole catalogue is scored.
    All,
}

impl Source {
    /// What explanations and `source_rank` call it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Source::Signal { .. } => "signal",
            Source::Interest { .. } => "interest",
            Source::Seed { .. } => "seed",
            Source::Followed { .. } => "followed",
            Source::Fresh { .. } => "fresh",
            Source::CoEngaged { .. } => "co_engaged",
            Source::Text { .. } => "text",
            Source::All => "all",
        }
    }

    /// Every name.
    pub(crate) const NAMES: [&str; 8] =
        ["signal", "interest", "seed", "followed", "fresh", "co_engaged", "text", "all"];

    /// Most items that it gives; none if there is no limit.
    pub(crate) fn limit(&self) -> Option<usize> {
        match self {
            Source::Signal { limit, .. }
            | Source::Interest { limit }
            | Source::Seed { limit }
            | Source::Followed { limit }
            | Source::Fresh { limit }
            | Source::CoEngaged { limit }
            | Source::Text { limit } => Some(*limit),
            Source::All => None,
        }
    }
}

/// Rules of diversity as a profile has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiversityRules {
    /// Most items of one creator in an answer.
    #[serde(default)]
    pub max_per_creator: Option<usize>,
}

impl From<DiversityRules> for Diversity {
    fn from(rules: DiversityRules) -> Diversity {
        Diversity { max_per_creator: rules.max_per_creator }
    }
}

fn first_version() -> u32 {
    1
}

fn default_window() -> Window {
    Window::Week
}

#[cfg(test)]
mod tests;
