//! Comparing everything with the model.

use std::ops::Bound;

use kv0::{Db, Mode, Options, Position};

use crate::driver::{Driver, Verdict, same, wrong};
use crate::readers::changes_of;
use crate::steps::{KEYSPACES, Range, STREAMS};

impl Driver {
    /// Takes over a database that was just opened: what survived must be a prefix of the commits, long enough, and all
    /// of it must be there.
    pub(crate) fn verify_opened(&mut self, db: Db, was_cut: bool) -> Verdict {
        let survived = db.position().0;
        let least = if was_cut { self.durable } else { self.acknowledged };
        let most = self.model.position() + u64::from(self.maybe.is_some());
        if !(least..=most).contains(&survived) {
            return Err(format!("commits up to {survived} survived; expected {least} to {most}"));
        }
        // A reader that saw what a power cut took may see its positions used again; one that waited for a sync may not.
        let safe = if was_cut { self.durable } else { survived };
        self.feeds.retain(|feed| feed.position <= safe);
        match self.maybe.take() {
            Some(commit) if survived > self.model.position() => {
                self.model.commit(commit);
            }
            _ => self.model.forget_after(survived),
        }
        (self.acknowledged, self.durable) = (survived, survived);
        self.is_poisoned = false;
        // Creating nothing, but asking: works on a full disk, too.
        self.world.files.clear_failures();
        self.attach(db)?;
        self.verify_all()?;
        self.mend();
        self.hash.add(&survived);
        Ok(())
    }

    /// Compares all keyspaces, streams and the feed with the model.
    pub(crate) fn verify_all(&mut self) -> Verdict {
        let state = self.model.newest().clone();
        let snapshot = self.handles()?.db.snapshot().map_err(wrong("snapshot"))?;
        for keyspace in 0..KEYSPACES {
            for is_descending in [false, true] {
                let range = Range {
                    keyspace,
                    lower: Bound::Unbounded,
                    upper: Bound::Unbounded,
                    is_descending,
                    seek: None,
                    step: 1_000,
                };
                self.scan(&snapshot, &state, &range)?;
            }
        }
        self.verify_feed()?;
        (0..STREAMS).try_for_each(|stream| self.verify_stream(stream))?;
        self.check()
    }

    fn verify_feed(&mut self) -> Verdict {
        let open = self.handles()?;
        let oldest = open.db.oldest_position();
        let mut changes = open.db.changes(oldest).map_err(wrong("changes"))?;
        for (position, commit) in self.model.commits_after(oldest.0) {
            let found = changes.next_commit().map_err(wrong("next_commit"))?;
            let found = found.map(|commit| (commit.position.0, commit.changes));
            same("commit of the feed", &found, &Some((position, changes_of(open, commit))))?;
        }
        same("end of the feed", &changes.next_commit().map_err(wrong("next_commit"))?, &None)
    }

    /// A stream must show what one of the trims leaves that may have taken effect, and that says which.
    fn verify_stream(&mut self, stream: usize) -> Verdict {
        let mut records =
            self.handles()?.streams[stream].records(Position::START).map_err(wrong("records"))?;
        let mut found = Vec::new();
        while let Some((position, record)) = records.next_record().map_err(wrong("next_record"))? {
            found.push((position.0, record));
        }
        let trims = self.trims[stream].clone();
        self.trims[stream].retain(|trim| self.model.records(stream, *trim) == found);
        if self.trims[stream].is_empty() {
            let numbers: Vec<u64> = found.iter().map(|(position, _)| *position).collect();
            return Err(format!(
                "stream {stream} shows the records {numbers:?}; it was trimmed to one of {trims:?}"
            ));
        }
        Ok(())
    }

    pub(crate) fn check(&mut self) -> Verdict {
        let result = self.handles()?.db.check();
        let Some(report) = self.judge("check", result, false)? else { return Ok(()) };
        for damage in report.damage {
            self.judge("check", Err::<(), _>(damage), false)?;
        }
        Ok(())
    }

    /// Another handle sees the same, and changes nothing.
    pub(crate) fn read_beside(&mut self) -> Verdict {
        let before = self.world.files.files();
        let options = Options { mode: Mode::Read, ..self.options.clone() };
        let result = Db::open_in(self.world.env(), options);
        let Some(db) = self.judge("open for reading", result, false)? else { return Ok(()) };
        let snapshot = db.snapshot().map_err(wrong("snapshot"))?;
        let mut state = self.model.newest().clone();
        let mut expected = self.model.position();
        // After a failure of the log its last commit may be in the file, though the writer does not show it.
        if let (Some(commit), true) = (&self.maybe, db.position().0 > expected) {
            state.apply(commit);
            expected += 1;
        }
        same("position beside", &db.position(), &Position(expected))?;
        for keyspace in 0..KEYSPACES {
            let (lower, upper) = (Bound::Unbounded, Bound::Unbounded);
            let range = Range { keyspace, lower, upper, is_descending: false, seek: None, step: 7 };
            self.scan(&snapshot, &state, &range)?;
        }
        db.close().map_err(wrong("close"))?;
        same("files", &self.world.files.files(), &before)
    }
}
