use proptest::prelude::*;

use super::*;

fn info() -> SegmentInfo {
    SegmentInfo {
        id: 7,
        size_bytes: 5000,
        metadata_offset: 4000,
        entries: 3,
        min_key: (KeyspaceId(1), Arc::from(&b""[..])),
        max_key: (KeyspaceId(2), Arc::from(&b"key"[..])),
        min_version: Version(4),
        max_version: Version(9),
        has_range_tombstones: true,
        footer_checksum: 0xdead_beef,
    }
}

fn encoded(info: &SegmentInfo) -> Vec<u8> {
    let mut bytes = Vec::new();
    info.encode(&mut bytes);
    bytes
}

#[test]
fn an_info_comes_back_and_no_other_length_of_it() {
    let bytes = encoded(&info());
    assert_eq!(SegmentInfo::decode(&bytes), Ok(info()));
    for length in 0..bytes.len() {
        assert!(SegmentInfo::decode(&bytes[..length]).is_err(), "{length}");
    }
    assert!(SegmentInfo::decode(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn an_info_that_no_segment_has_is_refused() {
    let wrong: [fn(&mut SegmentInfo); 6] = [
        |info| info.metadata_offset = 3,
        |info| info.metadata_offset = info.size_bytes,
        |info| info.size_bytes = 0,
        |info| info.max_key.0 = KeyspaceId(0),
        |info| info.min_version = Version(10),
        |info| (info.entries, info.has_range_tombstones) = (0, false),
    ];
    for make_wrong in wrong {
        let mut info = info();
        make_wrong(&mut info);
        assert!(SegmentInfo::decode(&encoded(&info)).is_err(), "{info:?}");
    }
}

proptest! {
    #[test]
    fn garbage_is_refused_or_is_what_it_decodes_to(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        if let Ok(info) = SegmentInfo::decode(&bytes) {
            prop_assert_eq!(SegmentInfo::decode(&encoded(&info)), Ok(info));
        }
    }
}
