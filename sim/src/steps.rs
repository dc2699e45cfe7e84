//! The list of steps that a seed makes.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use kv0_env::memory::SeededRandom;
use model::store::{Commit, Operation};

pub(crate) const KEYSPACES: usize = 3;
pub(crate) const STREAMS: usize = 2;

/// What a run shall consist of.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many steps.
    pub steps: usize,
    /// Whether calls fail and the disk gets full.
    pub failures: bool,
    /// Whether processes and machines die.
    pub crashes: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { steps: 150, failures: true, crashes: true }
    }
}

/// One step of a run. Numbers that refer to something that exists are taken modulo how many there are.
#[derive(Debug, Clone)]
pub enum Step {
    /// Commits a batch.
    Write {
        /// What it does.
        commit: Commit,
        /// Whether it is synced before it returns.
        is_durable: bool,
    },
    /// Reads some keys, one by one and together.
    Get {
        /// Where.
        keyspace: usize,
        /// Which.
        keys: Vec<Arc<[u8]>>,
    },
    /// Reads a range.
    Scan(Range),
    /// Takes a snapshot and keeps it.
    TakeSnapshot,
    /// Reads a range of a snapshot that was kept.
    ReadSnapshot(usize, Range),
    /// Gives a snapshot up.
    DropSnapshot(usize),
    /// Begins to follow the changes from some place between the oldest and the newest, in parts of 16.
    Follow(u64),
    /// Begins to read the records of a stream, from the same kind of place.
    Records(usize, u64),
    /// Reads on in a change feed and in a stream.
    ReadOn(usize, usize),
    /// Trims a stream up to a place, in parts of 16.
    Trim(usize, u64),
    /// Writes the memtable out.
    Flush,
    /// Syncs the log.
    Sync,
    /// Gives turns to background work.
    Turns(usize),
    /// Lets time pass, in milliseconds.
    Wait(u64),
    /// Reads every stored byte.
    Check,
    /// Opens another handle for reading beside this one.
    ReadBeside,
    /// Closes, and opens again.
    Reopen,
    /// Lets everything go without closing, and opens again.
    DropAndReopen,
    /// The process dies.
    Kill(Recovery),
    /// The power goes.
    PowerCut(Recovery),
    /// Lets a call fail.
    Fail(Fault),
    /// Leaves so many bytes of the disk free.
    FillDisk(u64),
    /// Ends all faults.
    Mend,
}

/// What happens while the database is opened after a crash.
#[derive(Debug, Clone)]
pub struct Recovery {
    /// Recoveries that are themselves cut short: after how many calls, and whether by a power cut.
    pub interruptions: Vec<(u64, bool)>,
    /// Whether the recovered database dies at once, to be recovered again.
    pub is_repeated: bool,
    /// What the power cuts leave.
    pub seed: u64,
}

/// A call that fails.
#[derive(Debug, Clone)]
pub struct Fault {
    /// How many calls from now.
    pub after: u64,
    /// Whether every call after it fails, too.
    pub lasts: bool,
    /// Bytes that a failing write leaves; `None` leaves nothing, `u64::MAX` does everything and then fails.
    pub effect: Option<u64>,
    /// Whether the error is that of a full disk.
    pub is_full: bool,
}

/// A scan.
#[derive(Debug, Clone)]
pub struct Range {
    /// Where.
    pub keyspace: usize,
    /// Lower bound.
    pub lower: Bound<Arc<[u8]>>,
    /// Upper bound.
    pub upper: Bound<Arc<[u8]>>,
    /// Whether it goes from the greatest key down.
    pub is_descending: bool,
    /// After so many entries, seek here.
    pub seek: Option<(usize, Arc<[u8]>)>,
    /// Read one entry at a time, or this many.
    pub step: usize,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step::Write { commit, is_durable } = self else { return write!(f, "{self:?}") };
        write!(f, "Write{} ", if *is_durable { " durably" } else { "" })?;
        for operation in commit {
            match operation {
                Operation::Put { keyspace, key, value } => {
                    write!(f, "put {keyspace}/{} = {} B; ", text(key), value.len())?;
                }
                Operation::Delete { keyspace, key } => write!(f, "delete {keyspace}/{}; ", text(key))?,
                Operation::DeleteRange { keyspace, start, end } => {
                    write!(f, "delete {keyspace}/{}..{}; ", text(start), text(end))?;
                }
                Operation::Append { stream, record } => write!(f, "append {stream} {} B; ", record.len())?,
            }
        }
        Ok(())
    }
}

fn text(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}

/// The steps of a seed.
pub(crate) fn generate(seed: u64, plan: &Plan) -> Vec<Step> {
    let random = SeededRandom::new(seed ^ 0x73_7465_7073);
    let maker = Maker { big_one_in: [4, 12, 1_000][index(&random, 3)], random };
    (0..plan.steps).map(|number| maker.step(plan, number)).collect()
}

struct Maker {
    random: SeededRandom,
    /// One value of so many is large.
    big_one_in: u64,
}

impl Maker {
    fn step(&self, plan: &Plan, number: usize) -> Step {
        match self.below(100) {
            0..=41 => self.write(number),
            42..=47 => Step::Get { keyspace: self.keyspace(), keys: (0..4).map(|_| self.key()).collect() },
            48..=55 => Step::Scan(self.range()),
            56..=57 => Step::TakeSnapshot,
            58..=60 => Step::ReadSnapshot(self.index(8), self.range()),
            61 => Step::DropSnapshot(self.index(8)),
            62..=63 => Step::Follow(self.below(17)),
            64 => Step::Records(self.index(STREAMS), self.below(17)),
            65..=70 => Step::ReadOn(self.index(8), 1 + self.index(20)),
            71 => Step::Trim(self.index(STREAMS), self.below(17)),
            72..=74 => Step::Flush,
            75..=76 => Step::Sync,
            77..=80 => Step::Turns(1 + self.index(3)),
            81 => Step::Wait(self.below(500)),
            82 => Step::Check,
            83 => Step::ReadBeside,
            84 => Step::Reopen,
            85 => Step::DropAndReopen,
            86..=88 if plan.crashes => Step::Kill(self.recovery()),
            89..=91 if plan.crashes => Step::PowerCut(self.recovery()),
            92..=95 if plan.failures => Step::Fail(self.fault()),
            96 if plan.failures => Step::FillDisk(self.below(200_000)),
            97..=99 => Step::Mend,
            _ => self.write(number),
        }
    }

    fn write(&self, number: usize) -> Step {
        let count = if self.below(3) == 0 { 1 + self.index(8) } else { 1 };
        let commit = (0..count).map(|part| self.operation(number, part)).collect();
        Step::Write { commit, is_durable: self.below(5) == 0 }
    }

    fn operation(&self, number: usize, part: usize) -> Operation {
        let keyspace = self.keyspace();
        match self.below(20) {
            0..=11 => Operation::Put { keyspace, key: self.key(), value: self.value(number, part) },
            12..=14 => Operation::Delete { keyspace, key: self.key() },
            15 => {
                let (one, other) = (self.key(), self.key());
                let (start, mut end) = (one.clone().min(other.clone()), one.max(other).to_vec());
                end.push(0);
                Operation::DeleteRange { keyspace, start, end: Arc::from(end) }
            }
            _ => Operation::Append { stream: self.index(STREAMS), record: self.value(number, part) },
        }
    }

    /// A value that tells which step wrote it.
    fn value(&self, number: usize, part: usize) -> Arc<[u8]> {
        let mut value = format!("{number}.{part}").into_bytes();
        let length = match self.below(self.big_one_in) {
            0 => 20_000 + self.index(100_000),
            _ => self.index(60),
        };
        // Not all the same byte: a torn write must not look whole.
        while value.len() < length {
            value.extend_from_slice(&self.random_bytes());
        }
        Arc::from(value)
    }

    fn random_bytes(&self) -> [u8; 8] {
        use kv0_env::Random;
        self.random.next_u64().to_le_bytes()
    }

    fn key(&self) -> Arc<[u8]> {
        let letters = b"abcdef";
        let length = self.index(4);
        (0..length).map(|_| letters[self.index(if length == 1 { 6 } else { 3 })]).collect()
    }

    fn range(&self) -> Range {
        let bound = || match self.below(4) {
            0 => Bound::Included(self.key()),
            1 => Bound::Excluded(self.key()),
            _ => Bound::Unbounded,
        };
        Range {
            keyspace: self.keyspace(),
            lower: bound(),
            upper: bound(),
            is_descending: self.below(2) == 0,
            seek: (self.below(2) == 0).then(|| (self.index(5), self.key())),
            step: [1, 3, 100][self.index(3)],
        }
    }

    fn recovery(&self) -> Recovery {
        let interruptions =
            (0..[0, 0, 1, 3][self.index(4)]).map(|_| (1 + self.below(40), self.below(2) == 0));
        Recovery {
            interruptions: interruptions.collect(),
            is_repeated: self.below(3) == 0,
            seed: self.below(1 << 32),
        }
    }

    fn fault(&self) -> Fault {
        let effect = match self.below(4) {
            0 => None,
            1 => Some(u64::MAX),
            _ => Some(self.below(2_000)),
        };
        Fault { after: 1 + self.below(25), lasts: self.below(4) == 0, effect, is_full: self.below(3) == 0 }
    }

    fn keyspace(&self) -> usize {
        self.index(KEYSPACES)
    }

    fn below(&self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn index(&self, bound: usize) -> usize {
        index(&self.random, bound)
    }
}

fn index(random: &SeededRandom, bound: usize) -> usize {
    usize::try_from(random.below(bound as u64)).expect("below a usize")
}
