//! The query language.
//!
//! ```text
//! query   = any
//! any     = group { "OR" group }
//! group   = clause { ["AND"] clause }
//! clause  = ("-" | "NOT" | "+") clause | primary
//! primary = [field ":"] ( "(" any ")" | phrase | word | word "*" | "#" tag )
//! phrase  = '"' … '"'
//! ```
//!
//! `AND`, `OR`, `NOT` are operators in capitals only. A prefix `name:` is a field only if there is such a field; in
//! lenient parsing anything else with a colon is plain words. `OR` binds weaker than words side by side:
//! `night jazz OR blues` is (night and jazz) or blues.
//!
//! Lenient parsing never fails: what it does not understand it leaves out and reports with its place. Strict parsing
//! turns the first such thing into an error with the same place.

use crate::{Error, Result};

use super::analyzer::{Unit, units};
use super::fold::fold;
use super::limits::{QUERY_BYTES_MAX, QUERY_NESTING_MAX, QUERY_TERMS_MAX};
use super::query::{Clause, Ignored, Node, Role, Scope};

/// How to take what is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parsing {
    /// Leave it out and report it.
    Lenient,
    /// Refuse the query.
    Strict,
}

/// The query, none if nothing is left to search for, and what was left out.
pub(super) fn parse(query: &str, parsing: Parsing, fields: &[&str]) -> Result<(Option<Node>, Vec<Ignored>)> {
    let mut parser = Parser { query, at: 0, parsing, fields, ignored: Vec::new(), depth: 0, terms: 0 };
    if query.len() > QUERY_BYTES_MAX {
        let end = query.floor_char_boundary(QUERY_BYTES_MAX);
        parser.problem(end, query.len(), "the query is too long")?;
        parser.query = &query[..end];
    }
    let mut parts = Vec::new();
    loop {
        parts.extend(parser.any(None)?);
        // Only a closing parenthesis ends `any` early.
        if parser.at >= parser.query.len() {
            break;
        }
        parser.problem(parser.at, parser.at + 1, "no parenthesis is open")?;
        parser.at += 1;
    }
    let node = group_of(parts.into_iter().map(|node| Clause { role: Role::Plain, node }).collect());
    if node.is_none() && parser.ignored.is_empty() && parsing == Parsing::Strict {
        return Err(Error::invalid("query", "nothing to search for at byte 0"));
    }
    Ok((node, parser.ignored))
}

struct Parser<'a> {
    query: &'a str,
    at: usize,
    parsing: Parsing,
    fields: &'a [&'a str],
    ignored: Vec<Ignored>,
    depth: usize,
    terms: usize,
}

/// An operator between clauses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    And,
    Or,
}

impl<'a> Parser<'a> {
    /// Reports `from..to`, or fails.
    fn problem(&mut self, from: usize, to: usize, reason: &'static str) -> Result<()> {
        if self.parsing == Parsing::Strict {
            return Err(Error::invalid("query", format!("{reason} at byte {from}")));
        }
        let text = self.query.get(from..to).unwrap_or_default().to_owned();
        self.ignored.push(Ignored { at: from, text, reason });
        Ok(())
    }

    fn rest(&self) -> &'a str {
        &self.query[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_space).len();
    }

    /// Alternatives up to a closing parenthesis or the end.
    fn any(&mut self, scope: Scope) -> Result<Option<Node>> {
        let mut groups = Vec::new();
        let mut operators = Vec::new();
        loop {
            let (group, ended_by_or) = self.group(scope)?;
            groups.push(group);
            match ended_by_or {
                Some(at) => operators.push(at),
                None => break,
            }
        }
        for (sides, at) in groups.windows(2).zip(operators) {
            if sides.iter().any(Option::is_none) {
                self.problem(at, at + 2, "OR needs something on both sides")?;
            }
        }
        let mut alternatives: Vec<Node> = groups.into_iter().flatten().collect();
        Ok(if alternatives.len() > 1 { Some(Node::Any(alternatives)) } else { alternatives.pop() })
    }

    /// Clauses side by side, up to an `OR` (whose place is returned), a closing parenthesis or the end.
    fn group(&mut self, scope: Scope) -> Result<(Option<Node>, Option<usize>)> {
        let mut clauses: Vec<Clause> = Vec::new();
        let mut and = None;
        let ended_by_or = loop {
            self.skip_space();
            if self.rest().is_empty() || self.rest().starts_with(')') {
                break None;
            }
            let start = self.at;
            match self.operator() {
                Some(Operator::Or) => break Some(start),
                Some(Operator::And) => {
                    if clauses.is_empty() || and.is_some() {
                        self.problem(start, start + 3, "AND needs something on both sides")?;
                    } else {
                        and = Some(start);
                    }
                }
                None => {
                    let Some(mut clause) = self.clause(scope)? else {
                        continue;
                    };
                    if and.take().is_some() {
                        require(&mut clause);
                        if let Some(last) = clauses.last_mut() {
                            require(last);
                        }
                    }
                    clauses.push(clause);
                }
            }
        };
        if let Some(at) = and {
            self.problem(at, at + 3, "AND needs something on both sides")?;
        }
        Ok((group_of(clauses), ended_by_or))
    }

    fn operator(&mut self) -> Option<Operator> {
        for (word, operator) in [("AND", Operator::And), ("OR", Operator::Or)] {
            if self.is_keyword(word) {
                self.at += word.len();
                return Some(operator);
            }
        }
        None
    }

    fn is_keyword(&self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        after.is_some_and(|after| after.is_empty() || after.starts_with(|c| is_space(c) || is_stop(c)))
    }

    /// Signs, then what they apply to. The last sign wins over an even number of exclusions: `--a` is `a`.
    fn clause(&mut self, scope: Scope) -> Result<Option<Clause>> {
        let mut role = Role::Plain;
        let mut sign = None;
        loop {
            let start = self.at;
            let length = if self.is_keyword("NOT") {
                3
            } else if self.rest().starts_with(['-', '+']) {
                1
            } else {
                break;
            };
            role = match (self.rest().starts_with('+'), role) {
                (true, Role::Excluded) => Role::Excluded,
                (true, _) => Role::Required,
                (false, Role::Excluded) => Role::Required,
                (false, _) => Role::Excluded,
            };
            self.at += length;
            sign = sign.or(Some(start));
            if length == 3 {
                self.skip_space();
            }
        }
        let begins = |c: char| !is_space(c) && c != ')';
        if let Some(start) = sign
            && !self.rest().starts_with(begins)
        {
            self.problem(start, self.at, "nothing follows the sign")?;
            return Ok(None);
        }
        if sign.is_some() && (self.is_keyword("AND") || self.is_keyword("OR")) {
            self.problem(sign.unwrap_or(self.at), self.at, "nothing follows the sign")?;
            return Ok(None);
        }
        Ok(self.scoped(scope)?.map(|node| Clause { role, node }))
    }

    /// A primary with or without a field before it.
    fn scoped(&mut self, scope: Scope) -> Result<Option<Node>> {
        let start = self.at;
        let Some((field, length)) = self.field()? else {
            return self.primary(scope);
        };
        self.at += length;
        if self.rest().starts_with(|c| !is_space(c) && c != ')') {
            return self.primary(Some(field));
        }
        self.problem(start, self.at, "nothing follows the field")?;
        Ok(None)
    }

    fn primary(&mut self, scope: Scope) -> Result<Option<Node>> {
        match self.rest().chars().next() {
            None => Ok(None),
            Some('(') => self.parenthesis(scope),
            Some(quote) if is_quote(quote) => self.phrase(scope),
            Some(_) => self.word(scope),
        }
    }

    /// The field that is named here, and the length of its name with the colon.
    fn field(&mut self) -> Result<Option<(usize, usize)>> {
        let rest = self.rest();
        let name_end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        if name.is_empty() || !after.starts_with(':') {
            return Ok(None);
        }
        let found = self.fields.iter().position(|field| *field == name);
        if found.is_none() && self.parsing == Parsing::Strict && name.starts_with(char::is_alphabetic) {
            let message = format!("no text field is named {name:?} at byte {}", self.at);
            return Err(Error::invalid("query", message));
        }
        Ok(found.map(|field| (field, name_end + 1)))
    }

    fn parenthesis(&mut self, scope: Scope) -> Result<Option<Node>> {
        let start = self.at;
        self.at += 1;
        if self.depth == QUERY_NESTING_MAX {
            // The parenthesis is left out; its closing partner will be reported as well.
            self.problem(start, start + 1, "parentheses nest too deep")?;
            return Ok(None);
        }
        self.depth += 1;
        let inner = self.any(scope);
        self.depth -= 1;
        let inner = inner?;
        if self.rest().starts_with(')') {
            self.at += 1;
        } else {
            self.problem(start, start + 1, "the parenthesis is not closed")?;
        }
        if inner.is_none() {
            self.problem(start, self.at, "nothing is in the parentheses")?;
        }
        Ok(inner)
    }

    fn phrase(&mut self, scope: Scope) -> Result<Option<Node>> {
        let start = self.at;
        let quote = self.rest().chars().next().map_or(1, char::len_utf8);
        let inside = &self.rest()[quote..];
        let Some(length) = inside.find(is_quote) else {
            // The rest is taken as words.
            self.at += quote;
            self.problem(start, self.at, "the quote is not closed")?;
            return Ok(None);
        };
        let end_quote = inside[length..].chars().next().map_or(1, char::len_utf8);
        self.at += quote + length + end_quote;
        let whole = fold(inside[..length].trim());
        let units = self.bounded(units(&whole), start)?;
        match units.len() {
            0 => {
                self.problem(start, self.at, "nothing is in the quotes")?;
                Ok(None)
            }
            _ => Ok(Some(Node::Phrase { units, whole, scope })),
        }
    }

    fn word(&mut self, scope: Scope) -> Result<Option<Node>> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c| is_space(c) || is_stop(c)).unwrap_or(rest.len()).max(1);
        self.at += length;
        let raw = &rest[..length];
        if let Some(tag) = raw.strip_prefix('#').map(fold) {
            let tag = tag.trim_end_matches(['.', ',', ';', '!', '?', ':', '*']);
            if let Some(Unit::Word(_)) = self.bounded(vec![Unit::Word(tag.to_owned())], start)?.first()
                && !units(tag).is_empty()
            {
                return Ok(Some(Node::Tag { tag: tag.to_owned(), scope }));
            }
        }
        let stem = raw.trim_end_matches('*');
        let prefix = stem.len() < raw.len();
        if let Some(star) = stem.find('*') {
            self.problem(start + star, start + star + 1, "a star has a meaning only at the end of a word")?;
        }
        let units = self.bounded(units(&fold(stem)), start)?;
        if units.is_empty() {
            self.problem(start, self.at, "no letter and no digit is in it")?;
            return Ok(None);
        }
        let last = units.len() - 1;
        let clauses = units.into_iter().enumerate().map(|(i, unit)| {
            let node = Node::Word { unit, prefix: prefix && i == last, scope };
            Clause { role: Role::Plain, node }
        });
        Ok(group_of(clauses.collect()))
    }

    /// The units that the bound on terms leaves room for.
    fn bounded(&mut self, mut units: Vec<Unit>, start: usize) -> Result<Vec<Unit>> {
        let mut kept = 0;
        for unit in &units {
            let terms = self.terms + unit.positions();
            if terms > QUERY_TERMS_MAX {
                break;
            }
            self.terms = terms;
            kept += 1;
        }
        if kept < units.len() {
            self.terms = QUERY_TERMS_MAX;
            self.problem(start, self.at, "the query has too many terms")?;
            units.truncate(kept);
        }
        Ok(units)
    }
}

fn require(clause: &mut Clause) {
    if clause.role == Role::Plain {
        clause.role = Role::Required;
    }
}

/// The simplest node that says the same.
fn group_of(mut clauses: Vec<Clause>) -> Option<Node> {
    match clauses.as_slice() {
        [] => None,
        [only] if only.role != Role::Excluded => clauses.pop().map(|clause| clause.node),
        _ => Some(Node::Group(clauses)),
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// What ends a word besides space.
fn is_stop(c: char) -> bool {
    is_quote(c) || c == '(' || c == ')'
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{00AB}' | '\u{00BB}')
}
