//! A parsed query into tantivy's queries.
//!
//! A word is looked up in every field in scope, each match multiplied by the field's weight and summed. Words of one
//! alternative end up in one flat union of terms, because only for that does tantivy skip blocks.

use std::ops::Bound;

use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery,
};
use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{Result, Score, Searcher};

use super::analyzer::Unit;
use super::exclude::Excluded;
use super::fold::fold;
use super::loosen::{spellings, splits};
use super::query::{Clause, Node, Role, Scope};
use super::schema::{Fields, TextFieldKind};
use super::tokens::keyword;

/// What one typo leaves of a match's score.
const TYPO_FACTOR: Score = 0.5;

/// How strictly a query is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// Whether every plain word must be there.
    pub(super) all_words: bool,
    /// Whether typos and wrong spaces are tolerated.
    pub(super) loose: bool,
}

pub(super) struct Planner<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) fields: &'a Fields,
    pub(super) reading: Reading,
}

/// A disjunction.
type Alternatives = Vec<Box<dyn Query>>;

impl Planner<'_> {
    pub(super) fn query(&self, node: &Node) -> Result<Box<dyn Query>> {
        Ok(any_of(self.node(node)?))
    }

    fn node(&self, node: &Node) -> Result<Alternatives> {
        match node {
            Node::Word { unit, prefix: true, scope } => self.prefix(unit, *scope),
            Node::Word { unit, prefix: false, scope } => self.word(unit, *scope),
            Node::Phrase { units, whole, scope } => Ok(self.phrase(units, whole, *scope)),
            Node::Tag { tag, scope } => Ok(self.tag(tag, *scope)),
            Node::Any(nodes) => {
                let mut all = Vec::new();
                for node in nodes {
                    all.extend(self.node(node)?);
                }
                Ok(all)
            }
            Node::Group(clauses) => self.group(clauses),
        }
    }

    fn group(&self, clauses: &[Clause]) -> Result<Alternatives> {
        let mut planned = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let strict = Planner { reading: Reading { loose: false, ..self.reading }, ..*self };
            let planner = if clause.role == Role::Excluded { &strict } else { self };
            planned.push((clause.role, planner.node(&clause.node)?));
        }
        if self.reading.loose {
            self.add_joined(clauses, &mut planned);
        }
        let plain_only = planned.iter().all(|(role, _)| *role == Role::Plain);
        if plain_only && !self.reading.all_words {
            return Ok(planned.into_iter().flat_map(|(_, alternatives)| alternatives).collect());
        }
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::with_capacity(planned.len() + 1);
        if planned.iter().all(|(role, _)| *role == Role::Excluded) {
            parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))));
        }
        for (role, alternatives) in planned {
            let occur = match role {
                Role::Plain if self.reading.all_words => Occur::Must,
                Role::Plain => Occur::Should,
                Role::Required => Occur::Must,
                Role::Excluded => Occur::MustNot,
            };
            let query = any_of(alternatives);
            let query = if role == Role::Excluded { Box::new(Excluded(query)) } else { query };
            parts.push((occur, query));
        }
        Ok(vec![Box::new(BooleanQuery::new(parts))])
    }

    /// Two plain words side by side may be one word written with a space: then that word stands for either.
    fn add_joined(&self, clauses: &[Clause], planned: &mut [(Role, Alternatives)]) {
        for (i, pair) in clauses.windows(2).enumerate() {
            let (Some((left, scope)), Some((right, other))) = (plain_word(&pair[0]), plain_word(&pair[1]))
            else {
                continue;
            };
            if scope == other {
                for side in [i, i + 1] {
                    let joined = self.terms(&format!("{left}{right}"), scope, 1.0);
                    planned[side].1.extend(joined);
                }
            }
        }
    }

    fn word(&self, unit: &Unit, scope: Scope) -> Result<Alternatives> {
        let mut all = self.keywords(unit.whole(), scope);
        match unit {
            Unit::Word(text) => all = self.terms(text, scope, 1.0),
            Unit::Symbolic { whole, plain } => {
                all = self.terms(whole, scope, 1.0);
                // `.net` may be written without its point, but `c` is another language than `c++`.
                if self.reading.loose && plain.chars().nth(1).is_some() {
                    all.extend(self.terms(plain, scope, TYPO_FACTOR));
                }
            }
            Unit::Compound { whole, joined, .. } => {
                all = self.terms(whole, scope, 1.0);
                if let Some(joined) = joined {
                    all.extend(self.terms(joined, scope, 1.0));
                }
                all.extend(self.phrases(std::slice::from_ref(unit), scope));
            }
            Unit::Run(text) if text.chars().nth(1).is_none() => all.extend(self.starting_with(text, scope)),
            Unit::Run(_) => all.extend(self.phrases(std::slice::from_ref(unit), scope)),
        }
        if let (true, Unit::Word(text)) = (self.reading.loose, unit) {
            for spelling in spellings(self.searcher, self.fields, scope, text)? {
                let factor = TYPO_FACTOR.powi(i32::from(spelling.typos));
                all.extend(self.terms(&spelling.term, scope, factor));
            }
            for (left, right) in splits(self.searcher, self.fields, scope, text)? {
                all.extend(self.phrases(&[Unit::Word(left), Unit::Word(right)], scope));
            }
        }
        Ok(all)
    }

    fn prefix(&self, unit: &Unit, scope: Scope) -> Result<Alternatives> {
        match unit {
            Unit::Run(_) => self.word(unit, scope),
            Unit::Compound { parts, .. } => {
                let mut whole = self.starting_with(unit.whole(), scope);
                // Or the parts apart, the last of them unfinished.
                let (last, first) =
                    parts.split_last().map_or(("", parts.as_slice()), |(last, first)| (last, first));
                let mut apart: Vec<(Occur, Box<dyn Query>)> = Vec::new();
                for part in first {
                    apart.push((Occur::Must, any_of(self.terms(part, scope, 1.0))));
                }
                apart.push((Occur::Must, any_of(self.starting_with(last, scope))));
                whole.push(Box::new(BooleanQuery::new(apart)));
                Ok(whole)
            }
            Unit::Word(text) | Unit::Symbolic { whole: text, .. } => Ok(self.starting_with(text, scope)),
        }
    }

    /// A tag is a keyword, or the word with its sign in prose.
    fn tag(&self, tag: &str, scope: Scope) -> Alternatives {
        let mut all = self.keywords(tag, scope);
        let signed = format!("#{tag}");
        for field in self.fields.in_scope(scope) {
            if self.fields.kind(field) == TextFieldKind::Text {
                all.push(self.term(field, &signed, 1.0));
            }
        }
        all
    }

    fn phrase(&self, units: &[Unit], whole: &str, scope: Scope) -> Alternatives {
        let mut all = self.keywords(whole, scope);
        all.extend(self.phrases(units, scope));
        all
    }

    /// The units next to each other, in each text field.
    fn phrases(&self, units: &[Unit], scope: Scope) -> Alternatives {
        let mut tokens = Vec::new();
        let mut position = 0;
        for unit in units {
            unit.phrase_tokens(position, &mut |token, position| tokens.push((position, token)));
            position += unit.positions();
        }
        let mut all: Alternatives = Vec::new();
        for field in self.fields.in_scope(scope) {
            if self.fields.kind(field) != TextFieldKind::Text {
                continue;
            }
            if let [(_, token)] = tokens.as_slice() {
                all.push(self.term(field, token, 1.0));
            } else if !tokens.is_empty() {
                let id = self.fields.theirs[field];
                let terms =
                    tokens.iter().map(|(at, token)| (*at, Term::from_field_text(id, token))).collect();
                all.push(self.boosted(field, Box::new(PhraseQuery::new_with_offset(terms)), 1.0));
            }
        }
        all
    }

    /// Everything that starts so. The score says only in which field.
    fn starting_with(&self, prefix: &str, scope: Scope) -> Alternatives {
        let fields = self.fields.in_scope(scope);
        let ranges = fields.map(|field| {
            let id = self.fields.theirs[field];
            let lower = Bound::Included(Term::from_field_text(id, prefix));
            let upper = match after_all(prefix) {
                Some(end) => Bound::Excluded(Term::from_field_text(id, &end)),
                None => Bound::Unbounded,
            };
            let range = ConstScoreQuery::new(Box::new(RangeQuery::new(lower, upper)), 1.0);
            self.boosted(field, Box::new(range), 1.0)
        });
        ranges.collect()
    }

    /// A token in every field.
    fn terms(&self, token: &str, scope: Scope, factor: Score) -> Alternatives {
        self.fields.in_scope(scope).map(|field| self.term(field, token, factor)).collect()
    }

    /// A keyword in every keyword field.
    fn keywords(&self, text: &str, scope: Scope) -> Alternatives {
        let fields = self.fields.in_scope(scope);
        let fields = fields.filter(|&field| self.fields.kind(field) == TextFieldKind::Keywords);
        fields.map(|field| self.term(field, &keyword(&fold(text)), 1.0)).collect()
    }

    fn term(&self, field: usize, token: &str, factor: Score) -> Box<dyn Query> {
        let term = Term::from_field_text(self.fields.theirs[field], token);
        self.boosted(field, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)), factor)
    }

    fn boosted(&self, field: usize, query: Box<dyn Query>, factor: Score) -> Box<dyn Query> {
        Box::new(BoostQuery::new(query, self.fields.ours[field].weight * factor))
    }
}

/// Whether the looser reading could find anything more.
pub(super) fn can_loosen(node: &Node) -> bool {
    match node {
        Node::Word { unit, prefix, .. } => !prefix && matches!(unit, Unit::Word(_) | Unit::Symbolic { .. }),
        Node::Phrase { .. } | Node::Tag { .. } => false,
        Node::Any(nodes) => nodes.iter().any(can_loosen),
        Node::Group(clauses) => {
            clauses.iter().any(|clause| clause.role != Role::Excluded && can_loosen(&clause.node))
        }
    }
}

/// Whether asking for any of the words instead of all changes anything.
pub(super) fn has_several_words(node: &Node) -> bool {
    match node {
        Node::Word { .. } | Node::Phrase { .. } | Node::Tag { .. } => false,
        Node::Any(nodes) => nodes.iter().any(has_several_words),
        Node::Group(clauses) => {
            clauses.len() > 1 && clauses.iter().any(|clause| clause.role == Role::Plain)
                || clauses.iter().any(|clause| has_several_words(&clause.node))
        }
    }
}

fn plain_word(clause: &Clause) -> Option<(&str, Scope)> {
    match clause {
        Clause { role: Role::Plain, node: Node::Word { unit: Unit::Word(text), prefix: false, scope } } => {
            Some((text, *scope))
        }
        _ => None,
    }
}

fn any_of(mut alternatives: Alternatives) -> Box<dyn Query> {
    match alternatives.len() {
        0 => Box::new(EmptyQuery),
        1 => alternatives.pop().unwrap_or_else(|| Box::new(EmptyQuery)),
        _ => Box::new(BooleanQuery::union(alternatives)),
    }
}

/// The least text that is greater than all that start with `prefix`; none if there is no such text.
fn after_all(prefix: &str) -> Option<String> {
    let mut end: Vec<char> = prefix.chars().collect();
    while let Some(last) = end.pop() {
        // The surrogates between these two are no characters.
        let next = if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(last as u32 + 1) };
        if let Some(next) = next {
            end.push(next);
            return Some(end.into_iter().collect());
        }
    }
    None
}
