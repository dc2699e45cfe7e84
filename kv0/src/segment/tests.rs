use std::sync::Arc;

use kv0_env::memory::{self, Failure, World};
use kv0_env::{Env, FileSystem};
use proptest::prelude::*;

use super::format::{self, FOOTER_BYTES};
use super::*;
use crate::cache::Cache;
use crate::edge::Edge;
use crate::entry::{Entry, KeyspaceId, RangeTombstone, Version};
use crate::error::{ErrorKind, Result};
use crate::limits;

mod damage;
mod page;

pub(crate) const PATH: &str = "1.seg";

pub(crate) fn entry(keyspace: u32, key: &[u8], version: u64, value: Option<&[u8]>) -> Entry {
    Entry {
        keyspace: KeyspaceId(keyspace),
        key: key.into(),
        version: Version(version),
        value: value.map(Into::into),
    }
}

pub(crate) fn range(keyspace: u32, start: &[u8], end: Option<&[u8]>, version: u64) -> RangeTombstone {
    RangeTombstone {
        keyspace: KeyspaceId(keyspace),
        start: start.into(),
        end: end.map(Into::into),
        version: Version(version),
    }
}

/// Writes a segment of these entries, in any order.
pub(crate) fn write(
    files: &dyn FileSystem,
    path: &str,
    id: u64,
    mut entries: Vec<Entry>,
    tombstones: &[RangeTombstone],
) -> SegmentInfo {
    entries.sort_by(Entry::order);
    let mut writer = SegmentWriter::create(files, path, id).unwrap();
    for entry in &entries {
        writer.add(entry).unwrap();
    }
    for tombstone in tombstones {
        writer.add_range_tombstone(tombstone.clone());
    }
    writer.finish().unwrap()
}

/// Bytes that nothing compresses.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| xxhash_rust::xxh3::xxh3_64(&at.to_le_bytes()).to_le_bytes()[0]).collect()
}

struct Fixture {
    env: Env,
    world: World,
    info: SegmentInfo,
}

impl Fixture {
    fn new(entries: Vec<Entry>, tombstones: &[RangeTombstone]) -> Fixture {
        let (env, world) = memory::env(1);
        let info = write(&*env.files, PATH, 1, entries, tombstones);
        Fixture { env, world, info }
    }

    /// With a cache of its own, so that everything is read from the file.
    fn segment(&self) -> Segment {
        self.segment_with(self.info.clone(), Arc::new(Cache::new(1 << 20)))
    }

    fn segment_with(&self, info: SegmentInfo, cache: Arc<Cache>) -> Segment {
        Segment::new(Arc::clone(&self.env.files), PATH.into(), info, cache)
    }

    fn bytes(&self) -> Vec<u8> {
        self.world.files.read_all(PATH).unwrap()
    }
}

fn get(segment: &Segment, keyspace: u32, key: &[u8], at: u64) -> Result<Option<(u64, Option<Vec<u8>>)>> {
    let found = segment.get(&LookupKey::new(KeyspaceId(keyspace), key), Version(at))?;
    Ok(found.map(|(version, value)| (version.0, value.map(|value| value.bytes().to_vec()))))
}

/// Everything by walking it, either way.
fn walk(segment: Segment, forward: bool) -> Result<Vec<Entry>> {
    let mut cursor = SegmentCursor::new(Arc::new(segment));
    if forward {
        cursor.seek(Edge::before(KeyspaceId(0), b""))?;
    } else {
        cursor.seek_before(Edge::behind(KeyspaceId(u32::MAX), &[0xff; limits::MAX_KEY_BYTES]))?;
    }
    let mut entries = Vec::new();
    while let Some((keyspace, key, version)) = cursor.entry() {
        let value = cursor.value().map(|value| value.bytes().into());
        entries.push(Entry { keyspace, key: key.into(), version, value });
        if forward {
            cursor.next()?;
        } else {
            cursor.previous()?;
        }
    }
    if !forward {
        entries.reverse();
    }
    Ok(entries)
}

/// A few thousand entries over several keyspaces, with several versions of some keys: many blocks.
fn many() -> Vec<Entry> {
    let mut entries = Vec::new();
    for keyspace in [0, 7, 0x0100_0000] {
        for number in 0..1500_u64 {
            let tail = "/".repeat(usize::from(number.to_le_bytes()[0] % 5));
            let key = format!("run/{:03}/metric/{number:05}{tail}", number / 7);
            for version in 0..=number % 3 {
                let value = format!("value {number} {version} {}", "x".repeat(key.len() * 7 % 40));
                let value = (number % 11 != 0).then_some(value.as_bytes());
                entries.push(entry(keyspace, key.as_bytes(), number * 5 + version * 2 + 1, value));
            }
        }
    }
    entries.sort_by(Entry::order);
    entries
}

#[test]
fn everything_written_is_found_by_lookups_and_by_walking_both_ways() {
    let entries = many();
    let fixture = Fixture::new(entries.clone(), &[]);
    let segment = fixture.segment();
    assert!(segment.statistics().unwrap().data_blocks > 10);
    assert_eq!(segment.statistics().unwrap().keys, 4500);
    for (index, of) in entries.iter().enumerate() {
        let expected = Some((of.version.0, of.value.as_ref().map(|value| value.to_vec())));
        assert_eq!(get(&segment, of.keyspace.0, &of.key, of.version.0).unwrap(), expected);
        // A version later is the same, one earlier is the entry that follows, if it has the same key.
        assert_eq!(get(&segment, of.keyspace.0, &of.key, of.version.0 + 1).unwrap(), expected);
        let older =
            entries.get(index + 1).filter(|next| (next.keyspace, &next.key) == (of.keyspace, &of.key));
        let older = older.map(|older| older.version.0);
        let found = get(&segment, of.keyspace.0, &of.key, of.version.0 - 1).unwrap();
        assert_eq!(found.map(|(version, _)| version), older);
    }
    for absent in [&b""[..], b"run", b"run/000/metric/00000x", b"run/000/metric/99999", b"zzz"] {
        assert_eq!(get(&segment, 7, absent, u64::MAX).unwrap(), None);
        assert_eq!(get(&segment, 8, absent, u64::MAX).unwrap(), None);
    }
    assert_eq!(walk(fixture.segment(), true).unwrap(), entries);
    assert_eq!(walk(fixture.segment(), false).unwrap(), entries);
    assert_eq!(fixture.segment().check().len(), 0);
}

#[test]
fn many_versions_of_one_key_span_blocks() {
    let entries: Vec<Entry> = (1..2000)
        .rev()
        .map(|version| entry(1, b"counter", version * 2, Some(&version.to_le_bytes())))
        .collect();
    let fixture = Fixture::new(entries.clone(), &[]);
    let segment = fixture.segment();
    assert!(segment.statistics().unwrap().data_blocks > 2);
    for version in 1..2000_u64 {
        let expected = Some((version * 2, Some(version.to_le_bytes().to_vec())));
        assert_eq!(get(&segment, 1, b"counter", version * 2).unwrap(), expected);
        assert_eq!(get(&segment, 1, b"counter", version * 2 + 1).unwrap(), expected);
    }
    assert_eq!(get(&segment, 1, b"counter", 1).unwrap(), None);
    assert_eq!(walk(fixture.segment(), false).unwrap(), entries);
    assert_eq!(fixture.segment().check().len(), 0);
}

#[test]
fn the_largest_and_the_smallest_of_everything() {
    let long_key = vec![0xff; limits::MAX_KEY_BYTES];
    let mut nearly = long_key.clone();
    nearly[limits::MAX_KEY_BYTES - 1] = 0xfe;
    let noise = noise(1 << 20);
    let entries = vec![
        entry(0, b"", u64::MAX, Some(b"")),
        entry(0, b"", 0, Some(&noise)),
        entry(0, b"\0", 5, None),
        entry(3, &nearly, 2, Some(&noise)),
        entry(3, &long_key, 3, Some(&vec![7; 1 << 20])),
        entry(3, &long_key, 1, Some(b"")),
        entry(u32::MAX, &long_key, 1, Some(b"last")),
    ];
    let fixture = Fixture::new(entries.clone(), &[]);
    assert!(walk(fixture.segment(), true).unwrap() == entries);
    assert!(walk(fixture.segment(), false).unwrap() == entries);
    assert_eq!(fixture.segment().check().len(), 0);
    let segment = fixture.segment();
    for of in &entries {
        let found = get(&segment, of.keyspace.0, &of.key, of.version.0).unwrap().unwrap();
        assert!(found == (of.version.0, of.value.as_ref().map(|value| value.to_vec())));
    }
}

#[test]
fn a_value_over_the_block_size_has_a_block_of_its_own() {
    let large = vec![1; limits::BLOCK_BYTES * 3];
    let entries = vec![
        entry(0, b"a", 1, Some(b"small")),
        entry(0, b"b", 1, Some(&large)),
        entry(0, b"c", 1, Some(b"small")),
    ];
    let fixture = Fixture::new(entries, &[]);
    assert_eq!(fixture.segment().statistics().unwrap().data_blocks, 3);
}

#[test]
fn nothing_is_read_before_the_first_touch_and_a_block_is_read_once() {
    let fixture = Fixture::new(many(), &[]);
    let before = fixture.world.files.operations();
    let cache = Arc::new(Cache::new(8 << 20));
    let segment = fixture.segment_with(fixture.info.clone(), cache);
    assert_eq!(get(&segment, 6, b"between", 9).unwrap(), None, "the filter is not asked yet");
    assert_eq!(get(&segment, 0, b"a", 9).unwrap(), None, "below the smallest key");
    get(&segment, 7, b"run/000/metric/00000", 0).unwrap();
    assert!(get(&segment, 7, b"run/000/metric/00001/", 99).unwrap().is_some());
    let first = fixture.world.files.operations();
    assert!(first > before);
    assert!(get(&segment, 7, b"run/000/metric/00001/", 99).unwrap().is_some());
    assert!(get(&segment, 7, b"run/000/metric/00002//", 99).unwrap().is_some());
    assert_eq!(fixture.world.files.operations(), first, "both in the cached block");
}

#[test]
fn a_read_that_fails_at_any_call_is_tried_again() {
    let fixture = Fixture::new(many(), &[]);
    let mut failures = 0;
    loop {
        let segment = fixture.segment();
        let operation = fixture.world.files.operations() + failures + 1;
        fixture.world.files.fail_at(operation, Failure::once(std::io::ErrorKind::Other));
        let found = get(&segment, 7, b"run/000/metric/00001/", 99);
        fixture.world.files.clear_failures();
        let Err(error) = found else { break };
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(get(&segment, 7, b"run/000/metric/00001/", 99).unwrap().is_some());
        failures += 1;
    }
    assert!(failures >= 3, "opening, metadata and block can fail, {failures} calls did");
}

#[test]
fn a_write_that_fails_at_any_call_makes_no_segment() {
    let (env, world) = memory::env(1);
    let mut failures = 0;
    loop {
        let operation = world.files.operations() + failures + 1;
        world.files.fail_at(operation, Failure::once(std::io::ErrorKind::StorageFull));
        let path = format!("{failures}.seg");
        let result = SegmentWriter::create(&*env.files, &path, failures).and_then(|mut writer| {
            // More than one buffer, so that a write in the middle can fail too.
            for key in 0..4_u32 {
                writer.add(&entry(1, &key.to_be_bytes(), 1, Some(&noise(limits::WRITE_BUFFER_BYTES / 2))))?;
            }
            writer.finish()
        });
        world.files.clear_failures();
        let Err(error) = result else { break };
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        failures += 1;
    }
    assert!(failures >= 4, "creating, two writes and syncing can fail, {failures} calls did");
}

#[test]
fn range_tombstones_come_back_and_widen_the_bounds() {
    let tombstones =
        vec![range(2, b"m", None, 9), range(1, b"a", Some(b"c"), 4), range(1, b"a", Some(b"z"), 4)];
    let fixture = Fixture::new(vec![entry(1, b"b", 3, Some(b"v"))], &tombstones);
    assert_eq!(fixture.info.min_key, (KeyspaceId(1), Arc::from(&b"a"[..])));
    assert_eq!(fixture.info.max_key, (KeyspaceId(3), Arc::from(&b""[..])));
    assert_eq!((fixture.info.min_version, fixture.info.max_version), (Version(3), Version(9)));
    let segment = fixture.segment();
    let read = segment.range_tombstones().unwrap().unwrap();
    assert_eq!(read.to_vec(), [tombstones[1].clone(), tombstones[2].clone(), tombstones[0].clone()]);
    let over = |keyspace, key| segment.range_tombstone_over(KeyspaceId(keyspace), key, Version::MAX).unwrap();
    assert_eq!(over(1, b"x"), Some(Version(4)));
    assert_eq!(over(2, b"zz"), Some(Version(9)));
    assert_eq!(over(2, b"a"), None);
    assert_eq!(fixture.segment().check().len(), 0);

    let only = Fixture::new(vec![], &[range(1, b"a", Some(b"c"), 4)]);
    assert_eq!(only.segment().check().len(), 0);
    assert_eq!(get(&only.segment(), 1, b"b", 9).unwrap(), None);
    assert_eq!(walk(only.segment(), true).unwrap(), []);
    assert_eq!(walk(only.segment(), false).unwrap(), []);
}

#[test]
#[should_panic(expected = "in order")]
fn entries_out_of_order_are_an_error_of_the_program() {
    Fixture::new(vec![entry(0, b"a", 1, None), entry(0, b"a", 1, None)], &[]);
}

fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
    let key = prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0x61), Just(0xff)], 0..6);
    let value = prop::option::weighted(0.8, (0..300_usize, any::<u8>()));
    prop::collection::btree_map((0..3_u32, key, 0..8_u64), value, 0..200).prop_map(|map| {
        let mut entries: Vec<Entry> = map
            .into_iter()
            .map(|((keyspace, key, version), value)| {
                let value = value.map(|(length, byte)| vec![byte; length]);
                entry(keyspace, &key, version, value.as_deref())
            })
            .collect();
        entries.sort_by(Entry::order);
        entries
    })
}

proptest! {
    #[test]
    fn a_segment_is_the_sorted_list_it_was_written_from(
        entries in any_entries(),
        keyspace in 0..4_u32,
        key in prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0x61), Just(0xff)], 0..6),
        at in prop::option::of(0..9_u64),
    ) {
        prop_assume!(!entries.is_empty());
        let fixture = Fixture::new(entries.clone(), &[]);
        prop_assert_eq!(fixture.segment().check().len(), 0);
        prop_assert_eq!(&walk(fixture.segment(), true).unwrap(), &entries);
        prop_assert_eq!(&walk(fixture.segment(), false).unwrap(), &entries);

        let edge = Edge { keyspace: KeyspaceId(keyspace), key: &key, at: at.map(Version) };
        let before = |entry: &Entry| {
            let place = (entry.keyspace, &*entry.key).cmp(&(edge.keyspace, edge.key));
            place.is_lt() || place.is_eq() && edge.at.is_none_or(|at| entry.version > at)
        };
        let split = entries.partition_point(before);
        let mut cursor = SegmentCursor::new(Arc::new(fixture.segment()));
        let here = |cursor: &SegmentCursor| {
            cursor.entry().map(|(keyspace, key, version)| (keyspace, key.to_vec(), version))
        };
        let expected = |index: Option<usize>| {
            index.and_then(|index| entries.get(index)).map(|e| (e.keyspace, e.key.to_vec(), e.version))
        };
        cursor.seek(edge).unwrap();
        prop_assert_eq!(here(&cursor), expected(Some(split)));
        cursor.seek_before(edge).unwrap();
        prop_assert_eq!(here(&cursor), expected(split.checked_sub(1)));

        if let Some(at) = at {
            let found = get(&fixture.segment(), keyspace, &key, at).unwrap();
            let expected = entries.get(split).filter(|e| e.keyspace == edge.keyspace && *e.key == *key);
            prop_assert_eq!(found.map(|(version, _)| version), expected.map(|e| e.version.0));
        }
    }
}
