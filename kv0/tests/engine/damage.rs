//! Every byte of a small database changed, every file cut and extended: right data, or an error that says what is wrong.

use std::sync::Arc;

use kv0::{Batch, Commit, Db, Direction, Durability, Error, ErrorKind, Options, Position, Result};
use kv0_env::memory::World;

use crate::{Pairs, open, reopen};

const MASKS: [u8; 3] = [0x01, 0x80, 0xff];
/// Commits of the small database; the newest one is large enough to be torn.
const COMMITS: u64 = 14;

/// A database with a segment, a sealed chunk, a growing one, two keyspaces and a stream.
fn small(is_closed: bool) -> World {
    let (db, world) = open();
    let (a, b, log) = (db.keyspace("a").unwrap(), db.keyspace("b").unwrap(), db.stream("log").unwrap());
    for number in 1..=COMMITS {
        let mut batch = Batch::new();
        batch.put(&a, format!("{number:02}"), format!("value {number}"));
        batch.append(&log, format!("record {number}"));
        match number {
            4 => batch.delete(&a, "02"),
            5 => batch.delete_range(&a, "03", "04"),
            9 => batch.put(&b, "only", "one"),
            _ => {}
        }
        db.write_with(batch, if number == 12 { Durability::Disk } else { Durability::Os }).unwrap();
        if number == 7 {
            db.flush().unwrap();
        }
    }
    if is_closed {
        db.close().unwrap();
    } else {
        world.kill();
    }
    world
}

/// All that a database shows.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    position: u64,
    ascending: Pairs,
    descending: Pairs,
    values: Vec<Option<Arc<[u8]>>>,
    changes: Vec<Commit>,
    records: Vec<(u64, Vec<u8>)>,
}

/// Reads everything in every way. Each way may fail by itself; none may be wrong.
fn read(db: &Db, results: &mut Vec<Result<()>>, expected: Option<&Content>) -> Content {
    let mut content = Content {
        position: db.position().0,
        ascending: Vec::new(),
        descending: Vec::new(),
        values: Vec::new(),
        changes: Vec::new(),
        records: Vec::new(),
    };
    let (a, log) = match (db.keyspace("a"), db.stream("log")) {
        (Ok(a), Ok(log)) => (a, log),
        (a, log) => {
            results.extend([a.map(drop), log.map(drop)]);
            return content;
        }
    };
    for direction in [Direction::Ascending, Direction::Descending] {
        let scan = a.scan::<&[u8]>(.., direction);
        let pairs = scan.and_then(|scan| {
            scan.map(|pair| pair.map(|(key, value)| (key.to_vec(), value.to_vec()))).collect::<Result<_>>()
        });
        match (pairs, direction) {
            (Ok(pairs), Direction::Ascending) => content.ascending = pairs,
            (Ok(pairs), Direction::Descending) => content.descending = pairs,
            (Err(error), direction) => {
                let expected = expected.expect("only what was damaged fails");
                match direction {
                    Direction::Ascending => content.ascending.clone_from(&expected.ascending),
                    Direction::Descending => content.descending.clone_from(&expected.descending),
                }
                results.push(Err(error));
            }
        }
    }
    for number in 1..=COMMITS {
        let value = a.get(format!("{number:02}"));
        let index = usize::try_from(number - 1).unwrap();
        content.values.push(value.unwrap_or_else(|error| {
            results.push(Err(error));
            expected.expect("only what was damaged fails").values[index].clone()
        }));
    }
    let changes = read_changes(db, &mut content.changes);
    let records = read_records(&log, &mut content.records);
    if let (true, Some(expected)) = (changes.is_err(), expected) {
        assert_eq!(content.changes, expected.changes[..content.changes.len()]);
        content.changes.clone_from(&expected.changes);
    }
    if let (true, Some(expected)) = (records.is_err(), expected) {
        assert_eq!(content.records, expected.records[..content.records.len()]);
        content.records.clone_from(&expected.records);
    }
    results.extend([changes, records, db.check().map(drop)]);
    content
}

fn read_changes(db: &Db, into: &mut Vec<Commit>) -> Result<()> {
    let mut changes = db.changes(db.oldest_position())?;
    while let Some(commit) = changes.next_commit()? {
        into.push(commit);
    }
    Ok(())
}

fn read_records(log: &kv0::Stream, into: &mut Vec<(u64, Vec<u8>)>) -> Result<()> {
    let mut records = log.records(Position::START)?;
    while let Some((position, record)) = records.next_record()? {
        into.push((position.0, record.to_vec()));
    }
    Ok(())
}

fn whole(world: &World) -> Content {
    let fork = World::with_files(world.files.fork(), 1);
    let mut results = Vec::new();
    let content = read(&reopen(&fork).unwrap(), &mut results, None);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(content.position, COMMITS);
    content
}

fn is_of_a_right_kind(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Invalid)
}

/// Opens a damaged copy and reads it. `None` if it was refused.
fn read_damaged(world: &World, expected: &Content, what: &str) -> Option<Content> {
    let mut results = Vec::new();
    let content = match reopen(world) {
        Ok(db) => Some(read(&db, &mut results, Some(expected))),
        Err(error) => {
            results.push(Err(error));
            None
        }
    };
    for error in results.into_iter().filter_map(Result::err) {
        assert!(is_of_a_right_kind(&error), "{what}: {error:?}");
    }
    content
}

fn flip_every_byte(is_closed: bool, judge: impl Fn(Content, &Content, &str)) {
    let world = small(is_closed);
    let expected = whole(&world);
    for (path, size) in world.files.files() {
        for offset in 0..size {
            for mask in MASKS {
                let fork = World::with_files(world.files.fork(), 1);
                fork.files.flip(&path, offset, mask).unwrap();
                let what = format!("{path}, byte {offset} changed by {mask:#x}");
                if let Some(content) = read_damaged(&fork, &expected, &what) {
                    judge(content, &expected, &what);
                }
            }
        }
    }
}

#[test]
fn a_changed_byte_after_a_clean_close_is_found_or_harmless() {
    flip_every_byte(true, |content, expected, what| assert_eq!(content, *expected, "{what}"));
}

/// Without a clean close, what was never synced may be cut off as a torn tail; the rest as above.
#[test]
fn a_changed_byte_after_a_crash_costs_at_most_what_was_not_synced() {
    flip_every_byte(false, |content, expected, what| {
        assert!((12..=COMMITS).contains(&content.position), "{what}: {}", content.position);
        if content.position == COMMITS {
            assert_eq!(content, *expected, "{what}");
        }
        let kept = usize::try_from(content.position).unwrap();
        assert_eq!(content.changes, expected.changes[..kept], "{what}");
    });
}

fn last_chunk(world: &World) -> String {
    world.files.files().into_iter().map(|(path, _)| path).rfind(|path| path.ends_with(".wal")).unwrap()
}

#[test]
fn a_log_cut_within_its_last_record_opens_with_all_before_it() {
    let world = small(false);
    let (path, expected) = (last_chunk(&world), whole(&world));
    let bytes = world.files.read_all(&path).unwrap();
    let shortest = {
        let fork = World::with_files(world.files.fork(), 1);
        let db = reopen(&fork).unwrap();
        let before = fork.files.read_all(&path).unwrap().len();
        db.keyspace("a").unwrap().put("new", "value 14").unwrap();
        let frame = fork.files.read_all(&path).unwrap().len() - before;
        bytes.len() - frame
    };
    for size in shortest..bytes.len() {
        let fork = World::with_files(world.files.fork(), 1);
        fork.files.write_all(&path, &bytes[..size]).unwrap();
        let content = read_damaged(&fork, &expected, &format!("cut to {size}")).expect("a torn tail opens");
        assert_eq!(content.position, COMMITS - 1);
        assert_eq!(content.changes, expected.changes[..content.changes.len()]);
    }
}

#[test]
fn zeros_and_noise_behind_the_log_are_cut_off() {
    for is_closed in [true, false] {
        let world = small(is_closed);
        let (path, expected) = (last_chunk(&world), whole(&world));
        let bytes = world.files.read_all(&path).unwrap();
        for more in (1..64).chain((64..=4_096).step_by(97)) {
            for is_noise in [false, true] {
                let fork = World::with_files(world.files.fork(), 1);
                let mut longer = bytes.clone();
                let noise = |at: usize| if is_noise { (at * 167 + at / 7).to_le_bytes()[0] | 1 } else { 0 };
                longer.extend((0..more).map(noise));
                fork.files.write_all(&path, &longer).unwrap();
                let content = read_damaged(&fork, &expected, &format!("{more} more")).expect("it opens");
                assert_eq!(content, expected, "{more} more bytes");
            }
        }
    }
}

/// Any file at any length: no panic, no wrong value, and no error of a wrong kind.
#[test]
fn a_file_of_a_wrong_length_is_found_or_harmless() {
    let world = small(true);
    let (tail, expected) = (last_chunk(&world), whole(&world));
    for (path, _) in world.files.files() {
        let bytes = world.files.read_all(&path).unwrap();
        let mut lengths: Vec<usize> = (0..bytes.len()).collect();
        lengths.extend([bytes.len() + 1, bytes.len() + 700]);
        for length in lengths {
            let fork = World::with_files(world.files.fork(), 1);
            let mut changed = bytes.clone();
            changed.resize(length, 0);
            fork.files.write_all(&path, &changed).unwrap();
            let what = format!("{path} with {length} bytes");
            let Some(content) = read_damaged(&fork, &expected, &what) else { continue };
            if path == tail {
                // The end of a growing log is where its frames end.
                let kept = usize::try_from(content.position).unwrap();
                assert_eq!(content.changes, expected.changes[..kept], "{what}");
            } else {
                assert_eq!(content, expected, "{what}");
            }
        }
    }
}

/// Gives a field a new value and makes the checksum right again.
fn patch(bytes: &mut [u8], at: usize, value: u32, checksum_at: usize, checksum: impl Fn(&[u8]) -> u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    let checksum = checksum(bytes);
    bytes[checksum_at..checksum_at + 4].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn files_of_a_newer_format_are_refused_with_their_version_and_left_alone() {
    let world = small(true);
    for (path, _) in world.files.files() {
        let mut bytes = world.files.read_all(&path).unwrap();
        if path.ends_with(".wal") {
            patch(&mut bytes, 8, 77, 60, |bytes| crc32fast::hash(&bytes[..60]));
        } else if path.starts_with("MANIFEST-") {
            patch(&mut bytes, 8, 77, 12, |bytes| {
                let mut hasher = crc32fast::Hasher::new();
                hasher.update(&bytes[8..12]);
                hasher.update(&bytes[24..]);
                hasher.finalize()
            });
        } else {
            continue;
        }
        let fork = World::with_files(world.files.fork(), 1);
        fork.files.write_all(&path, &bytes).unwrap();
        expect_refused(&fork, "version 77");
    }
}

#[test]
fn a_frame_of_an_unknown_kind_is_not_taken_for_a_torn_tail() {
    let world = small(true);
    let path = last_chunk(&world);
    let mut bytes = world.files.read_all(&path).unwrap();
    // The marker of the clean close is the last frame.
    let offset = bytes.len() - 32;
    let nonce = bytes[32..40].to_vec();
    bytes[offset + 8] = 9;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&nonce);
    hasher.update(&(offset as u64).to_le_bytes());
    hasher.update(&bytes[offset..offset + 4]);
    hasher.update(&bytes[offset + 8..]);
    let checksum = hasher.finalize();
    bytes[offset + 4..offset + 8].copy_from_slice(&checksum.to_le_bytes());
    world.files.write_all(&path, &bytes).unwrap();
    expect_refused(&world, "kind 9");
}

fn expect_refused(world: &World, why: &str) {
    let contents = || -> Vec<(String, Vec<u8>)> {
        let files = world.files.files().into_iter().filter(|(path, _)| path != "LOCK");
        files.map(|(path, _)| (path.clone(), world.files.read_all(&path).unwrap())).collect()
    };
    let before = contents();
    for mode in [kv0::Mode::Exclusive, kv0::Mode::Read] {
        let error = Db::open_in(world.env(), Options { mode, ..Options::default() }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    }
    assert_eq!(contents(), before);
}
