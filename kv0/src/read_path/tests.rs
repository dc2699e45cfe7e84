//! The read path against a model: all entries and range tombstones in plain lists, searched from end to end.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use kv0_env::memory::{self, World};
use proptest::prelude::*;

use super::*;
use crate::cache::Cache;
use crate::entry::{Entry, KeyspaceId, RangeTombstone, Version};
use crate::error::ErrorKind;
use crate::segment::tests::{entry, range, write};
use crate::snapshot::{Direction, Pair};

/// What one source holds.
#[derive(Debug, Clone, Default)]
struct Content {
    entries: Vec<Entry>,
    tombstones: Vec<RangeTombstone>,
}

fn build(memtables: &[Content], segments: &[Content]) -> (ReadView, World) {
    let (env, world) = memory::env(1);
    let cache = Arc::new(Cache::new(4 << 20));
    let memtables = memtables.iter().map(|content| {
        let memtable = Memtable::new();
        content.entries.iter().cloned().for_each(|entry| memtable.insert(entry));
        content.tombstones.iter().cloned().for_each(|tombstone| memtable.insert_range_tombstone(tombstone));
        Arc::new(memtable)
    });
    let memtables = memtables.collect();
    let filled = segments
        .iter()
        .zip(1..)
        .filter(|(content, _)| !content.entries.is_empty() || !content.tombstones.is_empty());
    let segments = filled.map(|(content, id)| {
        let path = format!("{id}.seg");
        let info = write(&*env.files, &path, id, content.entries.clone(), &content.tombstones);
        Arc::new(Segment::new(Arc::clone(&env.files), path, info, Arc::clone(&cache)))
    });
    (ReadView::new(memtables, segments.collect()), world)
}

/// All visible pairs of a keyspace, by the definition.
fn visible(contents: &[Content], keyspace: u32, at: Version) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let keyspace = KeyspaceId(keyspace);
    let mut newest: BTreeMap<Vec<u8>, (Version, Option<Vec<u8>>)> = BTreeMap::new();
    for entry in contents.iter().flat_map(|content| &content.entries) {
        if entry.keyspace != keyspace || entry.version > at {
            continue;
        }
        let place = newest.entry(entry.key.to_vec()).or_insert((entry.version, None));
        if entry.version >= place.0 {
            *place = (entry.version, entry.value.as_ref().map(|value| value.to_vec()));
        }
    }
    let tombstones: Vec<_> = contents.iter().flat_map(|content| &content.tombstones).collect();
    newest
        .into_iter()
        .filter(|(key, (version, _))| {
            !tombstones.iter().any(|t| t.version <= at && t.version > *version && t.covers(keyspace, key))
        })
        .filter_map(|(key, (_, value))| value.map(|value| (key, value)))
        .collect()
}

fn plain((key, value): &Pair) -> (Vec<u8>, Vec<u8>) {
    (key.to_vec(), value.to_vec())
}

fn rest(scan: &mut MergeScan) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut pairs = Vec::new();
    while let Some(pair) = scan.next().unwrap() {
        pairs.push(plain(&pair));
    }
    assert!(scan.next().unwrap().is_none(), "the end stays the end");
    pairs
}

fn any_key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![4 => 0..3_u8, 1 => Just(0xff_u8)], 0..4)
}

fn any_bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![
        any_key().prop_map(Bound::Included),
        any_key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded)
    ]
}

const SOURCES: usize = 6;

/// Memtables and segments whose versions overlap: each (key, version) in one of them, with a value that names it.
fn any_contents() -> impl Strategy<Value = Vec<Content>> {
    let entries = prop::collection::btree_map(
        (0..2_u32, any_key(), 1..40_u64),
        (0..SOURCES, prop::option::weighted(0.8, 0..40_usize)),
        0..250,
    );
    let tombstones = prop::collection::vec(
        (0..SOURCES, 0..2_u32, any_key(), prop::option::of(any_key()), 1..40_u64),
        0..8,
    );
    (entries, tombstones).prop_map(|(entries, tombstones)| {
        let mut contents = vec![Content::default(); SOURCES];
        for ((keyspace, key, version), (source, length)) in entries {
            let value = length.map(|length| format!("{version} of {key:?} {}", "x".repeat(length)));
            contents[source].entries.push(entry(
                keyspace,
                &key,
                version,
                value.as_ref().map(|v| v.as_bytes()),
            ));
        }
        for (source, keyspace, start, end, version) in tombstones {
            contents[source].tombstones.push(range(keyspace, &start, end.as_deref(), version));
        }
        contents
    })
}

fn within(
    map: &BTreeMap<Vec<u8>, Vec<u8>>,
    lower: &Bound<Vec<u8>>,
    upper: &Bound<Vec<u8>>,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let above = |key: &Vec<u8>| match lower {
        Bound::Included(lower) => key >= lower,
        Bound::Excluded(lower) => key > lower,
        Bound::Unbounded => true,
    };
    let below = |key: &Vec<u8>| match upper {
        Bound::Included(upper) => key <= upper,
        Bound::Excluded(upper) => key < upper,
        Bound::Unbounded => true,
    };
    map.iter()
        .filter(|(key, _)| above(key) && below(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn shared(bound: &Bound<Vec<u8>>) -> Bound<Arc<[u8]>> {
    bound.as_ref().map(|key| Arc::from(&key[..]))
}

proptest! {
    #[test]
    fn reads_are_those_of_the_model(
        contents in any_contents(),
        keyspace in 0..3_u32,
        at in prop_oneof![0..42_u64, Just(u64::MAX)],
        lower in any_bound(),
        upper in any_bound(),
        seeks in prop::collection::vec((any_key(), 0..4_usize), 0..6),
    ) {
        let (view, _world) = build(&contents[..2], &contents[2..]);
        let at = Version(at);
        let expected = visible(&contents, keyspace, at);
        let id = KeyspaceId(keyspace);

        let mut keys: Vec<Vec<u8>> = contents.iter().flat_map(|c| &c.entries).map(|e| e.key.to_vec()).collect();
        keys.push(b"absent".to_vec());
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let values = view.multi_get(id, &keys, at).unwrap();
        for (key, value) in keys.iter().zip(values) {
            let found = view.get(id, key, at).unwrap();
            prop_assert_eq!(found.as_deref(), expected.get(*key).map(|value| &value[..]));
            prop_assert_eq!(value, found);
        }

        for direction in [Direction::Ascending, Direction::Descending] {
            let forward = direction == Direction::Ascending;
            let mut pairs = within(&expected, &lower, &upper);
            if !forward {
                pairs.reverse();
            }
            let mut scan = view.scan(id, shared(&lower), shared(&upper), direction, at);
            prop_assert_eq!(rest(&mut scan), pairs.clone());
            for (key, steps) in &seeks {
                scan.seek(key).unwrap();
                let reached = |pair: &(Vec<u8>, Vec<u8>)| if forward { pair.0 >= *key } else { pair.0 <= *key };
                let start = pairs.iter().position(reached).unwrap_or(pairs.len());
                let wanted = &pairs[start..pairs.len().min(start + steps)];
                let many: Vec<_> = scan.next_many(*steps).unwrap().iter().map(plain).collect();
                prop_assert_eq!(&many[..], wanted);
            }
            let mut sought_first = view.scan(id, shared(&lower), shared(&upper), direction, at);
            sought_first.seek(if forward { b"" } else { &[0xff; 9] }).unwrap();
            prop_assert_eq!(rest(&mut sought_first), pairs);
        }
    }
}

/// Two segments of several blocks whose keys interleave.
fn interleaved() -> (ReadView, World) {
    let content = |start: usize| Content {
        entries: (start..600)
            .step_by(2)
            .map(|at| entry(1, format!("key {at:04}").as_bytes(), at as u64 + 1, Some(&[7; 100])))
            .collect(),
        tombstones: vec![],
    };
    build(&[], &[content(0), content(1)])
}

fn whole(view: &ReadView, direction: Direction) -> MergeScan {
    view.scan(KeyspaceId(1), Bound::Unbounded, Bound::Unbounded, direction, Version::MAX)
}

#[test]
fn a_scan_that_met_damage_fails_again_and_recovers_by_a_seek() {
    let (view, world) = interleaved();
    for direction in [Direction::Ascending, Direction::Descending] {
        let sound = rest(&mut whole(&view, direction));
        assert_eq!(sound.len(), 600);
        // In the middle of the data of the second segment, which is not in the cache of the new view.
        let (view, damaged) = interleaved();
        let size = damaged.files.read_all("2.seg").unwrap().len() as u64;
        damaged.files.flip("2.seg", size / 3, 0x10).unwrap();
        let mut scan = whole(&view, direction);
        let mut got = Vec::new();
        let error = loop {
            match scan.next() {
                Ok(pair) => got.push(plain(&pair.expect("the end is not reached"))),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(got, sound[..got.len()], "what came before is right");
        for _ in 0..3 {
            let again = scan.next().unwrap_err();
            assert_eq!((again.kind(), again.to_string()), (error.kind(), error.to_string()));
            assert_eq!(scan.next_many(5).unwrap_err().kind(), ErrorKind::Corrupt);
        }
        scan.seek(&sound[0].0).unwrap();
        assert_eq!(plain(&scan.next().unwrap().unwrap()), sound[0]);
        let last = &sound[599];
        scan.seek(&last.0).unwrap();
        assert_eq!(rest(&mut scan), std::slice::from_ref(last));
    }
    drop(world);
}

#[test]
fn a_failure_among_many_pairs_is_not_taken_for_the_end() {
    let (view, world) = interleaved();
    let size = world.files.read_all("2.seg").unwrap().len() as u64;
    world.files.flip("2.seg", size / 3, 0x10).unwrap();
    let mut scan = whole(&view, Direction::Ascending);
    assert_eq!(scan.next_many(5).unwrap().len(), 5);
    assert_eq!(scan.next_many(usize::MAX).unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(scan.next_many(1).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn a_lookup_opens_no_segment_that_cannot_have_anything_newer() {
    let old = Content { entries: vec![entry(1, b"k", 3, Some(b"old"))], tombstones: vec![] };
    let new = Content { entries: vec![entry(1, b"k", 5, Some(b"new"))], tombstones: vec![] };
    let (view, world) = build(&[], &[old, new]);
    world.files.flip("1.seg", 20, 0xff).unwrap();
    assert_eq!(view.get(KeyspaceId(1), b"k", Version(9)).unwrap().as_deref(), Some(&b"new"[..]));
    assert_eq!(view.get(KeyspaceId(1), b"k", Version(4)).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn what_was_done_last_is_told_with_its_version() {
    let memtable = Content { entries: vec![], tombstones: vec![range(1, b"a", Some(b"m"), 7)] };
    let segment =
        Content { entries: vec![entry(1, b"b", 3, Some(b"v")), entry(1, b"n", 4, None)], tombstones: vec![] };
    let (view, _world) = build(&[memtable], &[segment]);
    let find = |key, at| view.find(KeyspaceId(1), key, Version(at)).unwrap();
    assert_eq!(find(b"b", 9), Some(Found { version: Version(7), value: None }));
    assert_eq!(find(b"b", 6), Some(Found { version: Version(3), value: Some(Arc::from(&b"v"[..])) }));
    assert_eq!(find(b"n", 9), Some(Found { version: Version(4), value: None }));
    assert_eq!(find(b"b", 2), None);
}

#[test]
fn an_entry_of_the_batch_of_a_range_deletion_stays() {
    let both = Content {
        entries: vec![entry(1, b"b", 7, Some(b"kept")), entry(1, b"c", 6, Some(b"gone"))],
        tombstones: vec![range(1, b"", None, 7)],
    };
    let entries = Content { entries: both.entries.clone(), tombstones: vec![] };
    let tombstones = Content { entries: vec![], tombstones: both.tombstones.clone() };
    for (memtables, segments) in [
        (vec![both.clone()], vec![]),
        (vec![], vec![both]),
        (vec![tombstones.clone()], vec![entries.clone()]),
        (vec![entries.clone()], vec![tombstones.clone()]),
        (vec![], vec![tombstones, entries]),
    ] {
        let (view, _world) = build(&memtables, &segments);
        let pairs = rest(&mut whole(&view, Direction::Ascending));
        assert_eq!(pairs, [(b"b".to_vec(), b"kept".to_vec())]);
        assert!(view.get(KeyspaceId(1), b"b", Version(7)).unwrap().is_some());
        assert!(view.get(KeyspaceId(1), b"c", Version(7)).unwrap().is_none());
    }
}
