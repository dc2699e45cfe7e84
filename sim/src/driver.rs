//! Runs steps against the database and keeps the model beside it.

use std::collections::BTreeSet;

use kv0::{
    Batch, Db, Direction, Durability, Error, ErrorKind, Keyspace, Mode, Options, Position, Snapshot, Stream,
};
use kv0_env::memory::{self, SeededRandom, World};
use model::store::{Commit, Operation, State, Store};

use crate::readers::{Feed, RecordFeed};
use crate::steps::{KEYSPACES, Range, STREAMS, Step};
use crate::trace::Trace;

/// What a step says: nothing, or what is wrong with the database.
pub(crate) type Verdict<T = ()> = Result<T, String>;

/// How many snapshots and readers are kept.
const MOST_KEPT: usize = 6;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) commits: u64,
    pub(crate) crashes: u64,
    pub(crate) errors: u64,
}

/// An open database with its keyspaces and streams, in the order of the model's numbers.
pub(crate) struct Open {
    pub(crate) db: Db,
    pub(crate) keyspaces: Vec<Keyspace>,
    pub(crate) streams: Vec<Stream>,
}

pub(crate) struct Driver {
    pub(crate) world: World,
    pub(crate) options: Options,
    pub(crate) schedule: SeededRandom,
    pub(crate) open: Option<Open>,
    /// Every commit that is visible.
    pub(crate) model: Store,
    /// Commits up to here were acknowledged: they survive the process.
    pub(crate) acknowledged: u64,
    /// Commits up to here were acknowledged as durable: they survive the machine.
    pub(crate) durable: u64,
    /// A commit of which only a reopening tells whether it is there, behind those of the model.
    pub(crate) maybe: Option<Commit>,
    /// Up to where each stream may be trimmed: more than one place after a trim that failed.
    pub(crate) trims: Vec<BTreeSet<u64>>,
    /// Whether calls may fail now.
    pub(crate) is_faulty: bool,
    /// Whether the database said that its log failed.
    pub(crate) is_poisoned: bool,
    snapshots: Vec<(Snapshot, u64)>,
    pub(crate) feeds: Vec<Feed>,
    pub(crate) records: Vec<RecordFeed>,
    pub(crate) hash: Trace,
    pub(crate) counted: Counts,
}

impl Driver {
    pub(crate) fn new(seed: u64) -> Driver {
        let (_, world) = memory::env(seed);
        let schedule = SeededRandom::new(seed ^ 0x6f_7074);
        let options = Options {
            mode: Mode::Exclusive,
            durability: Durability::Os,
            memory_budget: if schedule.below(4) == 0 { 64 << 20 } else { 1 << 20 },
            changes_retention_bytes: [0, 100_000, u64::MAX]
                [usize::try_from(schedule.below(3)).expect("below 3")],
        };
        Driver {
            world,
            options,
            schedule,
            open: None,
            model: Store::default(),
            acknowledged: 0,
            durable: 0,
            maybe: None,
            trims: vec![BTreeSet::from([0]); STREAMS],
            is_faulty: false,
            is_poisoned: false,
            snapshots: Vec::new(),
            feeds: Vec::new(),
            records: Vec::new(),
            hash: Trace::new(),
            counted: Counts::default(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counted
    }

    pub(crate) fn trace(&self) -> u64 {
        self.hash.value()
    }

    pub(crate) fn describe(&self) -> String {
        format!(
            "budget {}, retention {}, {} commits, acknowledged to {}, durable to {}, {} calls",
            self.options.memory_budget,
            self.options.changes_retention_bytes,
            self.model.position(),
            self.acknowledged,
            self.durable,
            self.world.files.operations()
        )
    }

    pub(crate) fn start(&mut self) -> Verdict {
        let db = Db::open_in(self.world.env(), self.options.clone()).map_err(wrong("create"))?;
        self.attach(db)
    }

    /// Closes, opens once more, and compares everything.
    pub(crate) fn finish(&mut self) -> Verdict {
        self.mend();
        self.reopen(true)?;
        for (path, size) in self.world.files.files() {
            self.hash.add(&(path, size));
        }
        Ok(())
    }

    /// Takes the handles of an open database.
    pub(crate) fn attach(&mut self, db: Db) -> Verdict {
        let keyspaces = (0..KEYSPACES).map(|number| db.keyspace(&format!("keyspace {number}")));
        let keyspaces = keyspaces.collect::<Result<Vec<_>, _>>().map_err(wrong("keyspace"))?;
        let streams = (0..STREAMS).map(|number| db.stream(&format!("stream {number}")));
        let streams = streams.collect::<Result<Vec<_>, _>>().map_err(wrong("stream"))?;
        self.open = Some(Open { db, keyspaces, streams });
        Ok(())
    }

    /// Lets go of everything that belongs to the open database. The places of the readers are kept.
    pub(crate) fn detach(&mut self) {
        self.snapshots.clear();
        self.records.clear();
        for feed in &mut self.feeds {
            feed.let_go();
        }
        self.open = None;
    }

    pub(crate) fn handles(&self) -> Verdict<&Open> {
        self.open.as_ref().ok_or_else(|| "the database is not open".to_owned())
    }

    pub(crate) fn step(&mut self, step: &Step) -> Verdict {
        match step {
            Step::Write { commit, is_durable } => self.write(commit, *is_durable),
            Step::Get { keyspace, keys } => self.get(*keyspace, keys),
            Step::Scan(range) => {
                let snapshot = self.handles()?.db.snapshot();
                let state = self.model.newest().clone();
                match self.judge("snapshot", snapshot, false)? {
                    Some(snapshot) => self.scan(&snapshot, &state, range),
                    None => Ok(()),
                }
            }
            Step::TakeSnapshot => self.take_snapshot(),
            Step::ReadSnapshot(which, range) => {
                let Some((snapshot, position)) = pick(&self.snapshots, *which).cloned() else {
                    return Ok(());
                };
                let state = self.model.state_at(position);
                self.scan(&snapshot, &state, range)
            }
            Step::DropSnapshot(which) => {
                if !self.snapshots.is_empty() {
                    self.snapshots.remove(which % self.snapshots.len());
                }
                Ok(())
            }
            Step::Follow(place) => self.follow(*place),
            Step::Records(stream, place) => self.read_records(*stream, *place),
            Step::ReadOn(which, count) => self.read_on(*which, *count),
            Step::Trim(stream, place) => self.trim(*stream, *place),
            Step::Flush => {
                let result = self.handles()?.db.flush();
                self.judge("flush", result, true).map(drop)
            }
            Step::Sync => {
                let result = self.handles()?.db.sync();
                if self.judge("sync", result, true)?.is_some() {
                    self.durable = self.model.position();
                }
                Ok(())
            }
            Step::Turns(count) => {
                self.turns(*count);
                Ok(())
            }
            Step::Wait(millis) => {
                self.world.clock.advance(std::time::Duration::from_millis(*millis));
                Ok(())
            }
            Step::Check => self.check(),
            Step::ReadBeside => self.read_beside(),
            Step::Reopen => self.reopen(true),
            Step::DropAndReopen => self.reopen(false),
            Step::Kill(recovery) => self.crash(recovery, false),
            Step::PowerCut(recovery) => self.crash(recovery, true),
            Step::Fail(fault) => {
                self.plan(fault);
                Ok(())
            }
            Step::FillDisk(spare) => {
                self.fill_disk(*spare);
                Ok(())
            }
            Step::Mend => {
                self.mend();
                if self.is_poisoned { self.reopen(false) } else { Ok(()) }
            }
        }
    }

    /// Sorts the results of calls: an error is right only where there are faults, and only of the kind for them.
    pub(crate) fn judge<T>(
        &mut self,
        what: &str,
        result: kv0::Result<T>,
        is_write: bool,
    ) -> Verdict<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                let may_fail = self.is_faulty || (self.is_poisoned && is_write);
                if error.kind() != ErrorKind::Unavailable || !may_fail {
                    return Err(format!("{what}: {error:?}"));
                }
                self.is_poisoned |= says_that_the_log_failed(&error);
                self.counted.errors += 1;
                self.hash.add(&error.to_string());
                Ok(None)
            }
        }
    }

    fn write(&mut self, commit: &Commit, is_durable: bool) -> Verdict {
        let open = self.handles()?;
        let (before, was_poisoned) = (open.db.position().0, self.is_poisoned);
        let durability = if is_durable { Durability::Disk } else { Durability::Os };
        let result = open.db.write_with(batch_of(open, commit), durability);
        let after = open.db.position().0;
        self.hash.add(&after);
        if before != self.model.position() {
            return Err(format!("the newest commit is {before}, not {}", self.model.position()));
        }
        let log_failed = result.as_ref().err().is_some_and(says_that_the_log_failed);
        if after == before + 1 {
            self.model.commit(commit.clone());
        } else if log_failed && !was_poisoned {
            self.maybe = Some(commit.clone());
        }
        let Some(position) = self.judge("write", result, true)? else {
            let is_visible = after == before + 1;
            if after != before && !(is_visible && log_failed) {
                return Err(format!("a commit that failed moved the position from {before} to {after}"));
            }
            return Ok(());
        };
        if (position.0, after) != (before + 1, before + 1) {
            return Err(format!(
                "a commit after {before} has position {}, the newest is {after}",
                position.0
            ));
        }
        self.counted.commits += 1;
        self.acknowledged = after;
        if is_durable {
            self.durable = after;
        }
        Ok(())
    }

    fn get(&mut self, keyspace: usize, keys: &[std::sync::Arc<[u8]>]) -> Verdict {
        let expected: Vec<_> = keys.iter().map(|key| self.model.newest().get(keyspace, key)).collect();
        let handle = self.handles()?.keyspaces[keyspace].clone();
        for (key, expected) in keys.iter().zip(&expected) {
            if let Some(found) = self.judge("get", handle.get(key), false)? {
                self.hash.add(&found);
                same("get", &found, expected)?;
            }
        }
        match self.judge("multi_get", handle.multi_get(keys), false)? {
            Some(found) => same("multi_get", &found, &expected),
            None => Ok(()),
        }
    }

    fn take_snapshot(&mut self) -> Verdict {
        let result = self.handles()?.db.snapshot();
        let Some(snapshot) = self.judge("snapshot", result, false)? else { return Ok(()) };
        same("position of a snapshot", &snapshot.position(), &Position(self.model.position()))?;
        if self.snapshots.len() < MOST_KEPT {
            self.snapshots.push((snapshot, self.model.position()));
        }
        Ok(())
    }

    /// Compares a range of a snapshot with the state that it should show.
    pub(crate) fn scan(&mut self, snapshot: &Snapshot, state: &State, range: &Range) -> Verdict {
        let mut expected = state.range(range.keyspace, &range.lower, &range.upper);
        let direction = if range.is_descending { Direction::Descending } else { Direction::Ascending };
        if range.is_descending {
            expected.reverse();
        }
        let bounds = (range.lower.clone(), range.upper.clone());
        let keyspace = self.handles()?.keyspaces[range.keyspace].clone();
        let result = snapshot.scan(&keyspace, bounds, direction);
        let Some(mut scan) = self.judge("scan", result, false)? else { return Ok(()) };
        let mut seek = range.seek.clone();
        let mut read = 0;
        let mut rest = expected.as_slice();
        loop {
            if let Some((_, key)) = seek.take_if(|(after, _)| read >= *after) {
                if self.judge("seek", scan.seek(&key), false)?.is_none() {
                    return Ok(());
                }
                let is_before = |found: &std::sync::Arc<[u8]>| {
                    if range.is_descending { **found > *key } else { **found < *key }
                };
                rest = &expected[expected.iter().take_while(|(found, _)| is_before(found)).count()..];
            }
            let Some(found) = self.judge("next", scan.next_many(range.step), false)? else {
                // Nothing is skipped after an error.
                return if scan.next_many(1).is_err() {
                    Ok(())
                } else {
                    Err("a failed scan went on".to_owned())
                };
            };
            self.hash.add(&found.len());
            let count = range.step.min(rest.len());
            same("entries of a scan", &shown(&found), &shown(&rest[..count]))?;
            same("values of a scan", &found.as_slice(), &&rest[..count])?;
            rest = &rest[count..];
            read += count;
            if found.len() < range.step {
                return Ok(());
            }
        }
    }

    fn trim(&mut self, stream: usize, place: u64) -> Verdict {
        let before = self.model.position() * place / 16;
        let result = self.handles()?.streams[stream].trim(Position(before));
        let trims = &mut self.trims[stream];
        let mut reached: BTreeSet<u64> = trims.iter().map(|trim| before.max(*trim)).collect();
        reached.insert(before);
        if result.is_err() {
            trims.extend(reached);
        } else {
            *trims = reached;
            self.durable = self.durable.max(before);
        }
        self.records.retain(|records| !records.is_of(stream));
        self.judge("trim", result, true).map(drop)
    }

    fn turns(&mut self, count: usize) {
        for _ in 0..count {
            let schedule = &self.schedule;
            let pick = &mut |count| usize::try_from(schedule.below(count as u64)).expect("below a usize");
            self.world.turns.run_one(pick);
        }
    }
}

fn batch_of(open: &Open, commit: &Commit) -> Batch {
    let mut batch = Batch::new();
    for operation in commit {
        match operation {
            Operation::Put { keyspace, key, value } => batch.put(&open.keyspaces[*keyspace], key, value),
            Operation::Delete { keyspace, key } => batch.delete(&open.keyspaces[*keyspace], key),
            Operation::DeleteRange { keyspace, start, end } => {
                batch.delete_range(&open.keyspaces[*keyspace], start, end);
            }
            Operation::Append { stream, record } => batch.append(&open.streams[*stream], record),
        }
    }
    batch
}

/// Keys, and the step that wrote each of their values.
fn shown(pairs: &[kv0::Pair]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    pairs.iter().map(|(key, value)| (text(key), text(&value[..value.len().min(6)]))).collect()
}

/// The words by which an error says that the fate of its commit is open, and that no other will follow.
fn says_that_the_log_failed(error: &Error) -> bool {
    error.to_string().contains("the log failed")
}

pub(crate) fn pick<T>(from: &[T], which: usize) -> Option<&T> {
    from.get(which.checked_rem(from.len())?)
}

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Verdict {
    if found == expected {
        return Ok(());
    }
    let cut = |value: &T| format!("{value:?}").chars().take(400).collect::<String>();
    Err(format!("{what}: expected {}, found {}", cut(expected), cut(found)))
}

pub(crate) fn wrong(what: &str) -> impl Fn(Error) -> String + '_ {
    move |error| format!("{what}: {error:?}")
}
