use proptest::prelude::*;

use super::*;

#[test]
fn range_tombstones_out_of_order_or_too_few_are_refused() {
    let tombstone = |start: &[u8], version| RangeTombstone {
        keyspace: KeyspaceId(1),
        start: start.into(),
        end: None,
        version: Version(version),
    };
    let body = encode_range_tombstones(&[tombstone(b"a", 1), tombstone(b"b", 1)]);
    assert_eq!(decode_range_tombstones(&body, 2).unwrap().len(), 2);
    assert!(decode_range_tombstones(&body, 1).is_err());
    assert!(decode_range_tombstones(&body, 3).is_err());
    assert!(decode_range_tombstones(&body, u32::MAX).is_err());
    let unending = RangeTombstone { keyspace: KeyspaceId(u32::MAX), ..tombstone(b"a", 1) };
    assert!(decode_range_tombstones(&encode_range_tombstones(&[unending]), 1).is_err());
    let body = encode_range_tombstones(&[tombstone(b"b", 1), tombstone(b"a", 1)]);
    assert!(decode_range_tombstones(&body, 2).is_err());
}

proptest! {
    #[test]
    fn garbage_is_refused_or_is_what_it_decodes_to(
        bytes in prop::collection::vec(prop_oneof![0..8_u8, any::<u8>()], 0..120),
        count in 0..4_u32,
    ) {
        if let Ok(statistics) = Statistics::decode(&bytes) {
            prop_assert_eq!(Statistics::decode(&statistics.encode()), Ok(statistics));
        }
        if let Ok(tombstones) = decode_range_tombstones(&bytes, count) {
            let again = decode_range_tombstones(&encode_range_tombstones(&tombstones), count).unwrap();
            prop_assert_eq!(&*again, &*tombstones);
        }
    }
}
