use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn entry(keyspace: u32, key: &[u8], version: u64, value: Option<&[u8]>) -> Entry {
    Entry {
        keyspace: KeyspaceId(keyspace),
        key: key.into(),
        version: Version(version),
        value: value.map(Into::into),
    }
}

/// All entries of a keyspace that follow the edge, batch by batch.
fn read_all(
    memtable: &Memtable,
    keyspace: u32,
    from: Bound<Edge<'_>>,
    direction: Direction,
    at: u64,
) -> Vec<MemtableEntry> {
    let (keyspace, at) = (KeyspaceId(keyspace), Version(at));
    let mut all = Vec::new();
    memtable.read_batch(keyspace, from, direction, at, &mut all);
    let mut before = 0;
    while all.len() > before {
        assert!(all.len() - before <= limits::SCAN_BATCH_ENTRIES);
        before = all.len();
        let last = all[before - 1].clone();
        let from = Edge { keyspace, key: &last.key, at: Some(last.version) };
        memtable.read_batch(keyspace, Bound::Excluded(from), direction, at, &mut all);
    }
    all
}

#[test]
fn an_empty_one_knows_that_it_is() {
    let memtable = Memtable::new();
    assert!(memtable.is_empty());
    assert_eq!((memtable.versions(), memtable.bytes()), (None, 0));
    assert_eq!(memtable.get(KeyspaceId(0), b"", Version::MAX), None);
    memtable.insert_range_tombstone(RangeTombstone {
        keyspace: KeyspaceId(0),
        start: Arc::from([]),
        end: None,
        version: Version(0),
    });
    assert!(!memtable.is_empty());
    assert_eq!(memtable.versions(), Some((Version(0), Version(0))));
    assert_eq!(memtable.range_tombstone_over(KeyspaceId(0), b"x", Version(5)), Some(Version(0)));
    assert_eq!(memtable.range_tombstone_over(KeyspaceId(1), b"x", Version(5)), None);
}

#[test]
fn the_same_version_again_replaces_the_first() {
    let memtable = Memtable::new();
    memtable.insert(entry(0, b"k", 4, Some(b"first")));
    memtable.insert(entry(0, b"k", 4, Some(b"second")));
    assert_eq!(
        memtable.get(KeyspaceId(0), b"k", Version(4)),
        Some((Version(4), Some(Arc::from(&b"second"[..]))))
    );
    assert_eq!(memtable.entries().count(), 1);
}

#[test]
fn memory_grows_with_what_is_inserted() {
    let memtable = Memtable::new();
    memtable.insert(entry(0, &[1; 1000], 1, Some(&[2; 5000])));
    assert!((6000..7000).contains(&memtable.bytes()));
    memtable.insert(entry(0, &[1; 1000], 2, None));
    assert!((7000..8000).contains(&memtable.bytes()));
}

#[test]
fn readers_see_what_was_inserted_before_the_bound_was_raised() {
    const COUNT: u64 = 20_000;
    let memtable = Memtable::new();
    let published = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let bound = published.load(Atomic::Acquire);
                    if bound > 0 {
                        let key = (bound % 100).to_be_bytes();
                        let found = memtable.get(KeyspaceId(1), &key, Version(bound)).unwrap();
                        assert_eq!(found, (Version(bound), Some(Arc::from(bound.to_le_bytes()))));
                        let from = Bound::Included(Edge::before(KeyspaceId(1), b""));
                        let mut batch = Vec::new();
                        memtable.read_batch(
                            KeyspaceId(1),
                            from,
                            Direction::Ascending,
                            Version(bound),
                            &mut batch,
                        );
                        assert_eq!(batch.len() as u64, bound.min(limits::SCAN_BATCH_ENTRIES as u64));
                        assert!(batch.is_sorted_by(|a, b| (&a.key, b.version) < (&b.key, a.version)));
                    }
                    if bound == COUNT {
                        break;
                    }
                }
            });
        }
        for version in 1..=COUNT {
            memtable.insert(entry(1, &(version % 100).to_be_bytes(), version, Some(&version.to_le_bytes())));
            published.store(version, Atomic::Release);
        }
    });
    assert_eq!(memtable.entries().count() as u64, COUNT);
}

fn any_key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0xff)], 0..5)
}

proptest! {
    #[test]
    fn it_is_a_sorted_map_of_versions(
        map in prop::collection::btree_map(
            (0..3_u32, any_key(), 0..10_u64), prop::option::of(any::<[u8; 2]>()), 0..400,
        ),
        keyspace in 0..3_u32,
        key in any_key(),
        edge_at in prop::option::of(0..11_u64),
        at in 0..11_u64,
    ) {
        let memtable = Memtable::new();
        for ((keyspace, key, version), value) in &map {
            memtable.insert(entry(*keyspace, key, *version, value.as_ref().map(|value| &value[..])));
        }
        let mut sorted: Vec<Entry> = map
            .iter()
            .map(|((keyspace, key, version), value)| entry(*keyspace, key, *version, value.as_ref().map(|v| &v[..])))
            .collect();
        sorted.sort_by(Entry::order);
        prop_assert_eq!(memtable.entries().collect::<Vec<_>>(), sorted.clone());
        let versions: BTreeMap<u64, ()> = map.keys().map(|(_, _, version)| (*version, ())).collect();
        prop_assert_eq!(
            memtable.versions().map(|(min, max)| (min.0, max.0)),
            versions.first_key_value().map(|(min, ())| (*min, *versions.last_key_value().unwrap().0))
        );

        let expected = map.range((keyspace, key.clone(), 0)..=(keyspace, key.clone(), at)).next_back();
        let found = memtable.get(KeyspaceId(keyspace), &key, Version(at));
        prop_assert_eq!(found.map(|(version, _)| version.0), expected.map(|((_, _, version), _)| *version));

        let edge = Edge { keyspace: KeyspaceId(keyspace), key: &key, at: edge_at.map(Version) };
        let is_before = |entry: &Entry| {
            let order = entry.key[..].cmp(&key);
            order.is_lt() || order.is_eq() && edge.at.is_none_or(|at| entry.version > at)
        };
        let (mut before, behind): (Vec<Entry>, Vec<Entry>) = sorted
            .into_iter()
            .filter(|entry| entry.keyspace == KeyspaceId(keyspace) && entry.version <= Version(at))
            .partition(is_before);
        before.reverse();
        let plain = |entries: Vec<Entry>| -> Vec<MemtableEntry> {
            entries
                .into_iter()
                .map(|Entry { key, version, value, .. }| MemtableEntry { key, version, value })
                .collect()
        };
        let forward = read_all(&memtable, keyspace, Bound::Included(edge), Direction::Ascending, at);
        prop_assert_eq!(forward, plain(behind));
        let backward = read_all(&memtable, keyspace, Bound::Excluded(edge), Direction::Descending, at);
        prop_assert_eq!(backward, plain(before));
    }
}
