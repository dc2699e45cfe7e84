//! A handle for reading while a writer goes on: what the writer collects is no damage.

use kv0::{Db, ErrorKind, Mode, Options, Position};
use kv0_env::memory;

#[test]
fn what_a_writer_collects_is_no_damage_to_a_reader_beside_it() {
    let (env, world) = memory::env(1);
    let options = Options { changes_retention_bytes: 0, ..Options::default() };
    let db = Db::open_in(env, options.clone()).unwrap();
    let (keys, log) = (db.keyspace("keys").unwrap(), db.stream("log").unwrap());
    keys.put("k", "v").unwrap();
    log.append("record").unwrap();
    let reader = Db::open_in(world.env(), Options { mode: Mode::Read, ..options }).unwrap();
    let seen = reader.position();
    let mut changes = reader.changes(Position::START).unwrap();

    log.trim(seen).unwrap();
    keys.put("k", "w").unwrap();
    db.flush().unwrap();
    let has_first_chunk = world.files.files().iter().any(|(name, _)| name.ends_with("/0000000000000001.wal"));
    assert!(!has_first_chunk, "it must be gone, or this shows nothing");

    assert_eq!(changes.next_commit().unwrap_err().kind(), ErrorKind::Trimmed);
    let report = reader.check().unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
    let mut records = reader.stream("log").unwrap().records(Position::START).unwrap();
    assert_eq!(records.next_record().unwrap(), None);
    assert_eq!(reader.keyspace("keys").unwrap().get("k").unwrap().as_deref(), Some(&b"v"[..]));
}
