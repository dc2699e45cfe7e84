//! What is answered.

use std::collections::BTreeMap;

use crate::id::Id;

/// Results in order, and what is to be known about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Best first; equal scores by row, so that one state gives one order.
    pub results: Vec<Hit>,
    /// What was done differently than asked, in words.
    pub warnings: Vec<String>,
    /// Whether every rule of diversity held.
    pub constraints_satisfied: bool,
    /// What it took.
    pub stats: Stats,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The item.
    pub id: Id,
    /// 1 for the first.
    pub rank: usize,
    /// By what the order was made.
    pub score: f64,
    /// All-time count of each signal of the item that has any.
    pub signals: BTreeMap<String, f64>,
    /// Why it is here, if asked.
    pub explain: Option<Explain>,
}

/// Why a result is where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Explain {
    /// The main reason, for people.
    pub reason: String,
    /// Which candidate sources found it.
    pub sources: Vec<SourceHit>,
    /// What the score is made of: the terms sum to the score.
    pub terms: Vec<Term>,
}

/// A candidate source found the item.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceHit {
    /// Name of the source.
    pub source: String,
    /// Place in the source's own order, 1 for the first.
    pub rank: usize,
}

/// One summand of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Its name in the profile.
    pub name: String,
    /// What it adds to the score.
    pub value: f64,
    /// How it came about, for people: the formula as the profile has it.
    pub formula: String,
}

/// What a query took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Different candidates from all sources.
    pub candidates: usize,
    /// Items that the sources could not find, because of the filter, hides, blocks, exclusions or, where the profile
    /// leaves out what was seen, views.
    pub filtered: usize,
    /// Candidates that the gates and the score were computed for.
    pub scored: usize,
}
