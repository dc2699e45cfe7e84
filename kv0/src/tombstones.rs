//! The range tombstones of one memtable or segment, searchable by key.
//!
//! 1. The tombstones are sorted by keyspace and start, and the sorted slice is read as a balanced binary tree: the
//!    root of `low..high` is its middle.
//! 2. Each node knows which tombstone of its subtree reaches furthest and the newest version of its subtree.
//! 3. A search for a key descends, leaving out every subtree that ends before the key, starts behind it, or has
//!    nothing newer than what was found.
//!
//! Memory is linear in the number of tombstones whatever their nesting. (Cutting them into disjoint fragments would
//! search faster, but n nested ranges have n fragments of up to n versions each.)

use std::cmp::Ordering;
use std::ops::Deref;

use crate::entry::{KeyspaceId, RangeTombstone, Version};

/// An immutable, sorted set of range tombstones. Dereferences to the sorted slice.
#[derive(Debug, Clone, Default)]
pub(crate) struct RangeTombstones {
    sorted: Vec<RangeTombstone>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Index of the tombstone of this subtree that reaches furthest.
    furthest: usize,
    newest: Version,
}

struct Search<'a> {
    keyspace: KeyspaceId,
    key: &'a [u8],
    at: Version,
    found: Option<Version>,
}

impl RangeTombstones {
    pub(crate) fn new(mut tombstones: Vec<RangeTombstone>) -> RangeTombstones {
        tombstones.sort_by(order);
        let nodes =
            tombstones.iter().enumerate().map(|(at, t)| Node { furthest: at, newest: t.version }).collect();
        let mut set = RangeTombstones { sorted: tombstones, nodes };
        set.build(0, set.sorted.len());
        set
    }

    /// This set and one more. Costs a copy.
    pub(crate) fn with(&self, tombstone: RangeTombstone) -> RangeTombstones {
        let mut all = Vec::with_capacity(self.sorted.len() + 1);
        all.extend_from_slice(&self.sorted);
        all.push(tombstone);
        RangeTombstones::new(all)
    }

    /// The newest version not after `at` at which a range over the key was deleted.
    pub(crate) fn newest_over(&self, keyspace: KeyspaceId, key: &[u8], at: Version) -> Option<Version> {
        let mut search = Search { keyspace, key, at, found: None };
        self.search(0, self.sorted.len(), &mut search);
        search.found
    }

    fn build(&mut self, low: usize, high: usize) {
        if low >= high {
            return;
        }
        let middle = low.midpoint(high);
        self.build(low, middle);
        self.build(middle + 1, high);
        for (low, high) in [(low, middle), (middle + 1, high)] {
            if low >= high {
                continue;
            }
            let child = self.nodes[low.midpoint(high)];
            let node = self.nodes[middle];
            let further = compare_ends(&self.sorted[child.furthest], &self.sorted[node.furthest]).is_gt();
            self.nodes[middle] = Node {
                furthest: if further { child.furthest } else { node.furthest },
                newest: node.newest.max(child.newest),
            };
        }
    }

    fn search(&self, low: usize, high: usize, search: &mut Search<'_>) {
        if low >= high {
            return;
        }
        let middle = low.midpoint(high);
        let node = self.nodes[middle];
        let furthest = &self.sorted[node.furthest];
        let ends_before = furthest.keyspace < search.keyspace
            || (furthest.keyspace == search.keyspace
                && furthest.end.as_ref().is_some_and(|end| **end <= *search.key));
        if ends_before || search.found.is_some_and(|found| node.newest <= found) {
            return;
        }
        self.search(low, middle, search);
        let tombstone = &self.sorted[middle];
        if (tombstone.keyspace, &*tombstone.start) > (search.keyspace, search.key) {
            return;
        }
        if tombstone.version <= search.at && tombstone.covers(search.keyspace, search.key) {
            search.found = search.found.max(Some(tombstone.version));
        }
        self.search(middle + 1, high, search);
    }
}

impl Deref for RangeTombstones {
    type Target = [RangeTombstone];

    fn deref(&self) -> &[RangeTombstone] {
        &self.sorted
    }
}

/// The order in memory and on disk: by keyspace, start, newest version first, end.
pub(crate) fn order(a: &RangeTombstone, b: &RangeTombstone) -> Ordering {
    (a.keyspace, &a.start)
        .cmp(&(b.keyspace, &b.start))
        .then(b.version.cmp(&a.version))
        .then_with(|| compare_ends(a, b))
}

fn compare_ends(a: &RangeTombstone, b: &RangeTombstone) -> Ordering {
    (a.keyspace, a.end.is_none(), a.end.as_deref()).cmp(&(b.keyspace, b.end.is_none(), b.end.as_deref()))
}

#[cfg(test)]
mod tests;
