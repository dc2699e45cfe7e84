//! Searching a pinned state of the index.
//!
//! 1. Parse.
//! 2. Search for documents with all words, spelled exactly so.
//! 3. If that found fewer than [`LOOSEN_BELOW_HITS`] and fewer than asked for, add documents with all words that
//!    typos and wrong spaces are allowed in.
//! 4. If nothing was found, search for any of the words instead of all; first exactly, then loosely.
//!
//! Hits of a later step rank below all of an earlier one: their scores are scaled down to lie below. What a step finds
//! does not depend on the limit, so a longer page starts with the shorter one.

use std::sync::Arc;

use roaring::RoaringBitmap;
use tantivy::Searcher;
use tantivy::query::EnableScoring;

use crate::{Error, Result};

use super::collect::{Allowed, TextHit, top};
use super::failure;
use super::limits::{HITS_MAX, LOOSEN_BELOW_HITS};
use super::parse::{Parsing, parse};
use super::plan::{Planner, Reading, can_loosen, has_several_words};
use super::query::{Ignored, Node};
use super::schema::Fields;

/// A step's best hit scores at most this part of the worst hit of the step before.
const STEP_FACTOR: f32 = 0.99;

/// The answer of a search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextHits {
    /// Best first; equal scores by row.
    pub(crate) hits: Vec<TextHit>,
    /// How many there are.
    pub(crate) total: Total,
    /// How the query had to be taken for the last of the hits.
    pub(crate) matching: Matching,
    /// What lenient parsing left out.
    pub(crate) ignored: Vec<Ignored>,
}

/// The number of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Total {
    /// Exactly so many.
    Exactly(usize),
    /// So many or more: counting on would have cost more than finding the best.
    AtLeast(usize),
}

/// How a query was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Matching {
    /// All words, as they are spelled.
    Exact,
    /// All words, some misspelled or with a space too many or too few.
    Loose,
    /// Some of the words, because no document has all.
    AnyWord,
    /// Some of the words, misspelled.
    AnyWordLoose,
}

impl Matching {
    fn reading(self) -> Reading {
        Reading {
            all_words: matches!(self, Matching::Exact | Matching::Loose),
            loose: matches!(self, Matching::Loose | Matching::AnyWordLoose),
        }
    }
}

/// The index as it was at one moment. It stays so, and searchable, while the index moves on.
#[derive(Clone)]
pub(crate) struct TextSnapshot {
    pub(super) searcher: Searcher,
    pub(super) fields: Arc<Fields>,
}

impl TextSnapshot {
    /// The best `limit` documents for `query` among the rows of `filter` (all rows if none), by BM25 with k1 = 1.2 and
    /// b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; idf as in
    /// Lucene, `ln(1 + (N - n + 0.5) / (n + 0.5))`), summed over words and fields with the fields' weights. Lengths
    /// are rounded down to one of 256 steps; deleted documents count in N and n until their segment is rewritten.
    ///
    /// # Errors
    /// `Invalid` for a limit above [`HITS_MAX`] and, in strict parsing, for a query that is not understood (with its
    /// byte); `Unavailable` if the index cannot be read.
    pub(crate) fn search(
        &self,
        query: &str,
        parsing: Parsing,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<TextHits> {
        if limit > HITS_MAX {
            return Err(Error::invalid("limit", format!("{limit} hits, at most {HITS_MAX}")));
        }
        let names: Vec<&str> = self.fields.ours.iter().map(|field| field.name.as_str()).collect();
        let (node, ignored) = parse(query, parsing, &names)?;
        let mut found =
            TextHits { hits: Vec::new(), total: Total::Exactly(0), matching: Matching::Exact, ignored };
        let Some(node) = node else { return Ok(found) };
        // One more than asked for tells whether there are more.
        let wanted = limit + 1;
        self.step(&node, Matching::Exact, wanted, filter, &mut found)?;
        let loosen = can_loosen(&node);
        if loosen && found.hits.len() < LOOSEN_BELOW_HITS.min(wanted) {
            self.step(&node, Matching::Loose, wanted, filter, &mut found)?;
        }
        if has_several_words(&node) {
            if found.hits.is_empty() {
                self.step(&node, Matching::AnyWord, wanted, filter, &mut found)?;
            }
            if found.hits.is_empty() && loosen {
                self.step(&node, Matching::AnyWordLoose, wanted, filter, &mut found)?;
            }
        }
        found.total = match found.hits.len() {
            count if count <= limit => Total::Exactly(count),
            count => Total::AtLeast(count),
        };
        found.hits.truncate(limit);
        Ok(found)
    }

    fn step(
        &self,
        node: &Node,
        matching: Matching,
        wanted: usize,
        filter: Option<&RoaringBitmap>,
        found: &mut TextHits,
    ) -> Result<()> {
        let except: RoaringBitmap = found.hits.iter().map(|hit| hit.row.0).collect();
        let room = wanted - found.hits.len();
        let planner = Planner { searcher: &self.searcher, fields: &self.fields, reading: matching.reading() };
        let query = planner.query(node).map_err(|error| failure(&error))?;
        let weight = query
            .weight(EnableScoring::enabled_from_searcher(&self.searcher))
            .map_err(|error| failure(&error))?;
        let allowed = Allowed { only: filter, except: &except };
        let mut hits = top(&self.searcher, &self.fields.theirs, &*weight, room, allowed)
            .map_err(|error| failure(&error))?;
        if hits.is_empty() {
            return Ok(());
        }
        if let (Some(worst), Some(best)) = (found.hits.last(), hits.first())
            && best.score >= worst.score
        {
            let factor = worst.score * STEP_FACTOR / best.score;
            hits.iter_mut().for_each(|hit| hit.score *= factor);
            // Rounding may have made scores equal.
            hits.sort_by(TextHit::order);
        }
        found.matching = matching;
        found.hits.append(&mut hits);
        Ok(())
    }

    /// The number of documents.
    pub(crate) fn len(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// Whether the index holds this document.
    ///
    /// # Errors
    /// `Unavailable` if the index cannot be read.
    pub(crate) fn contains(&self, row: crate::Row) -> Result<bool> {
        let term = tantivy::Term::from_field_u64(self.fields.row, u64::from(row.0));
        let query = tantivy::query::TermQuery::new(term, tantivy::schema::IndexRecordOption::Basic);
        let count = tantivy::query::Query::count(&query, &self.searcher).map_err(|error| failure(&error))?;
        Ok(count > 0)
    }
}
