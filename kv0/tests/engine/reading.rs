use std::ops::RangeFull;

use kv0::{Batch, Direction};

use crate::{open, pairs, reopen, text};

#[test]
fn a_batch_over_two_keyspaces_and_a_stream_is_one_commit() {
    let (db, _world) = open();
    let (a, b, log) = (db.keyspace("a").unwrap(), db.keyspace("b").unwrap(), db.stream("log").unwrap());
    let before = db.snapshot().unwrap();
    let mut batch = Batch::new();
    batch.put(&a, "k", "in a");
    batch.put(&b, "k", "in b");
    batch.append(&log, "record");
    let position = db.write(batch).unwrap();
    assert_eq!(db.position(), position);
    assert_eq!(text(a.get("k").unwrap()), Some("in a".to_owned()));
    assert_eq!(text(b.get("k").unwrap()), Some("in b".to_owned()));
    assert_eq!(before.get(&a, "k").unwrap(), None);
    assert_eq!(before.get(&b, "k").unwrap(), None);
    let commit = db.changes(before.position()).unwrap().next_commit().unwrap().unwrap();
    assert_eq!((commit.position, commit.changes.len()), (position, 3));
}

#[test]
fn the_last_change_of_a_key_in_a_batch_counts() {
    let (db, _world) = open();
    let a = db.keyspace("a").unwrap();
    let mut batch = Batch::new();
    batch.put(&a, "x", "1");
    batch.put(&a, "x", "2");
    batch.put(&a, "y", "1");
    batch.delete(&a, "y");
    batch.delete(&a, "z");
    batch.put(&a, "z", "3");
    batch.put(&a, "p", "gone");
    batch.delete_range(&a, "p", "q");
    batch.put(&a, "p2", "after the range");
    db.write(batch).unwrap();
    for _ in 0..2 {
        let found = pairs(a.scan::<&[u8]>(RangeFull, Direction::Ascending).unwrap());
        let expected = [("p2", "after the range"), ("x", "2"), ("z", "3")];
        assert_eq!(found, expected.map(|(key, value)| (key.into(), value.into())));
        db.flush().unwrap();
    }
}

#[test]
fn scans_go_both_ways_and_seek() {
    let (db, _world) = open();
    let a = db.keyspace("a").unwrap();
    for number in 0..300 {
        a.put(format!("{number:03}"), number.to_string()).unwrap();
        if number == 150 {
            db.flush().unwrap();
        }
    }
    let up = pairs(a.scan("010".."290", Direction::Ascending).unwrap());
    let mut down = pairs(a.scan("010".."290", Direction::Descending).unwrap());
    assert_eq!(up.len(), 280);
    down.reverse();
    assert_eq!(up, down);
    let mut scan = a.scan("010".."290", Direction::Ascending).unwrap();
    scan.seek("2").unwrap();
    assert_eq!(&*scan.next().unwrap().unwrap().0, b"200");
    scan.seek("005").unwrap();
    assert_eq!(&*scan.next().unwrap().unwrap().0, b"010");
    assert_eq!(scan.next_many(5).unwrap().len(), 5);
    scan.seek("290").unwrap();
    assert!(scan.next().is_none());
}

#[test]
fn a_snapshot_stays_as_it_was_through_flushes_and_deletes() {
    let (db, _world) = open();
    let a = db.keyspace("a").unwrap();
    for number in 0..50 {
        a.put(format!("{number:02}"), "old").unwrap();
    }
    let snapshot = db.snapshot().unwrap();
    let all = || pairs(snapshot.scan::<&[u8]>(&a, RangeFull, Direction::Ascending).unwrap());
    let before = all();
    for number in 0..50 {
        a.put(format!("{number:02}"), "new").unwrap();
    }
    a.delete_range("10", "20").unwrap();
    assert_eq!(all(), before);
    db.flush().unwrap();
    assert_eq!(all(), before);
    a.delete_range("", "zzz").unwrap();
    db.flush().unwrap();
    assert_eq!(all(), before);
    assert_eq!(pairs(a.scan::<&[u8]>(RangeFull, Direction::Ascending).unwrap()), []);
}

#[test]
fn everything_is_there_after_reopening() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    a.put("", "the empty key").unwrap();
    a.put("flushed", "1").unwrap();
    db.flush().unwrap();
    a.put("in the log", vec![7; 1 << 20]).unwrap();
    a.put("flushed", "").unwrap();
    db.close().unwrap();
    let db = reopen(&world).unwrap();
    let a = db.keyspace("a").unwrap();
    assert_eq!(text(a.get("").unwrap()), Some("the empty key".to_owned()));
    assert_eq!(text(a.get("flushed").unwrap()), Some(String::new()));
    assert_eq!(a.get("in the log").unwrap().map(|value| value.len()), Some(1 << 20));
    assert!(db.check().unwrap().is_sound());
}
