//! Diversity of a page.
//!
//! 1. The n-th best item of a creator (n from 1) has the level n; an item without a creator has the level 0.
//! 2. First come the items whose level is at most `max_per_creator`, by score.
//! 3. If the page is not full, the rule gives way by one at a time: next come the items of the next level, by score,
//!    and so on until the page is full or nothing is left.
//!
//! This is one order of all candidates, whatever the limit: a longer page begins as a shorter one does, and the next
//! page goes on where this one ends.

use std::collections::BTreeMap;

use crate::id::Row;
use crate::query::Diversity;

use super::score::Scored;

/// Which of the scored items make a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    /// At most `limit`; fewer only if there are fewer.
    pub items: Vec<Scored>,
    /// Whether every rule held.
    pub satisfied: bool,
}

/// The first `limit` items of the diverse order of `scored`, which is ordered best first. Cost: one pass over `scored`.
pub(crate) fn diversify(
    scored: &[Scored],
    creator_of: impl Fn(Row) -> Option<Row>,
    rules: Diversity,
    limit: usize,
) -> Page {
    let Some(most) = rules.max_per_creator else {
        return Page { items: scored[..limit.min(scored.len())].to_vec(), satisfied: true };
    };
    let mut items = Vec::with_capacity(limit.min(scored.len()));
    let mut taken: BTreeMap<Row, usize> = BTreeMap::new();
    // Items above the cap, by how far they are above it.
    let mut above: Vec<Vec<Scored>> = Vec::new();
    for candidate in scored {
        if items.len() == limit {
            break;
        }
        let level = match creator_of(candidate.row) {
            None => 0,
            Some(creator) => {
                let level = taken.entry(creator).or_insert(0);
                *level += 1;
                *level
            }
        };
        if level <= most {
            items.push(*candidate);
        } else {
            let step = level - most - 1;
            if above.len() <= step {
                above.resize_with(step + 1, Vec::new);
            }
            above[step].push(*candidate);
        }
    }
    let satisfied = items.len() == limit || above.is_empty();
    items.extend(above.into_iter().flatten().take(limit - items.len()));
    Page { items, satisfied }
}
