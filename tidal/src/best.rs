//! The k best rows by a score, without sorting all of them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::id::Row;

/// The order of all results: higher score first, equal scores by row, so that one state gives one order.
pub(crate) fn order(a: (Row, f64), b: (Row, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// The `k` best of the rows offered so far.
pub(crate) struct Best {
    k: usize,
    /// The worst on top.
    heap: BinaryHeap<Entry>,
}

#[derive(PartialEq)]
struct Entry(Row, f64);

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        order((self.0, self.1), (other.0, other.1))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Best {
    /// Keeps `k` of at most `offered` rows.
    pub(crate) fn new(k: usize, offered: usize) -> Best {
        Best { k, heap: BinaryHeap::with_capacity(k.min(offered)) }
    }

    /// Takes the row if it is among the best so far. The score is not NaN.
    pub(crate) fn offer(&mut self, row: Row, score: f64) {
        debug_assert!(!score.is_nan(), "a score is never NaN");
        let entry = Entry(row, score);
        if self.heap.len() < self.k {
            self.heap.push(entry);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }

    /// The best, best first.
    pub(crate) fn into_sorted(self) -> Vec<(Row, f64)> {
        self.heap.into_sorted_vec().into_iter().map(|Entry(row, score)| (row, score)).collect()
    }
}
