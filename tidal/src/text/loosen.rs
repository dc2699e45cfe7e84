//! Looser readings of a word: other spellings that occur in the index, and spaces too many or too few.
//!
//! - A typo is a letter too many, missing, wrong, or two neighbours swapped (which counts once). None is tolerated in
//!   words of 1 to 3 characters, one from 4, two from 8. The first letter may be wrong like any other. Only words of
//!   letters have typos, and only words of letters are spellings of them: a model number is never corrected.
//! - A space is missing where both halves occur in the index next to each other; there is one too many where two
//!   words written together occur in the index.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tantivy::query::FuzzyTermQuery;
use tantivy::schema::Term;
use tantivy::{Result, Searcher};

use super::limits::{LOOSE_WORD_CHARS_MAX, SPLITS_MAX, TYPO_CANDIDATES_MAX, TYPO_TERMS_MAX};
use super::schema::{Fields, TextFieldKind};

/// How many typos are tolerated in a word.
pub(super) fn typos_allowed(word: &str) -> u8 {
    if !word.chars().all(char::is_alphabetic) {
        return 0;
    }
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        8..=LOOSE_WORD_CHARS_MAX => 2,
        _ => 0,
    }
}

/// A spelling that occurs in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) term: String,
    pub(super) typos: u8,
}

/// The spellings of a word in the index, without the word itself: the nearest first, then the most frequent.
pub(super) fn spellings(
    searcher: &Searcher,
    fields: &Fields,
    scope: Option<usize>,
    word: &str,
) -> Result<Vec<Spelling>> {
    let allowed = typos_allowed(word);
    if allowed == 0 {
        return Ok(Vec::new());
    }
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for field in fields.in_scope(scope) {
        let term = Term::from_field_text(fields.theirs[field], word);
        let automaton = FuzzyTermQuery::new(term, allowed, true).automaton()?;
        for reader in searcher.segment_readers() {
            let inverted = reader.inverted_index(fields.theirs[field])?;
            let mut terms = inverted.terms().search(&automaton).into_stream()?;
            let mut looked_at = 0;
            while looked_at < TYPO_CANDIDATES_MAX && terms.advance() {
                looked_at += 1;
                let Ok(term) = std::str::from_utf8(terms.key()) else {
                    continue;
                };
                if term != word && term.chars().all(char::is_alphabetic) {
                    *found.entry(term.to_owned()).or_default() += u64::from(terms.value().doc_freq);
                }
            }
        }
    }
    let mut ranked: Vec<(u8, Reverse<u64>, String)> =
        found.into_iter().map(|(term, docs)| (distance(word, &term), Reverse(docs), term)).collect();
    ranked.retain(|(typos, ..)| *typos <= allowed);
    ranked.sort();
    ranked.truncate(TYPO_TERMS_MAX);
    Ok(ranked.into_iter().map(|(typos, _, term)| Spelling { term, typos }).collect())
}

/// The places where a space may be missing, as the two halves: those whose rarer half is the most frequent first.
pub(super) fn splits(
    searcher: &Searcher,
    fields: &Fields,
    scope: Option<usize>,
    word: &str,
) -> Result<Vec<(String, String)>> {
    if word.chars().count() > LOOSE_WORD_CHARS_MAX {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (at, _) in word.char_indices().skip(1) {
        let (left, right) = word.split_at(at);
        let is_half = |half: &str| half.chars().count() > 1 || half.chars().all(char::is_numeric);
        if !is_half(left) || !is_half(right) {
            continue;
        }
        let rarer = doc_freq(searcher, fields, scope, left)?.min(doc_freq(searcher, fields, scope, right)?);
        if rarer > 0 {
            found.push((Reverse(rarer), left.to_owned(), right.to_owned()));
        }
    }
    found.sort();
    found.truncate(SPLITS_MAX);
    Ok(found.into_iter().map(|(_, left, right)| (left, right)).collect())
}

/// How many documents have a word in a text field, fields summed.
fn doc_freq(searcher: &Searcher, fields: &Fields, scope: Option<usize>, word: &str) -> Result<u64> {
    let mut docs = 0;
    for field in fields.in_scope(scope).filter(|&field| fields.kind(field) == TextFieldKind::Text) {
        docs += searcher.doc_freq(&Term::from_field_text(fields.theirs[field], word))?;
    }
    Ok(docs)
}

/// The number of typos between two words: insertions, deletions, substitutions and swaps of neighbours, no letter
/// touched twice by a swap (optimal string alignment).
fn distance(a: &str, b: &str) -> u8 {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before = vec![0_u8; b.len() + 1];
    let mut last: Vec<u8> = (0..=u8::MAX).take(b.len() + 1).collect();
    if last.len() <= b.len() {
        return u8::MAX;
    }
    for i in 1..=a.len() {
        let mut row = vec![0_u8; b.len() + 1];
        row[0] = last[0].saturating_add(1);
        for j in 1..=b.len() {
            let wrong = u8::from(a[i - 1] != b[j - 1]);
            let mut best = last[j - 1].saturating_add(wrong);
            best = best.min(last[j].saturating_add(1)).min(row[j - 1].saturating_add(1));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2].saturating_add(1));
            }
            row[j] = best;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
