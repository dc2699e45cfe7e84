use std::time::Duration;

use kv0::{Change, Db, ErrorKind, Options, Position};
use kv0_env::memory;

use crate::{open, reopen};

#[test]
fn the_feed_has_history_then_what_is_new() {
    let (db, world) = open();
    let a = db.keyspace("a").unwrap();
    for number in 0..10 {
        a.put(format!("{number}"), "v").unwrap();
        if number == 4 {
            db.flush().unwrap();
        }
    }
    db.close().unwrap();
    let db = reopen(&world).unwrap();
    let a = db.keyspace("a").unwrap();
    let mut changes = db.changes(Position::START).unwrap();
    let mut keys = Vec::new();
    while let Some(commit) = changes.next_commit().unwrap() {
        for change in commit.changes {
            let Change::Put { key, .. } = change else { panic!("only puts were made") };
            keys.push(String::from_utf8(key.to_vec()).unwrap());
        }
    }
    assert_eq!(keys, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    assert!(!changes.wait(Duration::ZERO).unwrap());
    a.put("live", "v").unwrap();
    assert!(changes.wait(Duration::ZERO).unwrap());
    assert!(changes.next_commit().unwrap().is_some());

    let mut resumed = db.changes(Position(7)).unwrap();
    assert_eq!(resumed.next_commit().unwrap().unwrap().position, Position(8));
}

#[test]
fn records_stay_until_they_are_trimmed() {
    let (env, _world) = memory::env(1);
    let options = Options { changes_retention_bytes: 0, memory_budget: 1 << 20, ..Options::default() };
    let db = Db::open_in(env, options).unwrap();
    let (keys, log) = (db.keyspace("keys").unwrap(), db.stream("log").unwrap());
    for number in 0..100 {
        log.append(format!("{number}")).unwrap();
        keys.put(format!("{number}"), vec![1; 10_000]).unwrap();
    }
    db.flush().unwrap();
    let read = |from| {
        let mut records = log.records(from).unwrap();
        let mut found = Vec::new();
        while let Some((position, record)) = records.next_record().unwrap() {
            found.push((position, String::from_utf8(record.to_vec()).unwrap()));
        }
        found
    };
    let all = read(Position::START);
    assert_eq!(
        all.iter().map(|(_, record)| record.parse::<u32>().unwrap()).collect::<Vec<_>>(),
        (0..100).collect::<Vec<_>>()
    );
    let log_bytes = db.stats().unwrap().log_bytes;

    log.trim(all[59].0).unwrap();
    keys.put("one more", "to flush").unwrap();
    db.flush().unwrap();
    assert_eq!(read(Position::START), all[60..]);
    assert!(db.stats().unwrap().log_bytes < log_bytes, "the space of trimmed records is freed");
    let error = db.changes(Position::START).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Trimmed);
    assert!(db.changes(db.oldest_position()).unwrap().next_commit().unwrap().is_some());
    assert_eq!(log.trim(Position(100_000)).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_position_ahead_of_the_log_is_refused() {
    let (db, _world) = open();
    assert_eq!(db.changes(Position(5)).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_stream_alone_does_not_make_reopening_slow() {
    let (env, world) = memory::env(1);
    let options = Options { memory_budget: 1 << 20, ..Options::default() };
    let db = Db::open_in(env, options.clone()).unwrap();
    let log = db.stream("log").unwrap();
    for _ in 0..2_000 {
        log.append([7; 1_000]).unwrap();
    }
    db.close().unwrap();
    let before = world.files.operations();
    let db = Db::open_in(world.env(), options).unwrap();
    let reads = world.files.operations() - before;
    assert!(reads < 60, "{reads} calls to open after 2 MB of records");
    assert_eq!(db.position().0, 2_000);
}
