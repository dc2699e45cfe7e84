//! Scores of candidates.

use crate::best::{Best, order};
use crate::id::Row;
use crate::profile::finite;
use crate::profile::{Features, ResolvedForm};
use crate::query::Term;

/// A candidate with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    /// The item.
    pub row: Row,
    /// Sum of the terms; finite.
    pub score: f64,
}

/// The `keep` best of the candidates that pass every gate: higher score first, equal scores by row, so that one state
/// gives one order. Each candidate comes once. Cost: each term once per candidate, then n log keep.
pub(crate) fn score<F: Features + ?Sized>(
    candidates: impl IntoIterator<Item = Row>,
    form: &ResolvedForm,
    features: &F,
    keep: usize,
) -> Vec<Scored> {
    let candidates = candidates.into_iter();
    let mut stack = Vec::new();
    let mut passed = candidates.filter_map(|row| Some((row, score_one(row, form, features, &mut stack)?)));
    let ordered = if keep == usize::MAX {
        let mut all: Vec<(Row, f64)> = passed.collect();
        all.sort_unstable_by(|a, b| order(*a, *b));
        all
    } else {
        let mut best = Best::new(keep, passed.size_hint().1.unwrap_or(keep));
        passed.by_ref().for_each(|(row, score)| best.offer(row, score));
        best.into_sorted()
    };
    ordered.into_iter().map(|(row, score)| Scored { row, score }).collect()
}

/// The score of one item; `None` if it fails a gate.
fn score_one<F: Features + ?Sized>(
    row: Row,
    form: &ResolvedForm,
    features: &F,
    stack: &mut Vec<f64>,
) -> Option<f64> {
    let passes = form.gates.iter().all(|gate| gate.formula.value(features, row, stack) != 0.0);
    passes.then(|| {
        form.terms.iter().fold(0.0, |sum, term| finite(sum + term.formula.value(features, row, stack)))
    })
}

/// What the score of an item is made of. The values, added in this order, are exactly the score that [`score`] gives it
/// (a sum beyond the range of f64 is its largest number).
pub(crate) fn explain<F: Features + ?Sized>(row: Row, form: &ResolvedForm, features: &F) -> Vec<Term> {
    let mut stack = Vec::new();
    let explained = |term: &crate::profile::ResolvedTerm| Term {
        name: term.name.clone(),
        value: term.formula.value(features, row, &mut stack),
        formula: term.formula.text().to_owned(),
    };
    form.terms.iter().map(explained).collect()
}
