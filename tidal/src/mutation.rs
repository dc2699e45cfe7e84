//! What can be written.

use serde::{Deserialize, Serialize};

use crate::entity::Entity;
use crate::id::{Id, Kind};
use crate::time::Timestamp;

/// Changes that are made together or not at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// In the order in which they take effect; a later one sees what an earlier one did.
    pub mutations: Vec<Mutation>,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Mutation {
    /// Writes an entity as a whole, new or in place of the one with its id. Signals, relations and hides about it stay.
    Put(Kind, Entity),
    /// Removes an entity: it is in no answer any more. Its id may be written again; hides and blocks still hold then.
    Delete(Kind, Id),
    /// Makes a relation; no change if it is there.
    Relate(Relation),
    /// Ends a relation; no change if there is none. The only way to undo a hide or block.
    Unrelate(Relation),
    /// Records a signal.
    Signal(Signal),
}

/// Something that happened to an item, user or creator at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// The signal's name in the schema.
    pub signal: String,
    /// What it happened to: of the kind that the schema declares for the signal.
    pub target: Id,
    /// Who did it. Without one, only the counters of the target change.
    pub user: Option<Id>,
    /// How much it counts; 1 unless said otherwise. Finite.
    pub weight: f64,
    /// When it happened; now unless said otherwise. A time in the future counts as now.
    pub at: Option<Timestamp>,
    /// Idempotency key: of several signals with one key only the first counts. 1 to 256 bytes.
    pub key: Option<String>,
}

impl Signal {
    /// A signal of weight 1, now, by nobody.
    pub fn new(signal: &str, target: impl Into<Id>) -> Signal {
        Signal {
            signal: signal.to_owned(),
            target: target.into(),
            user: None,
            weight: 1.0,
            at: None,
            key: None,
        }
    }

    /// Says who did it.
    #[must_use]
    pub fn by(mut self, user: impl Into<Id>) -> Signal {
        self.user = Some(user.into());
        self
    }

    /// Says how much it counts.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Signal {
        self.weight = weight;
        self
    }

    /// Says when it happened.
    #[must_use]
    pub fn at(mut self, at: Timestamp) -> Signal {
        self.at = Some(at);
        self
    }

    /// Gives it an idempotency key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Signal {
        self.key = Some(key.into());
        self
    }
}

/// A standing relation of a user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relation {
    /// What relation.
    pub kind: RelationKind,
    /// Whose.
    pub user: Id,
    /// To what: an item for hide and save, a creator for follow, block and mute.
    pub target: Id,
}

impl Relation {
    /// A relation of `user` to `target`.
    pub fn new(kind: RelationKind, user: impl Into<Id>, target: impl Into<Id>) -> Relation {
        Relation { kind, user: user.into(), target: target.into() }
    }
}

/// The relations that a user can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    /// User to creator: source of the `following` feed.
    Follow,
    /// User to creator: none of the creator's items in any answer, until the explicit undo.
    Block,
    /// User to creator: the creator's items rank lower.
    Mute,
    /// User to item: never in any answer again, until the explicit undo.
    Hide,
    /// User to item: kept for later.
    Save,
}

impl RelationKind {
    /// The kind of the target.
    pub fn target_kind(self) -> Kind {
        match self {
            RelationKind::Follow | RelationKind::Block | RelationKind::Mute => Kind::Creator,
            RelationKind::Hide | RelationKind::Save => Kind::Item,
        }
    }
}
