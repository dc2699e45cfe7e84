//! What the other process does.

use std::io::Write;
use std::path::{Path, PathBuf};

use kv0::{Batch, Db, Direction, Durability, Options, Position};

pub(crate) const PART: &str = "KV0_TEST_PART";
pub(crate) const DIRECTORY: &str = "KV0_TEST_DIRECTORY";

/// Plays the part that the environment names; by itself, a short one.
#[test]
fn a_process_with_a_part() {
    let Ok(part) = std::env::var(PART) else {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), Some(50));
        assert_eq!(super::kill::newest(&super::kill::open(directory.path())), 50);
        return;
    };
    let directory = PathBuf::from(std::env::var_os(DIRECTORY).unwrap());
    match part.as_str() {
        "write" => write(&directory, None),
        "hold" => hold(&directory),
        "many files" => many_files(&directory),
        part => panic!("no part {part}"),
    }
}

fn say(word: &str, number: u64) {
    let mut out = std::io::stdout().lock();
    // Who read this is gone when this fails.
    writeln!(out, "{word} {number}").and_then(|()| out.flush()).unwrap();
}

/// Small, so that there are flushes in every life.
pub(crate) fn options() -> Options {
    Options { memory_budget: 1 << 20, changes_retention_bytes: 1 << 20, ..Options::default() }
}

/// Goes on where the last process was: commit after commit, each a put, a put over an old key, and a record.
fn write(directory: &Path, until: Option<u64>) {
    let db = Db::open(directory, options()).unwrap();
    let (puts, state) = (db.keyspace("puts").unwrap(), db.keyspace("state").unwrap());
    let log = db.stream("log").unwrap();
    let last = state.get("last").unwrap();
    let mut number = last.map_or(0, |last| u64::from_be_bytes((*last).try_into().unwrap()));
    while until != Some(number) {
        number += 1;
        let mut batch = Batch::new();
        batch.put(&puts, number.to_be_bytes(), value(number));
        batch.put(&state, "last", number.to_be_bytes());
        batch.append(&log, number.to_be_bytes());
        let durability = if number.is_multiple_of(64) { Durability::Disk } else { Durability::Os };
        let position = db.write_with(batch, durability).unwrap();
        assert_eq!(position, Position(number));
        if number.is_multiple_of(500) {
            log.trim(Position(number - 200)).unwrap();
        }
        say("acknowledged", number);
    }
    db.close().unwrap();
}

pub(crate) fn value(number: u64) -> Vec<u8> {
    let length = 20 + number * 7_919 % 3_000;
    (0..length).map(|at| (number + at).to_le_bytes()[0]).collect()
}

fn hold(directory: &Path) {
    let _db = Db::open(directory, options()).unwrap();
    say("open", 1);
    // Until it is killed.
    loop {
        std::thread::park();
    }
}

/// Far more files than this process may have open.
fn many_files(directory: &Path) {
    const ROUNDS: u64 = 90;
    const KEYSPACES: u64 = 50;
    let fill = |db: &Db, round: u64| {
        let log = db.stream("log").unwrap();
        for number in 0..KEYSPACES {
            let keyspace = db.keyspace(&format!("keyspace {number}")).unwrap();
            keyspace.put(round.to_be_bytes(), number.to_be_bytes()).unwrap();
        }
        log.append(round.to_be_bytes()).unwrap();
        db.flush().unwrap();
    };
    let db = Db::open(directory, options()).unwrap();
    (0..ROUNDS).for_each(|round| fill(&db, round));
    drop(db);
    let db = Db::open(directory, options()).unwrap();
    for number in 0..KEYSPACES {
        let keyspace = db.keyspace(&format!("keyspace {number}")).unwrap();
        let scan = keyspace.scan::<&[u8]>(.., Direction::Ascending).unwrap();
        let rounds = scan.map(|pair| u64::from_be_bytes((*pair.unwrap().0).try_into().unwrap()));
        assert!(rounds.eq(0..ROUNDS));
    }
    let mut records = db.stream("log").unwrap().records(Position::START).unwrap();
    for round in 0..ROUNDS {
        assert_eq!(&*records.next_record().unwrap().unwrap().1, round.to_be_bytes());
    }
    assert!(db.check().unwrap().is_sound());
    let stats = db.stats().unwrap();
    say("files", (stats.segments + stats.log_chunks) as u64);
    db.close().unwrap();
}
