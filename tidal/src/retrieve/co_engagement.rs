//! Items that the same users engaged with.
//!
//! For a basis of items the score of an item is the mean over the basis of the cosine of the two items' sets of users:
//! common users ÷ √(users of one × users of the other) (Sarwar et al., "Item-based collaborative filtering
//! recommendation algorithms", 2001). It is 0 to 1.
//!
//! The work is bounded: of an item with many users an even part of them is looked at, and stands for the rest.

use roaring::RoaringBitmap;

use crate::id::Row;
use crate::state::EventState;

/// Users of one item of the basis that are looked at.
const MOST_USERS: usize = 100;
/// Items of one user that are looked at.
const MOST_ITEMS: usize = 500;

/// Scores of all items for one basis.
#[derive(Debug, Default)]
pub(crate) struct CoEngagement {
    /// By row; 0 where there is none. Pages that nobody touches cost no memory.
    scores: Vec<f64>,
    /// Rows with a score, ascending.
    scored: Vec<u32>,
}

impl CoEngagement {
    pub(crate) fn new(events: &EventState, basis: &[Row]) -> CoEngagement {
        let rows = events.engaged_rows();
        let mut scores = vec![0.0; rows];
        let mut common = vec![0_u32; rows];
        let mut touched = Vec::new();
        for &item in basis {
            let Some(users) = events.engaged_by(item) else { continue };
            let weight = count_common(events, users, &mut common, &mut touched);
            for other in touched.drain(..) {
                let count = std::mem::take(&mut common[other as usize]);
                let of_other = events.engaged_by(Row(other)).map_or(0, RoaringBitmap::len);
                let cosine = f64::from(count) * weight / size(users.len(), of_other);
                scores[other as usize] += cosine / basis.len() as f64;
            }
        }
        for item in basis {
            if let Some(score) = scores.get_mut(item.0 as usize) {
                *score = 0.0;
            }
        }
        let scored = (0..).zip(&scores).filter(|(_, score)| **score > 0.0).map(|(row, _)| row).collect();
        CoEngagement { scores, scored }
    }

    /// How strongly an item is co-engaged with the basis; 0 for the basis itself.
    pub(crate) fn score(&self, item: Row) -> f64 {
        self.scores.get(item.0 as usize).copied().unwrap_or(0.0)
    }

    /// All items with a score, by row.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Row, f64)> + '_ {
        self.scored.iter().map(|&item| (Row(item), self.scores[item as usize]))
    }
}

/// How strongly two items are co-engaged.
pub(crate) fn between(events: &EventState, item: Row, other: Row) -> f64 {
    let (Some(one), Some(two)) = (events.engaged_by(item), events.engaged_by(other)) else { return 0.0 };
    one.intersection_len(two) as f64 / size(one.len(), two.len())
}

/// √(users of one × users of the other), at least 1.
fn size(users: u64, of_other: u64) -> f64 {
    (users as f64 * of_other as f64).sqrt().max(1.0)
}

/// Counts for each item how many of the users engaged with it, and notes which were counted. Of many users an even part
/// is looked at; the result is the number of users that each of them stands for.
fn count_common(
    events: &EventState,
    users: &RoaringBitmap,
    common: &mut [u32],
    touched: &mut Vec<u32>,
) -> f64 {
    let step = users.len().div_ceil(MOST_USERS as u64).max(1);
    for user in users.iter().step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let engaged = events.users.get(&user).map(|state| &state.engaged);
        for item in engaged.into_iter().flatten().take(MOST_ITEMS) {
            let count = &mut common[item as usize];
            if *count == 0 {
                touched.push(item);
            }
            *count += 1;
        }
    }
    users.len() as f64 / users.len().div_ceil(step).max(1) as f64
}
