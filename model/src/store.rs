//! A store of keys and records that cannot be wrong: a list of commits, and the state at any position by replay.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// One change of a commit. Keyspaces and streams are numbers that the test chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Sets a key.
    Put {
        /// Where.
        keyspace: usize,
        /// The key.
        key: Arc<[u8]>,
        /// Its new value.
        value: Arc<[u8]>,
    },
    /// Removes a key.
    Delete {
        /// Where.
        keyspace: usize,
        /// The key.
        key: Arc<[u8]>,
    },
    /// Removes the keys in `start..end`.
    DeleteRange {
        /// Where.
        keyspace: usize,
        /// First key of the range.
        start: Arc<[u8]>,
        /// First key behind the range.
        end: Arc<[u8]>,
    },
    /// Appends a record to a stream.
    Append {
        /// Which stream.
        stream: usize,
        /// The record.
        record: Arc<[u8]>,
    },
}

/// The changes of one commit, in order.
pub type Commit = Vec<Operation>;

/// A key and its value.
pub type Pair = (Arc<[u8]>, Arc<[u8]>);

/// The keys of one keyspace with their values.
pub type Pairs = BTreeMap<Arc<[u8]>, Arc<[u8]>>;

/// All keyspaces at one position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    keyspaces: BTreeMap<usize, Pairs>,
}

impl State {
    /// The state after one more commit.
    pub fn apply(&mut self, commit: &[Operation]) {
        for operation in commit {
            match operation {
                Operation::Put { keyspace, key, value } => {
                    self.pairs_mut(*keyspace).insert(Arc::clone(key), Arc::clone(value));
                }
                Operation::Delete { keyspace, key } => {
                    self.pairs_mut(*keyspace).remove(key);
                }
                Operation::DeleteRange { keyspace, start, end } => {
                    self.pairs_mut(*keyspace).retain(|key, _| key < start || key >= end);
                }
                Operation::Append { .. } => {}
            }
        }
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, keyspace: usize, key: &[u8]) -> Option<Arc<[u8]>> {
        self.keyspaces.get(&keyspace)?.get(key).cloned()
    }

    /// The keys between two bounds, from the smallest up.
    #[must_use]
    pub fn range(&self, keyspace: usize, lower: &Bound<Arc<[u8]>>, upper: &Bound<Arc<[u8]>>) -> Vec<Pair> {
        let inside = |key: &Arc<[u8]>| {
            let above = match lower {
                Bound::Included(bound) => key >= bound,
                Bound::Excluded(bound) => key > bound,
                Bound::Unbounded => true,
            };
            let below = match upper {
                Bound::Included(bound) => key <= bound,
                Bound::Excluded(bound) => key < bound,
                Bound::Unbounded => true,
            };
            above && below
        };
        let pairs = self.keyspaces.get(&keyspace).into_iter().flatten();
        pairs
            .filter(|(key, _)| inside(key))
            .map(|(key, value)| (Arc::clone(key), Arc::clone(value)))
            .collect()
    }

    fn pairs_mut(&mut self, keyspace: usize) -> &mut Pairs {
        self.keyspaces.entry(keyspace).or_default()
    }
}

/// The commits of a database, in order. Position `n` is after the `n`-th.
#[derive(Debug, Clone, Default)]
pub struct Store {
    commits: Vec<Commit>,
    newest: State,
    trimmed: BTreeMap<usize, u64>,
}

impl Store {
    /// Adds a commit and returns its position.
    pub fn commit(&mut self, commit: Commit) -> u64 {
        self.newest.apply(&commit);
        self.commits.push(commit);
        self.position()
    }

    /// The position after the newest commit.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.commits.len() as u64
    }

    /// The commits after a position, each with its own.
    pub fn commits_after(&self, position: u64) -> impl Iterator<Item = (u64, &Commit)> {
        (1..).zip(&self.commits).filter(move |(at, _)| *at > position)
    }

    /// Forgets every commit after a position.
    pub fn forget_after(&mut self, position: u64) {
        self.newest = self.state_at(position);
        self.commits =
            self.commits_after(0).take_while(|(at, _)| *at <= position).map(|(_, c)| c.clone()).collect();
    }

    /// The state now.
    #[must_use]
    pub fn newest(&self) -> &State {
        &self.newest
    }

    /// The state at a position.
    #[must_use]
    pub fn state_at(&self, position: u64) -> State {
        let mut state = State::default();
        for (_, commit) in self.commits_after(0).take_while(|(at, _)| *at <= position) {
            state.apply(commit);
        }
        state
    }

    /// Gives up the records of a stream up to and including a position. Trimming less than before changes nothing.
    pub fn trim(&mut self, stream: usize, before: u64) {
        let trimmed = self.trimmed.entry(stream).or_default();
        *trimmed = before.max(*trimmed);
    }

    /// Up to where a stream was trimmed.
    #[must_use]
    pub fn trimmed(&self, stream: usize) -> u64 {
        self.trimmed.get(&stream).copied().unwrap_or(0)
    }

    /// The records of a stream after a position that were not trimmed, each with the position of its commit.
    #[must_use]
    pub fn records(&self, stream: usize, after: u64) -> Vec<(u64, Arc<[u8]>)> {
        let mut records = Vec::new();
        for (position, commit) in self.commits_after(after.max(self.trimmed(stream))) {
            for operation in commit {
                if let Operation::Append { stream: to, record } = operation
                    && *to == stream
                {
                    records.push((position, Arc::clone(record)));
                }
            }
        }
        records
    }
}

#[cfg(test)]
mod tests;
