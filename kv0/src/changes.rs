//! The change feed.

use std::sync::Arc;
use std::time::Duration;

use crate::entry::{KeyspaceId, StreamId};
use crate::error::Result;

/// A place between two commits: after the commit that has this number. Ordered; [`Position::START`] is before all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

impl Position {
    /// Before the first commit.
    pub const START: Position = Position(0);
}

/// One commit as the change feed shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The position right after this commit: resume from here to get the next.
    pub position: Position,
    /// Its changes, in the order in which the batch had them.
    pub changes: Vec<Change>,
}

/// One change of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A key was set.
    Put {
        /// Where.
        keyspace: KeyspaceId,
        /// The key.
        key: Arc<[u8]>,
        /// Its new value.
        value: Arc<[u8]>,
    },
    /// A key was removed.
    Delete {
        /// Where.
        keyspace: KeyspaceId,
        /// The key.
        key: Arc<[u8]>,
    },
    /// The keys in `start..end` were removed.
    DeleteRange {
        /// Where.
        keyspace: KeyspaceId,
        /// First key of the range.
        start: Arc<[u8]>,
        /// First key after the range.
        end: Arc<[u8]>,
    },
    /// A record was appended to a stream.
    Append {
        /// Which stream.
        stream: StreamId,
        /// The record.
        record: Arc<[u8]>,
    },
}

/// Commits in order, history first, then live. See [`crate::Db::changes`].
#[derive(Debug)]
pub struct Changes;

impl Changes {
    /// The next commit, or `None` if the reader has seen every commit so far; a later call may find more.
    pub fn next_commit(&mut self) -> Result<Option<Commit>> {
        unimplemented!()
    }

    /// Waits until there is a commit to read, at most `timeout`; returns whether there is.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool> {
        let _ = timeout;
        unimplemented!()
    }

    /// The position after the last commit that was returned.
    pub fn position(&self) -> Position {
        unimplemented!()
    }
}
