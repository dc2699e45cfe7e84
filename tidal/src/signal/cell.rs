//! What is kept of one signal of one row, besides its decayed values.

use crate::id::Row;

use super::buckets::Buckets;
use super::uniques::Uniques;
use super::window::Window;

/// Counts of one signal of one row. Times in microseconds.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Time of the newest event. A late event leaves it.
    pub(crate) newest: i64,
    pub(crate) count: u64,
    pub(crate) sum: f64,
    pub(crate) buckets: Buckets,
    pub(crate) users: Uniques,
}

impl Cell {
    /// A cell that is about to get its first event, at `at`.
    pub(crate) fn new(at: i64) -> Cell {
        Cell { newest: at, count: 0, sum: 0.0, buckets: Buckets::new(), users: Uniques::new() }
    }

    pub(crate) fn add(&mut self, weight: f64, at: i64, user: Option<Row>) {
        if at > self.newest {
            self.buckets.advance(self.newest, at);
            self.newest = at;
        }
        self.buckets.add(at, self.newest, weight);
        self.count += 1;
        self.sum += weight;
        if let Some(user) = user {
            self.users.add(user);
        }
    }

    pub(crate) fn read(&self, window: Window, now: i64) -> (u64, f64) {
        match window.buckets() {
            None => (self.count, self.sum),
            Some((resolution, whole)) => self.buckets.read(resolution, whole, now, self.newest),
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.buckets.heap_bytes() + self.users.heap_bytes()
    }
}
