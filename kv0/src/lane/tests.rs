use std::sync::Arc;

use kv0_env::memory;
use proptest::prelude::*;

use super::body::{Operation, Operations};
use super::format::{self, ChunkHeader, FRAME_HEADER_BYTES, FrameKind};
use super::{ChunkReader, LaneWriter, Tail, chunk_number, chunk_path};
use crate::entry::{KeyspaceId, StreamId};
use crate::error::ErrorKind;

const LANE: u64 = 7;

fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; FRAME_HEADER_BYTES];
    frame.extend_from_slice(body);
    frame
}

/// A lane with `count` commits, of which the first `synced` were synced one by one.
fn lane(count: u64, synced: u64) -> (kv0_env::Env, memory::World, LaneWriter) {
    let (env, world) = memory::env(1);
    let mut writer = LaneWriter::create(Arc::clone(&env.files), Arc::clone(&env.random), LANE, 1).unwrap();
    for sequence in 1..=count {
        writer.append(sequence, &mut frame(format!("commit {sequence}").as_bytes())).unwrap();
        if sequence <= synced {
            writer.sync().unwrap();
        }
    }
    (env, world, writer)
}

fn sequences(reader: &mut ChunkReader) -> Vec<u64> {
    let mut found = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        found.push(frame.header.sequence);
    }
    found
}

fn open(env: &kv0_env::Env) -> crate::Result<ChunkReader> {
    ChunkReader::open(&*env.files, &chunk_path(LANE, 1), None)
}

#[test]
fn the_page_and_the_code_agree() {
    let page = include_str!("../../../docs/format/lane.md");
    for (name, value) in [
        ("CHUNK_MAGIC", "`kv0lane\\0`".to_owned()),
        ("CHUNK_VERSION", format::CHUNK_VERSION.to_string()),
        ("CHUNK_HEADER_BYTES", format::CHUNK_HEADER_BYTES.to_string()),
        ("FRAME_HEADER_BYTES", FRAME_HEADER_BYTES.to_string()),
        ("FrameKind::Commit", (FrameKind::Commit as u8).to_string()),
        ("FrameKind::Marker", (FrameKind::Marker as u8).to_string()),
    ] {
        assert!(page.contains(&format!("| `{name}` | {value} |")), "{name} is not {value} on the page");
    }
    let mut body = Vec::new();
    Operation::Put { keyspace: KeyspaceId(1), key: b"k", value: b"v" }.encode(&mut body);
    let example: Vec<String> = body.iter().map(|byte| format!("{byte:02x}")).collect();
    let on_page: Vec<&str> =
        page.lines().find(|line| line.starts_with("01  01")).unwrap().split_whitespace().collect();
    assert_eq!(example, on_page);
    assert_eq!(&format::CHUNK_MAGIC, b"kv0lane\0");
}

#[test]
fn commits_are_read_in_order() {
    let (env, _world, _writer) = lane(20, 0);
    let mut reader = open(&env).unwrap();
    assert_eq!(sequences(&mut reader), (1..=20).collect::<Vec<_>>());
    reader.classify_end().unwrap();
}

#[test]
fn a_tail_cut_at_every_byte_leaves_the_whole_commits() {
    let (env, world, writer) = lane(5, 0);
    let path = chunk_path(LANE, 1);
    let whole = world.files.read_all(&path).unwrap();
    let frame_bytes = (FRAME_HEADER_BYTES + "commit 1".len()) as u64;
    for length in format::CHUNK_HEADER_BYTES as u64..writer.bytes() {
        world.files.write_all(&path, &whole[..usize::try_from(length).unwrap()]).unwrap();
        let mut reader = open(&env).unwrap();
        let complete = (length - format::CHUNK_HEADER_BYTES as u64) / frame_bytes;
        assert_eq!(sequences(&mut reader), (1..=complete).collect::<Vec<_>>(), "cut at {length}");
        reader.classify_end().unwrap();
    }
}

#[test]
fn a_flipped_byte_in_what_was_synced_is_damage() {
    let (env, world, writer) = lane(6, 5);
    let path = chunk_path(LANE, 1);
    let frame_bytes = (FRAME_HEADER_BYTES + "commit 1".len()) as u64;
    // The fifth commit is safe too, as the sixth says; about the sixth nothing is known.
    for offset in format::CHUNK_HEADER_BYTES as u64..writer.bytes() - frame_bytes {
        world.files.flip(&path, offset, 0x10).unwrap();
        let mut reader = open(&env).unwrap();
        let before = sequences(&mut reader).len();
        let error = reader.classify_end().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "offset {offset}");
        let start = format::CHUNK_HEADER_BYTES as u64 + before as u64 * frame_bytes;
        assert!(error.to_string().starts_with(&format!("{path}, offset {start}:")), "{error}");
        world.files.flip(&path, offset, 0x10).unwrap();
    }
}

#[test]
fn a_flipped_byte_in_a_chunk_header_is_found() {
    let (env, world, _writer) = lane(1, 0);
    for offset in 0..format::CHUNK_HEADER_BYTES as u64 {
        world.files.flip(&chunk_path(LANE, 1), offset, 0x01).unwrap();
        assert_eq!(open(&env).unwrap_err().kind(), ErrorKind::Corrupt, "offset {offset}");
        world.files.flip(&chunk_path(LANE, 1), offset, 0x01).unwrap();
    }
}

#[test]
fn noise_after_the_end_is_a_torn_tail() {
    let (env, world, writer) = lane(3, 3);
    let path = chunk_path(LANE, 1);
    let mut bytes = world.files.read_all(&path).unwrap();
    for count in [1, 31, 32, 33, 100, 4096] {
        for fill in [0, 0xff, 0x5a] {
            bytes.truncate(usize::try_from(writer.bytes()).unwrap());
            bytes.resize(bytes.len() + count, fill);
            world.files.write_all(&path, &bytes).unwrap();
            let mut reader = open(&env).unwrap();
            assert_eq!(sequences(&mut reader), [1, 2, 3]);
            reader.classify_end().unwrap();
        }
    }
}

#[test]
fn what_was_cut_does_not_come_back() {
    let (env, world, writer) = lane(4, 0);
    drop(writer);
    let path = chunk_path(LANE, 1);
    let whole = world.files.read_all(&path).unwrap();
    let frame_bytes = FRAME_HEADER_BYTES + "commit 1".len();
    let second = format::CHUNK_HEADER_BYTES + frame_bytes;
    // The second commit is torn, the third and fourth lie whole behind it.
    world.files.flip(&path, second as u64 + 36, 0xff).unwrap();
    let mut reader = open(&env).unwrap();
    assert_eq!(sequences(&mut reader), [1]);
    reader.classify_end().unwrap();
    let tail = Tail {
        header: *reader.header(),
        incarnation: reader.incarnation(),
        bytes: reader.offset(),
        durable_bytes: reader.durable_bytes(),
    };
    let mut writer = LaneWriter::resume(Arc::clone(&env.files), Arc::clone(&env.random), tail).unwrap();
    writer.append(2, &mut frame(b"instead!")).unwrap();
    let mut reader = open(&env).unwrap();
    assert_eq!(sequences(&mut reader), [1, 2]);

    // Even if the disk shows the old frames again, they are of an older incarnation.
    let mut bytes = world.files.read_all(&path).unwrap();
    bytes.extend_from_slice(&whole[bytes.len()..]);
    world.files.write_all(&path, &bytes).unwrap();
    let mut reader = open(&env).unwrap();
    assert_eq!(sequences(&mut reader), [1, 2]);
    reader.classify_end().unwrap();
}

#[test]
fn a_newer_version_is_refused_by_its_number() {
    let (env, world, _writer) = lane(1, 1);
    let path = chunk_path(LANE, 1);
    let mut bytes = world.files.read_all(&path).unwrap();
    bytes[8] = 9;
    let checksum = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&checksum.to_le_bytes());
    world.files.write_all(&path, &bytes).unwrap();
    let error = open(&env).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("format version 9"), "{error}");
}

#[test]
fn a_chunk_is_sealed_before_the_next_one_begins() {
    let (env, world, mut writer) = lane(3, 0);
    let size = writer.bytes();
    writer.rotate(4).unwrap();
    writer.append(4, &mut frame(b"in the second")).unwrap();
    world.power_cut(3);
    let env_after = world.env();
    drop(env);
    let mut first = ChunkReader::open(&*env_after.files, &chunk_path(LANE, 1), None).unwrap();
    assert_eq!(sequences(&mut first), [1, 2, 3]);
    let second = ChunkReader::open(&*env_after.files, &chunk_path(LANE, 2), None).unwrap();
    assert_eq!(second.header().previous_bytes, size);
    assert_eq!(second.header().first_sequence, 4);
}

#[test]
fn names_of_chunks() {
    assert_eq!(chunk_number("0000000000000012.wal"), Some(12));
    for name in ["12.wal", "0000000000000012.wal.tmp", "000000000000001x.wal", "+000000000000012.wal", "LOCK"]
    {
        assert_eq!(chunk_number(name), None, "{name}");
    }
}

fn operations() -> impl Strategy<Value = Vec<(u8, u32, Vec<u8>, Vec<u8>)>> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..20);
    proptest::collection::vec((1u8..=4, any::<u32>(), bytes(), bytes()), 0..20)
}

fn operation(of: &(u8, u32, Vec<u8>, Vec<u8>)) -> Operation<'_> {
    let (kind, id, first, second) = of;
    match kind {
        1 => Operation::Put { keyspace: KeyspaceId(*id), key: first, value: second },
        2 => Operation::Delete { keyspace: KeyspaceId(*id), key: first },
        3 => Operation::DeleteRange { keyspace: KeyspaceId(*id), start: first, end: second },
        _ => Operation::Append { stream: StreamId(*id), record: first },
    }
}

proptest! {
    #[test]
    fn operations_come_back_as_they_were(list in operations()) {
        let mut body = Vec::new();
        for of in &list {
            operation(of).encode(&mut body);
        }
        let read: Vec<Operation<'_>> = Operations::new(&body).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read, list.iter().map(operation).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_as_operations_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let read: Vec<_> = Operations::new(&bytes).collect();
        prop_assert!(read.len() <= bytes.len() + 1);
        prop_assert!(read.iter().rev().skip(1).all(Result::is_ok), "after an error nothing comes");
    }

    #[test]
    fn any_bytes_as_a_chunk_end(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let (env, world) = memory::env(1);
        let header = ChunkHeader { lane: LANE, number: 1, nonce: 5, first_sequence: 1, previous_bytes: 0 };
        let mut file = header.encode().to_vec();
        file.extend_from_slice(&bytes);
        world.files.write_all(&chunk_path(LANE, 1), &file).unwrap();
        let mut reader = open(&env).unwrap();
        prop_assert!(sequences(&mut reader).is_empty());
        reader.classify_end().unwrap();
    }
}

/// The system reports a failed sync once. Another thread that syncs the same file right after must not believe it.
#[test]
fn a_sync_that_failed_elsewhere_fails_the_next_one_too() {
    let (_env, world, mut writer) = lane(2, 0);
    let (shared, ..) = writer.sync_target();
    world.files.fail_at(world.files.operations() + 1, memory::Failure::once(std::io::ErrorKind::Other));
    shared.sync().unwrap_err();
    let asked = world.files.operations();
    assert!(writer.rotate(3).is_err(), "a chunk that was not synced must not be sealed");
    assert!(writer.is_broken());
    assert_eq!(world.files.operations(), asked, "asking again proves nothing");
}
