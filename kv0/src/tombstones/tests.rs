use proptest::prelude::*;

use super::*;

fn tombstone(keyspace: u32, start: &[u8], end: Option<&[u8]>, version: u64) -> RangeTombstone {
    RangeTombstone {
        keyspace: KeyspaceId(keyspace),
        start: start.into(),
        end: end.map(Into::into),
        version: Version(version),
    }
}

fn any_tombstone() -> impl Strategy<Value = RangeTombstone> {
    let key = || prop::collection::vec(0..4_u8, 0..3);
    (0..3_u32, key(), prop::option::of(key()), 0..20_u64)
        .prop_map(|(keyspace, start, end, version)| tombstone(keyspace, &start, end.as_deref(), version))
}

proptest! {
    #[test]
    fn a_search_finds_what_looking_at_all_of_them_finds(
        all in prop::collection::vec(any_tombstone(), 0..40),
        keyspace in 0..3_u32,
        key in prop::collection::vec(0..4_u8, 0..4),
        at in 0..22_u64,
    ) {
        let keyspace = KeyspaceId(keyspace);
        let expected = all
            .iter()
            .filter(|t| t.covers(keyspace, &key) && t.version <= Version(at))
            .map(|t| t.version)
            .max();
        let grown = all.iter().cloned().fold(RangeTombstones::default(), |set, t| set.with(t));
        let set = RangeTombstones::new(all);
        prop_assert_eq!(set.newest_over(keyspace, &key, Version(at)), expected);
        prop_assert_eq!(&*grown, &*set);
        prop_assert!(set.is_sorted_by(|a, b| order(a, b).is_le()));
    }
}

#[test]
fn an_open_end_reaches_to_the_end_of_its_keyspace_only() {
    let set = RangeTombstones::new(vec![tombstone(1, b"m", None, 5)]);
    for (keyspace, key, expected) in
        [(1, &b"l"[..], None), (1, b"m", Some(5)), (1, &[0xff; 9], Some(5)), (2, b"m", None), (0, b"m", None)]
    {
        assert_eq!(set.newest_over(KeyspaceId(keyspace), key, Version::MAX), expected.map(Version));
    }
}
