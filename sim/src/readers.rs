//! Change feeds and readers of streams that are kept across steps, and across reopenings.

use kv0::{Change, Changes, ErrorKind, Position, Records};
use model::store::{Commit, Operation};

use crate::driver::{Driver, Open, Verdict, same};

const MOST_KEPT: usize = 4;

/// A follower of the changes. Only its position outlives the process.
pub(crate) struct Feed {
    changes: Option<Changes>,
    pub(crate) position: u64,
}

impl Feed {
    pub(crate) fn let_go(&mut self) {
        self.changes = None;
    }
}

/// A reader of the records of a stream that were appended after some place.
pub(crate) struct RecordFeed {
    records: Records,
    stream: usize,
    from: u64,
    read: usize,
}

impl RecordFeed {
    pub(crate) fn is_of(&self, stream: usize) -> bool {
        self.stream == stream
    }
}

impl Driver {
    /// Begins to follow the changes. What the database has given up must be refused, all else must be there.
    pub(crate) fn follow(&mut self, place: u64) -> Verdict {
        let db = self.handles()?.db.clone();
        let (oldest, newest) = (db.oldest_position().0, db.position().0);
        if oldest > newest || (self.options.changes_retention_bytes == u64::MAX && oldest > 0) {
            return Err(format!("the oldest position is {oldest}, the newest {newest}"));
        }
        if oldest > 0 {
            refused(db.changes(Position(oldest - 1)), ErrorKind::Trimmed)?;
        }
        refused(db.changes(Position(newest + 1)), ErrorKind::Invalid)?;
        let position = oldest + (newest - oldest) * place / 16;
        let Some(changes) = self.judge("changes", db.changes(Position(position)), false)? else {
            return Ok(());
        };
        if self.feeds.len() == MOST_KEPT {
            self.feeds.remove(0);
        }
        self.feeds.push(Feed { changes: Some(changes), position });
        Ok(())
    }

    pub(crate) fn read_records(&mut self, stream: usize, place: u64) -> Verdict {
        let from = self.model.position() * place / 16;
        let result = self.handles()?.streams[stream].records(Position(from));
        let Some(records) = self.judge("records", result, false)? else { return Ok(()) };
        // After a trim that failed nobody knows where it begins.
        let trims = &self.trims[stream];
        if let (Some(trimmed), 1) = (trims.first(), trims.len()) {
            if self.records.len() == MOST_KEPT {
                self.records.remove(0);
            }
            self.records.push(RecordFeed { records, stream, from: from.max(*trimmed), read: 0 });
        }
        Ok(())
    }

    /// Reads on in one of the feeds and one of the readers of streams.
    pub(crate) fn read_on(&mut self, which: usize, count: usize) -> Verdict {
        if !self.feeds.is_empty() {
            let at = which % self.feeds.len();
            let mut feed = self.feeds.remove(at);
            if self.read_feed(&mut feed, count)? {
                self.feeds.insert(at, feed);
            }
        }
        if !self.records.is_empty() {
            let at = which % self.records.len();
            let mut records = self.records.remove(at);
            if self.read_record_feed(&mut records, count)? {
                self.records.insert(at, records);
            }
        }
        Ok(())
    }

    /// Reads up to `count` commits; false if the feed is over.
    pub(crate) fn read_feed(&mut self, feed: &mut Feed, count: usize) -> Verdict<bool> {
        let db = self.handles()?.db.clone();
        let may_be_trimmed = feed.position < db.oldest_position().0;
        if feed.changes.is_none() {
            let result = db.changes(Position(feed.position));
            if may_be_trimmed {
                return refused(result, ErrorKind::Trimmed).map(|()| false);
            }
            feed.changes = self.judge("changes", result, false)?;
        }
        let Some(changes) = &mut feed.changes else { return Ok(true) };
        for _ in 0..count {
            let expected = self.model.commits_after(feed.position).next();
            let result = changes.next_commit();
            if may_be_trimmed && expected.is_some() {
                return refused(result, ErrorKind::Trimmed).map(|()| false);
            }
            let open = self.handles()?;
            let expected = expected.map(|(at, commit)| (at, changes_of(open, commit)));
            let Some(found) = self.judge("next_commit", result, false)? else { return Ok(false) };
            let found = found.map(|commit| (commit.position.0, commit.changes));
            same("commit of the feed", &found, &expected)?;
            let Some((position, _)) = found else { break };
            feed.position = position;
        }
        self.hash.add(&feed.position);
        Ok(true)
    }

    fn read_record_feed(&mut self, feed: &mut RecordFeed, count: usize) -> Verdict<bool> {
        let expected = self.model.records(feed.stream, feed.from);
        for _ in 0..count {
            let result = feed.records.next_record();
            let Some(found) = self.judge("next_record", result, false)? else { return Ok(false) };
            let found = found.map(|(position, record)| (position.0, record));
            same("record of a stream", &found, &expected.get(feed.read).cloned())?;
            if found.is_none() {
                break;
            }
            feed.read += 1;
        }
        self.hash.add(&feed.read);
        Ok(true)
    }
}

/// What the feed shows of a commit.
pub(crate) fn changes_of(open: &Open, commit: &Commit) -> Vec<Change> {
    let keyspace = |number: &usize| open.keyspaces[*number].id();
    let change = |operation: &Operation| match operation {
        Operation::Put { keyspace: to, key, value } => {
            Change::Put { keyspace: keyspace(to), key: key.clone(), value: value.clone() }
        }
        Operation::Delete { keyspace: of, key } => {
            Change::Delete { keyspace: keyspace(of), key: key.clone() }
        }
        Operation::DeleteRange { keyspace: of, start, end } => {
            Change::DeleteRange { keyspace: keyspace(of), start: start.clone(), end: end.clone() }
        }
        Operation::Append { stream, record } => {
            Change::Append { stream: open.streams[*stream].id(), record: record.clone() }
        }
    };
    commit.iter().map(change).collect()
}

/// The call must fail with this kind.
fn refused<T>(result: kv0::Result<T>, kind: ErrorKind) -> Verdict {
    match result {
        Err(error) if error.kind() == kind => Ok(()),
        Err(error) => Err(format!("expected {kind:?}, found {error:?}")),
        Ok(_) => Err(format!("expected {kind:?}, found no error")),
    }
}
