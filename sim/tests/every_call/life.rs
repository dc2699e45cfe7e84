//! The life of the database: every kind of step once, and what may be there after it.

use kv0::{Batch, Db, Direction, Durability, Keyspace, Options, Position, Result, Stream};
use kv0_env::memory::World;

const COMMITS: u64 = 30;
/// This one also deletes a range.
const DELETES: u64 = 20;
const TRIMMED: u64 = 6;

/// How far a life got.
#[derive(Debug, Default, Clone)]
pub(crate) struct Life {
    /// Whether a step that failed is tried once more.
    is_repeated: bool,
    begun: u64,
    acknowledged: u64,
    durable: u64,
    trim_begun: bool,
    trim_done: bool,
}

/// What a database shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct State {
    position: u64,
    numbers: Vec<u64>,
    last: Option<u64>,
    records: Vec<u64>,
}

pub(crate) struct Handles {
    db: Db,
    a: Keyspace,
    b: Keyspace,
    log: Stream,
}

/// Opens without keeping any log that is not needed.
pub(crate) fn open(world: &World) -> Result<Handles> {
    let options = Options { changes_retention_bytes: 0, ..Options::default() };
    let db = Db::open_in(world.env(), options)?;
    let (a, b) = (db.keyspace("a")?, db.keyspace("b")?);
    let log = db.stream("log")?;
    Ok(Handles { db, a, b, log })
}

impl Life {
    pub(crate) fn new(is_repeated: bool) -> Life {
        Life { is_repeated, ..Life::default() }
    }

    pub(crate) fn run(&mut self, world: &World) -> Result<()> {
        let first = self.again(|_| open(world))?;
        self.commits(&first, 12)?;
        self.again(|_| first.db.flush())?;
        self.trim_begun = true;
        self.again(|_| first.log.trim(Position(TRIMMED)))?;
        self.trim_done = true;
        self.durable = self.durable.max(TRIMMED);
        self.commits(&first, DELETES)?;
        first.db.close()?;
        self.durable = self.acknowledged;
        drop(first);
        let second = self.again(|_| open(world))?;
        self.commits(&second, 26)?;
        self.again(|_| second.db.flush())?;
        self.again(|_| second.db.sync())?;
        self.durable = self.acknowledged;
        self.commits(&second, COMMITS)?;
        self.again(|_| second.db.flush())?;
        second.db.close()?;
        self.durable = self.acknowledged;
        Ok(())
    }

    fn again<T>(&self, step: impl Fn(&Life) -> Result<T>) -> Result<T> {
        match step(self) {
            Err(_) if self.is_repeated => step(self),
            other => other,
        }
    }

    /// Commits up to number `last`, every fourth one durably.
    fn commits(&mut self, handles: &Handles, last: u64) -> Result<()> {
        while self.acknowledged < last {
            let number = self.acknowledged + 1;
            self.begun = number;
            let durability = if number.is_multiple_of(4) { Durability::Disk } else { Durability::Os };
            let position = self.again(|_| {
                let mut batch = Batch::new();
                batch.put(&handles.a, format!("{number:03}"), number.to_be_bytes());
                batch.put(&handles.b, "last", number.to_be_bytes());
                batch.append(&handles.log, number.to_be_bytes());
                if number == DELETES {
                    batch.delete_range(&handles.a, "000", "010");
                }
                handles.db.write_with(batch, durability)
            })?;
            assert_eq!(position, Position(number));
            self.acknowledged = number;
            if durability == Durability::Disk {
                self.durable = number;
            }
        }
        Ok(())
    }

    /// What must hold after the process has ended.
    pub(crate) fn check(&self, state: &State, is_complete: bool) {
        self.check_prefix(state, self.acknowledged);
        assert!(!is_complete || state.position == COMMITS);
    }

    pub(crate) fn check_after_a_power_cut(&self, state: &State) {
        self.check_prefix(state, self.durable);
    }

    fn check_prefix(&self, state: &State, least: u64) {
        let State { position, numbers, last, records } = state;
        assert!((least..=self.begun).contains(position), "{position} commits survived of {self:?}");
        let first = if *position >= DELETES { 10 } else { 1 };
        assert_eq!(*numbers, (first..=*position).collect::<Vec<_>>(), "{self:?}");
        assert_eq!(last.unwrap_or(0), *position, "{self:?}");
        let whole: Vec<u64> = (1..=*position).collect();
        let trimmed: Vec<u64> = (TRIMMED + 1..=*position).collect();
        let may_be = [(!self.trim_done, whole), (self.trim_begun, trimmed)];
        assert!(may_be.iter().any(|(may, expected)| *may && expected == records), "{records:?} of {self:?}");
    }
}

/// Opens the database as it is, looks at everything, and ends the process. What is not there yet shows as empty.
pub(crate) fn look(world: &World) -> State {
    let handles = open(world).unwrap_or_else(|error| panic!("open: {error:?}"));
    assert!(handles.db.check().unwrap().is_sound());
    let number = |bytes: &[u8]| u64::from_be_bytes(bytes.try_into().unwrap());
    let scan = handles.a.scan::<&[u8]>(.., Direction::Ascending).unwrap();
    let numbers = scan.map(|pair| number(&pair.unwrap().1)).collect();
    let mut records = handles.log.records(Position::START).unwrap();
    let mut found = Vec::new();
    while let Some((position, record)) = records.next_record().unwrap() {
        assert_eq!(position.0, number(&record));
        found.push(position.0);
    }
    let mut changes = handles.db.changes(handles.db.oldest_position()).unwrap();
    for expected in handles.db.oldest_position().0 + 1..=handles.db.position().0 {
        assert_eq!(changes.next_commit().unwrap().unwrap().position.0, expected);
    }
    let state = State {
        position: handles.db.position().0,
        numbers,
        last: handles.b.get("last").unwrap().map(|value| number(&value)),
        records: found,
    };
    world.kill();
    state
}
