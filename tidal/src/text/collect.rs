//! The best k, exactly.
//!
//! tantivy skips blocks of postings whose best score cannot reach the threshold. Two things keep that exact here:
//!
//! 1. *Ties.* Documents with equal scores are ordered by row, not by where they are stored, so a document that ties
//!    with the worst kept one must be seen: the threshold stays a little below that one's score.
//! 2. *Several segments.* For each block tantivy stored the (frequency, length) pair with the best score under the
//!    average length *of that segment*; scores use the average over all segments, under which another pair of the
//!    block may be the best. With A and G the two averages, every score changes by a factor between min(1, G/A) and
//!    max(1, G/A), so the block's real best is at most max(A/G, G/A) times the stored pair's score. The threshold is
//!    divided by that. For segments that resemble each other it is near 1 and costs nothing.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use roaring::RoaringBitmap;
use tantivy::query::Weight;
use tantivy::schema::Field;
use tantivy::{Score, Searcher, SegmentReader};

use crate::Row;

use super::schema::ROW_FIELD;

/// Scores are sums of a few `f32`; in another order of summing they differ by less than this part.
const ROUNDING: Score = 1e-5;

/// A match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TextHit {
    /// The document.
    pub(crate) row: Row,
    /// How well it matches; larger is better.
    pub(crate) score: f32,
}

impl TextHit {
    /// Best first: by score downwards, then by row upwards.
    pub(super) fn order(&self, other: &TextHit) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

/// Which rows may be hits.
#[derive(Clone, Copy)]
pub(super) struct Allowed<'a> {
    pub(super) only: Option<&'a RoaringBitmap>,
    pub(super) except: &'a RoaringBitmap,
}

impl Allowed<'_> {
    fn contains(&self, row: u32) -> bool {
        self.only.is_none_or(|only| only.contains(row)) && !self.except.contains(row)
    }
}

/// A hit whose worst is the greatest, so that a heap gives it first.
struct Worst(TextHit);

impl PartialEq for Worst {
    fn eq(&self, other: &Worst) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Worst) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Worst {
    fn cmp(&self, other: &Worst) -> Ordering {
        self.0.order(&other.0)
    }
}

/// The best `k` matches, best first.
pub(super) fn top(
    searcher: &Searcher,
    fields: &[Field],
    weight: &dyn Weight,
    k: usize,
    allowed: Allowed<'_>,
) -> tantivy::Result<Vec<TextHit>> {
    let mut heap: BinaryHeap<Worst> = BinaryHeap::with_capacity(k.min(1024) + 1);
    if k == 0 {
        return Ok(Vec::new());
    }
    let averages = averages(searcher, fields)?;
    for reader in searcher.segment_readers() {
        let slack = slack(reader, fields, &averages)?;
        let rows = reader.fast_fields().u64(ROW_FIELD)?.first_or_default_col(u64::MAX);
        let alive = reader.alive_bitset();
        let mut threshold = threshold(&heap, k, slack);
        weight.for_each_pruning(threshold, reader, &mut |doc, score| {
            let row = u32::try_from(rows.get_val(doc)).unwrap_or(u32::MAX);
            if alive.is_none_or(|alive| alive.is_alive(doc)) && allowed.contains(row) {
                let hit = TextHit { row: Row(row), score };
                if heap.len() < k {
                    heap.push(Worst(hit));
                } else if heap.peek().is_some_and(|worst| hit.order(&worst.0) == Ordering::Less) {
                    heap.pop();
                    heap.push(Worst(hit));
                }
                threshold = self::threshold(&heap, k, slack);
            }
            threshold
        })?;
    }
    Ok(heap.into_sorted_vec().into_iter().map(|worst| worst.0).collect())
}

/// What a score must exceed to be looked at.
fn threshold(heap: &BinaryHeap<Worst>, k: usize, slack: Score) -> Score {
    match heap.peek() {
        Some(worst) if heap.len() == k && worst.0.score > 0.0 => worst.0.score * (1.0 - ROUNDING) / slack,
        _ => Score::MIN,
    }
}

/// The average length of each field over all segments, in tokens.
fn averages(searcher: &Searcher, fields: &[Field]) -> tantivy::Result<Vec<f64>> {
    fields
        .iter()
        .map(|&field| {
            let (mut tokens, mut docs) = (0, 0);
            for reader in searcher.segment_readers() {
                tokens += reader.inverted_index(field)?.total_num_tokens();
                docs += u64::from(reader.max_doc());
            }
            Ok(average(tokens, docs))
        })
        .collect()
}

/// By how much a block's best score may exceed what is stored for it.
fn slack(reader: &SegmentReader, fields: &[Field], averages: &[f64]) -> tantivy::Result<Score> {
    let mut slack: f64 = 1.0;
    for (&field, &overall) in fields.iter().zip(averages) {
        let here = average(reader.inverted_index(field)?.total_num_tokens(), u64::from(reader.max_doc()));
        if here > 0.0 && overall > 0.0 {
            slack = slack.max(here / overall).max(overall / here);
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounding is covered by the margin above")]
    Ok(slack as Score)
}

#[expect(clippy::cast_precision_loss, reason = "an average")]
fn average(tokens: u64, docs: u64) -> f64 {
    if docs == 0 { 0.0 } else { tokens as f64 / docs as f64 }
}
