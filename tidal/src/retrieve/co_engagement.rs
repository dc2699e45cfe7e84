//! Items that the same users engaged with.
//!
//! For a basis of items the score of an item is the mean over the basis of the cosine of the two items' sets of users:
//! common users ÷ √(users of one × users of the other) (Sarwar et al., "Item-based collaborative filtering
//! recommendation algorithms", 2001). It is 0 to 1.
//!
//! The work is bounded: of an item with many users an even part of them is looked at, and stands for the rest.

use std::collections::BTreeMap;

use crate::id::Row;
use crate::state::EventState;

/// Users of one item of the basis that are looked at.
const MOST_USERS: usize = 200;
/// Items of one user that are looked at.
const MOST_ITEMS: usize = 500;

/// Scores of all items for one basis.
#[derive(Debug, Default)]
pub(crate) struct CoEngagement {
    scores: BTreeMap<u32, f64>,
}

impl CoEngagement {
    pub(crate) fn new(events: &EventState, basis: &[Row]) -> CoEngagement {
        let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
        for &item in basis {
            for (other, common) in common_users(events, item) {
                *scores.entry(other).or_default() +=
                    common / size(events, item, Row(other)) / basis.len() as f64;
            }
        }
        for item in basis {
            scores.remove(&item.0);
        }
        CoEngagement { scores }
    }

    /// How strongly an item is co-engaged with the basis; 0 for the basis itself.
    pub(crate) fn score(&self, item: Row) -> f64 {
        self.scores.get(&item.0).copied().unwrap_or(0.0)
    }

    /// All items with a score, by row.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Row, f64)> + '_ {
        self.scores.iter().map(|(&item, &score)| (Row(item), score))
    }
}

/// How strongly two items are co-engaged.
pub(crate) fn between(events: &EventState, item: Row, other: Row) -> f64 {
    let (Some(one), Some(two)) = (events.engaged_by(item), events.engaged_by(other)) else { return 0.0 };
    one.intersection_len(two) as f64 / size(events, item, other)
}

/// √(users of one × users of the other), at least 1.
fn size(events: &EventState, item: Row, other: Row) -> f64 {
    let users = |item| events.engaged_by(item).map_or(0, roaring::RoaringBitmap::len) as f64;
    (users(item) * users(other)).sqrt().max(1.0)
}

/// The number of users whom each other item has in common with this one, estimated where there are many.
fn common_users(events: &EventState, item: Row) -> BTreeMap<u32, f64> {
    let mut common = BTreeMap::new();
    let Some(users) = events.engaged_by(item) else { return common };
    let step = users.len().div_ceil(MOST_USERS as u64).max(1);
    let weight = users.len() as f64 / users.len().div_ceil(step).max(1) as f64;
    for user in users.iter().step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let engaged = events.users.get(&user).map(|state| &state.engaged);
        for other in engaged.into_iter().flatten().take(MOST_ITEMS) {
            *common.entry(other).or_default() += weight;
        }
    }
    common
}
