//! A parsed query.

use super::analyzer::Unit;

/// What a search asks for, before it meets the index.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// One word; with `prefix`, everything that starts with it.
    Word { unit: Unit, prefix: bool, scope: Scope },
    /// Words next to each other. `whole` is the phrase as it was written, folded: what a keyword must be to match.
    Phrase { units: Vec<Unit>, whole: String, scope: Scope },
    /// A tag: exactly this keyword, or the word with `#` in a text.
    Tag { tag: String, scope: Scope },
    /// Clauses side by side.
    Group(Vec<Clause>),
    /// At least one of them.
    Any(Vec<Node>),
}

/// The index of the field that is meant; none is all of them.
pub(super) type Scope = Option<usize>;

/// A part of a group.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clause {
    pub(super) role: Role,
    pub(super) node: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Just written: required, unless nothing has all of them.
    Plain,
    /// Beside an `AND` or after a `+`: required.
    Required,
    /// After a `-` or `NOT`: excluded.
    Excluded,
}

/// Something in a query that was not understood and has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ignored {
    /// Where it starts, in bytes from the start of the query.
    pub(crate) at: usize,
    /// What stands there.
    pub(crate) text: String,
    /// Why it has no effect.
    pub(crate) reason: &'static str,
}
