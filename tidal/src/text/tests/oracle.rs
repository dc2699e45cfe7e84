//! Search against a plain computation of BM25 over all documents.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRng;
use roaring::RoaringBitmap;
use tantivy::fieldnorm::FieldNormReader;

use super::super::analyzer::units;
use super::super::fold::fold;
use super::super::{Matching, Parsing, TextHit, TextIndex, Total};
use super::{empty, fields};
use crate::Row;

/// The words of the corpora; the first ones are the most frequent.
const WORDS: [&str; 12] =
    ["qua", "wet", "ert", "rty", "tyu", "yui", "uio", "iop", "opa", "pas", "asd", "sdf"];

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The tokens of the fields of each document.
#[derive(Default)]
struct Oracle {
    documents: BTreeMap<u32, [Vec<String>; 2]>,
}

impl Oracle {
    fn put(&mut self, row: u32, texts: [&str; 2]) {
        let tokens = texts.map(|text| {
            let mut tokens = Vec::new();
            for unit in units(&fold(text)) {
                unit.index_tokens(0, &mut |token, _| tokens.push(token));
            }
            tokens
        });
        self.documents.insert(row, tokens);
    }

    /// The score of each document that has a word of `any` and every word of `all`.
    fn search(
        &self,
        all: &[&str],
        any: &[&str],
        filter: Option<&RoaringBitmap>,
        k: usize,
    ) -> Vec<(u32, f64)> {
        let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
        for (&row, tokens) in &self.documents {
            let has = |word: &&str| tokens.iter().any(|field| field.iter().any(|token| token == word));
            let matches = all.iter().all(has) && (any.is_empty() || any.iter().any(has));
            if matches && filter.is_none_or(|filter| filter.contains(row)) {
                scores.insert(row, 0.0);
            }
        }
        for (field, description) in fields().iter().take(2).enumerate() {
            for word in all.iter().chain(any) {
                self.add(field, f64::from(description.weight), word, &mut scores);
            }
        }
        let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.truncate(k);
        ranked
    }

    fn add(&self, field: usize, weight: f64, word: &str, scores: &mut BTreeMap<u32, f64>) {
        let total = self.documents.len() as f64;
        let tokens: usize = self.documents.values().map(|fields| fields[field].len()).sum();
        if tokens == 0 {
            return;
        }
        let average = tokens as f64 / total;
        let having =
            self.documents.values().filter(|fields| fields[field].iter().any(|t| t == word)).count() as f64;
        let idf = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
        for (row, score) in scores {
            let tokens = &self.documents[row][field];
            let frequency = tokens.iter().filter(|token| *token == word).count() as f64;
            let length = u32::try_from(tokens.len()).unwrap();
            let length =
                f64::from(FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length)));
            let norm = K1 * (1.0 - B + B * length / average);
            *score += weight * idf * (K1 + 1.0) * frequency / (frequency + norm);
        }
    }
}

/// Compares ids and scores; documents whose exact scores differ by less than the rounding may change places.
fn compare(found: &[TextHit], expected: &[(u32, f64)], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let exact: BTreeMap<u32, f64> = expected.iter().copied().collect();
    let last = expected.last().map_or(0.0, |last| last.1);
    for (hit, (row, score)) in found.iter().zip(expected) {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
        assert!(close(f64::from(hit.score), *score), "{what}: row {row} scores {} not {score}", hit.score);
        if hit.row.0 != *row {
            let own = exact.get(&hit.row.0).copied().unwrap_or(last);
            assert!(close(own, *score), "{what}: row {} in the place of {row}", hit.row.0);
        }
    }
    for pair in found.windows(2) {
        assert_eq!(pair[0].order(&pair[1]), std::cmp::Ordering::Less, "{what}: {pair:?}");
    }
}

/// A corpus in several segments of very different document lengths.
fn corpus(segments: usize, documents: u32) -> (TextIndex, Oracle) {
    let index = empty();
    let mut oracle = Oracle::default();
    let mut rng = TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha);
    for segment in 0..segments {
        // The average length differs a lot between segments: that is where pruning bounds go wrong.
        let longest = [3, 400, 20, 90][segment % 4];
        for i in 0..documents {
            // Rows are spread so that the order of rows is not the order of storage.
            let row = i * u32::try_from(segments).unwrap() + u32::try_from(segments - segment).unwrap();
            let mut text = |longest: usize| {
                let length = 1 + rng.random_range(0..longest);
                let words: Vec<&str> = (0..length).map(|_| WORDS[rank(rng.random_range(0..1000))]).collect();
                words.join(" ")
            };
            let (title, description) = (text(4), text(longest));
            index.upsert(Row(row), &[(0, vec![&title]), (1, vec![&description])]).unwrap();
            oracle.put(row, [&title, &description]);
        }
        index.snapshot().unwrap();
    }
    (index, oracle)
}

/// A skewed choice of a word.
fn rank(random: usize) -> usize {
    let mut rank = 0;
    let mut left = random;
    while rank + 1 < WORDS.len() && !left.is_multiple_of(3) {
        left /= 2;
        rank += 1;
    }
    rank
}

#[test]
fn case_30_pruned_search_is_exhaustive_search() {
    let (index, oracle) = corpus(4, 700);
    let segments = index.snapshot().unwrap().searcher.segment_readers().len();
    assert!(segments >= 4, "{segments} segments");
    let third: RoaringBitmap = oracle.documents.keys().copied().filter(|row| row % 3 == 0).collect();
    let few: RoaringBitmap = oracle.documents.keys().copied().filter(|row| row % 97 == 0).collect();
    for first in WORDS {
        for second in ["qua", "uio", "sdf"] {
            for filter in [None, Some(&third), Some(&few)] {
                for k in [1, 2, 10, 100, 1000] {
                    let what =
                        format!("{first}, {second}, k = {k}, filter {:?}", filter.map(RoaringBitmap::len));
                    let search = |query: &str| index.search(query, Parsing::Strict, k, filter).unwrap();
                    let found = search(first);
                    compare(&found.hits, &oracle.search(&[first], &[], filter, k), &what);
                    if first != second {
                        let found = search(&format!("{first} OR {second}"));
                        compare(&found.hits, &oracle.search(&[], &[first, second], filter, k), &what);
                        let expected = oracle.search(&[first, second], &[], filter, k);
                        let found = search(&format!("{first} {second}"));
                        if !expected.is_empty() {
                            compare(&found.hits, &expected, &what);
                            assert_eq!(found.matching, Matching::Exact);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn case_29_a_strict_filter_gives_all_that_pass() {
    let (index, oracle) = corpus(3, 300);
    let filter: RoaringBitmap = oracle.documents.keys().copied().filter(|row| row % 50 == 7).collect();
    let found = index.search("qua", Parsing::Lenient, 644, Some(&filter)).unwrap();
    let expected = oracle.search(&["qua"], &[], Some(&filter), 644);
    assert!(!expected.is_empty());
    compare(&found.hits, &expected, "a filter");
    assert_eq!(found.total, Total::Exactly(expected.len()));
}

#[test]
fn ties_are_ordered_by_row_across_segments() {
    let index = empty();
    for rows in [[5, 11, 2], [9, 1, 7], [3, 12, 6]] {
        for row in rows {
            super::add(&index, row, "the same words");
        }
        index.snapshot().unwrap();
    }
    for k in 1..=9 {
        let found = index.search("same", Parsing::Lenient, k, None).unwrap();
        let rows: Vec<u32> = found.hits.iter().map(|hit| hit.row.0).collect();
        assert_eq!(rows, [1, 2, 3, 5, 6, 7, 9, 11, 12][..k]);
        assert_eq!(found.total, if k < 9 { Total::AtLeast(k + 1) } else { Total::Exactly(9) });
    }
}

#[test]
fn scores_are_the_same_pending_committed_and_reopened() {
    let files = super::files::TestFiles::new();
    let (index, _) = super::open(&files);
    let mut oracle = Oracle::default();
    for row in 0..50_u32 {
        let text = format!("qua {}", WORDS[row as usize % WORDS.len()].repeat(1 + row as usize % 3));
        super::add(&index, row, &text);
        oracle.put(row, [&text, ""]);
    }
    let expected = oracle.search(&["qua"], &[], None, 100);
    let pending = super::hits(&index, "qua");
    compare(&pending.hits, &expected, "pending");
    index.checkpoint(1).unwrap();
    assert_eq!(super::hits(&index, "qua"), pending);
    let (reopened, _) = super::open(&files.crash());
    assert_eq!(super::hits(&reopened, "qua"), pending);
}

#[test]
fn a_block_whose_best_changes_with_the_overall_average_is_not_skipped() {
    let index = empty();
    let mut oracle = Oracle::default();
    let mut put = |row: u32, frequency: usize, filler: usize| {
        let text = format!("{}{}", "qua ".repeat(frequency), "wet ".repeat(filler));
        index.upsert(Row(row), &[(1, vec![&text])]).unwrap();
        oracle.put(row, ["", &text]);
    };
    // In a segment of short documents the shortest look best, and that is what is stored for each block of 128.
    for row in 0..400 {
        match row {
            10..=15 => put(row, 2, 18),
            200 => put(row, 3, 37),
            _ => put(row, 1, 0),
        }
    }
    index.snapshot().unwrap();
    // Beside long documents all of the first segment are short, and frequency decides.
    (400..410).for_each(|row| put(row, 0, 3000));
    for k in [1, 2, 3] {
        let found = index.search("qua", Parsing::Strict, k, None).unwrap();
        let expected = oracle.search(&["qua"], &[], None, k);
        assert_eq!(expected[0].0, 200);
        compare(&found.hits, &expected, "blocks");
    }
}
