//! Many threads at once: what each sees must be a moment that there was.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kv0::{Batch, Change, Db, Direction, Durability, Options, Position};

const WRITERS: usize = 3;
const COMMITS: u64 = 250;

/// Each commit sets the same number in two keyspaces, and one in three is durable.
fn write(db: &Db, writer: usize) {
    let (a, b) = (db.keyspace("a").unwrap(), db.keyspace("b").unwrap());
    let log = db.stream("log").unwrap();
    let writer = writer as u64;
    for number in 1..=COMMITS {
        let value = (0..600).map(|_| number.to_be_bytes()).collect::<Vec<_>>().concat();
        let mut batch = Batch::new();
        batch.put(&a, writer.to_be_bytes(), &value);
        batch.put(&b, writer.to_be_bytes(), &value);
        batch.append(&log, [writer.to_be_bytes(), number.to_be_bytes()].concat());
        let durability = if number.is_multiple_of(3) { Durability::Disk } else { Durability::Os };
        db.write_with(batch, durability).unwrap();
        assert_eq!(
            a.get(writer.to_be_bytes()).unwrap().as_deref(),
            Some(&*value),
            "a writer sees what it wrote"
        );
    }
}

/// Whole commits only, and never back in time.
fn watch(db: &Db, done: &AtomicBool) {
    let (a, b) = (db.keyspace("a").unwrap(), db.keyspace("b").unwrap());
    let mut newest = Position::START;
    while !done.load(Ordering::SeqCst) {
        let snapshot = db.snapshot().unwrap();
        assert!(snapshot.position() >= newest);
        newest = snapshot.position();
        let all = |keyspace, direction| -> Vec<_> {
            snapshot.scan::<&[u8]>(keyspace, .., direction).unwrap().collect::<Result<_, _>>().unwrap()
        };
        let of_a = all(&a, Direction::Ascending);
        let mut of_b = all(&b, Direction::Descending);
        of_b.reverse();
        assert!(of_a == of_b, "half of a commit at {newest:?}");
        for (key, value) in of_a {
            assert_eq!(snapshot.get(&b, &key).unwrap(), Some(value));
        }
    }
}

/// Every commit once, in order, each writer's in its own order.
fn follow(db: &Db) {
    let mut changes = db.changes(Position::START).unwrap();
    let mut last = [0; WRITERS];
    for expected in 1..=WRITERS as u64 * COMMITS {
        let commit = loop {
            match changes.next_commit().unwrap() {
                Some(commit) => break commit,
                None => drop(changes.wait(Duration::from_secs(60)).unwrap()),
            }
        };
        assert_eq!(commit.position, Position(expected));
        let [Change::Put { .. }, Change::Put { .. }, Change::Append { record, .. }] = &commit.changes[..]
        else {
            panic!("{commit:?}");
        };
        let number = |at: usize| u64::from_be_bytes(record[at..at + 8].try_into().unwrap());
        let writer = usize::try_from(number(0)).unwrap();
        last[writer] += 1;
        assert_eq!(number(8), last[writer]);
    }
    assert_eq!(last, [COMMITS; WRITERS]);
}

#[test]
fn writers_readers_followers_and_flushes_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { memory_budget: 1 << 20, ..Options::default() };
    let db = Db::open(directory.path(), options).unwrap();
    for name in ["a", "b"] {
        db.keyspace(name).unwrap();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let db = &db;
                scope.spawn(move || write(db, writer))
            })
            .collect();
        let followers = [scope.spawn(|| follow(&db)), scope.spawn(|| follow(&db))];
        scope.spawn(|| watch(&db, &done));
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                db.flush().unwrap();
                db.sync().unwrap();
                assert!(db.check().unwrap().is_sound());
            }
        });
        let results: Vec<_> = writers.into_iter().chain(followers).map(|thread| thread.join()).collect();
        done.store(true, Ordering::SeqCst);
        assert!(results.iter().all(Result::is_ok));
    });
    db.close().unwrap();
}
