//! Standing relations of users, both ways.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use crate::id::Row;
use crate::mutation::RelationKind;
use crate::record::RelationRecord;
use crate::time::Timestamp;

/// All relations. Either direction is a set of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Relations {
    forward: BTreeMap<(RelationKind, u32), RoaringBitmap>,
    backward: BTreeMap<(RelationKind, u32), RoaringBitmap>,
    since: BTreeMap<(RelationKind, u32, u32), Timestamp>,
}

impl Relations {
    /// Makes or ends a relation.
    pub(crate) fn apply(&mut self, record: &RelationRecord) {
        let (kind, user, target) = (record.kind, record.user.0, record.target.0);
        match record.since {
            Some(since) => {
                self.forward.entry((kind, user)).or_default().insert(target);
                self.backward.entry((kind, target)).or_default().insert(user);
                self.since.insert((kind, user, target), since);
            }
            None => {
                remove(&mut self.forward, (kind, user), target);
                remove(&mut self.backward, (kind, target), user);
                self.since.remove(&(kind, user, target));
            }
        }
    }

    /// What the user has this relation to.
    pub(crate) fn targets(&self, user: Row, kind: RelationKind) -> Option<&RoaringBitmap> {
        self.forward.get(&(kind, user.0))
    }

    /// Who has this relation to the target.
    pub(crate) fn sources(&self, kind: RelationKind, target: Row) -> Option<&RoaringBitmap> {
        self.backward.get(&(kind, target.0))
    }

    /// Whether the relation is there.
    pub(crate) fn holds(&self, user: Row, kind: RelationKind, target: Row) -> bool {
        self.targets(user, kind).is_some_and(|targets| targets.contains(target.0))
    }

    /// Checks that both directions say the same.
    pub(crate) fn check_invariants(&self) -> Result<(), String> {
        let forward = self
            .forward
            .iter()
            .flat_map(|((kind, user), targets)| targets.iter().map(|target| (*kind, *user, target)));
        let mut backward: Vec<_> = self
            .backward
            .iter()
            .flat_map(|((kind, target), users)| users.iter().map(|user| (*kind, user, *target)))
            .collect();
        backward.sort_unstable();
        let forward: Vec<_> = forward.collect();
        let since: Vec<_> = self.since.keys().copied().collect();
        if forward != backward || forward != since {
            return Err("the two directions of the relations differ".to_owned());
        }
        Ok(())
    }
}

fn remove(sets: &mut BTreeMap<(RelationKind, u32), RoaringBitmap>, of: (RelationKind, u32), row: u32) {
    if let Some(set) = sets.get_mut(&of) {
        set.remove(row);
        if set.is_empty() {
            sets.remove(&of);
        }
    }
}
