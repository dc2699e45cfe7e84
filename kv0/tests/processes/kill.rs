//! A writing process is killed again and again, at any moment.

use std::path::Path;

use kv0::{Db, Direction, Options, Position};
use kv0_env::memory::SeededRandom;

use crate::parts::{options, value};
use crate::{next_number, start};

const ROUNDS: u64 = 120;

pub(crate) fn open(directory: &Path) -> Db {
    Db::open(directory, options()).unwrap_or_else(|error| panic!("open after a kill: {error:?}"))
}

pub(crate) fn newest(db: &Db) -> u64 {
    let last = db.keyspace("state").unwrap().get("last").unwrap();
    last.map_or(0, |last| u64::from_be_bytes((*last).try_into().unwrap()))
}

#[test]
fn a_hundred_killed_writers_lose_nothing_that_they_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let random = SeededRandom::new(1);
    let mut newest_before = 0;
    for round in 0..ROUNDS {
        let (mut child, mut lines) = start("write", directory.path(), None);
        let mut acknowledged = newest_before;
        // Some are killed while they open, the others somewhere after so many acknowledgements.
        for _ in 0..random.below(120) {
            acknowledged = next_number(&mut lines, "acknowledged").expect("it writes until it is killed");
        }
        child.kill().unwrap();
        while let Some(number) = next_number(&mut lines, "acknowledged") {
            acknowledged = number;
        }
        child.wait().unwrap();
        let db = open(directory.path());
        let newest = newest(&db);
        assert!(newest >= acknowledged, "round {round}: acknowledged {acknowledged}, found {newest}");
        // At most one commit was under way.
        assert!(newest <= acknowledged.max(newest_before) + 1, "round {round}: {acknowledged}, {newest}");
        verify(&db, newest, round % 10 == 9 || round + 1 == ROUNDS);
        newest_before = newest;
        if random.below(2) == 0 {
            db.close().unwrap();
        }
    }
    assert!(newest_before > 1_000, "{newest_before}");
}

fn verify(db: &Db, newest: u64, is_full: bool) {
    assert_eq!(db.position(), Position(newest));
    let puts = db.keyspace("puts").unwrap();
    let from = if is_full { 1 } else { newest.saturating_sub(50).max(1) };
    let scan = puts.scan(from.to_be_bytes().., Direction::Ascending).unwrap();
    let mut expected = from;
    for pair in scan {
        let (key, found) = pair.unwrap();
        assert_eq!(*key, expected.to_be_bytes());
        assert!(*found == value(expected), "value {expected}");
        expected += 1;
    }
    assert_eq!(expected, newest + 1);
    // The records of the last 200 commits are never trimmed.
    let mut records = db.stream("log").unwrap().records(Position(newest.saturating_sub(150))).unwrap();
    for number in newest.saturating_sub(150) + 1..=newest {
        let (position, record) = records.next_record().unwrap().unwrap();
        assert_eq!((position.0, &*record), (number, &number.to_be_bytes()[..]));
    }
    assert_eq!(records.next_record().unwrap(), None);
    if is_full {
        assert!(db.check().unwrap().is_sound());
    }
}

#[test]
fn a_reader_beside_killed_writers_opens_and_sees_whole_commits() {
    let directory = tempfile::tempdir().unwrap();
    for _ in 0..10 {
        let (mut child, mut lines) = start("write", directory.path(), None);
        let mut acknowledged = 0;
        for _ in 0..60 {
            acknowledged = next_number(&mut lines, "acknowledged").unwrap();
            if acknowledged.is_multiple_of(20) {
                let options = Options { mode: kv0::Mode::Read, ..options() };
                let reader = Db::open(directory.path(), options).unwrap();
                let newest = newest(&reader);
                assert!(newest >= acknowledged);
                let put = reader.keyspace("puts").unwrap().get(newest.to_be_bytes()).unwrap();
                assert_eq!(put.as_deref(), Some(&*value(newest)));
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(newest(&open(directory.path())) >= acknowledged);
    }
}
