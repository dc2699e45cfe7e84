use proptest::prelude::*;

use super::*;

type Plain<'a> = (&'a [u8], u64, Option<&'a [u8]>);

fn build(entries: &[Plain<'_>]) -> (Vec<u8>, u32) {
    let mut builder = BlockBuilder::default();
    for (key, version, value) in entries {
        builder.add(key, Version(*version), *value);
    }
    builder.finish(|body, count| (body.to_vec(), count))
}

#[test]
fn an_entry_has_the_bytes_of_the_page() {
    let (body, count) = build(&[(b"\0\0\0\x01ab", 7, Some(b"v")), (b"\0\0\0\x01ac", 6, None)]);
    let expected = [
        &7_u64.to_le_bytes()[..],
        // shared, unshared, value of one byte, version + 0
        &[0, 6, 1 << 2 | 1, 0],
        b"\0\0\0\x01abv",
        // shared, unshared, tombstone, version - 1
        &[5, 1, 0, 1],
        b"c",
        &8_u32.to_le_bytes(),
    ];
    assert_eq!((body, count), (expected.concat(), 2));
}

#[test]
fn differences_of_versions_come_back() {
    for difference in [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1000, u64::MAX - 1000] {
        assert_eq!(unzigzag(zigzag(difference)), difference);
    }
    assert_eq!([zigzag(0), zigzag(u64::MAX), zigzag(1), zigzag(u64::MAX - 1)], [0, 1, 2, 3]);
}

#[test]
fn a_builder_starts_afresh_after_a_block() {
    let mut builder = BlockBuilder::default();
    builder.add(b"\0\0\0\0aaaa", Version(3), None);
    builder.finish(|_, _| ());
    builder.add(b"\0\0\0\0aaab", Version(4), Some(b"x"));
    assert_eq!(
        builder.finish(|body, count| (body.to_vec(), count)),
        build(&[(b"\0\0\0\0aaab", 4, Some(b"x"))])
    );
}

/// Uses everything of a block that decoded: nothing may panic, whatever the order of its entries.
fn exercise(block: Block, key: &[u8], at: Version) {
    let limit = block.count() as usize + 1;
    block.find(key, at);
    block.value_from(Target { key, at: None });
    let mut cursor = BlockCursor::new(Arc::new(block));
    for start in [BlockCursor::first, BlockCursor::last] {
        for step in [BlockCursor::next, BlockCursor::previous] {
            start(&mut cursor);
            let mut steps = 0;
            while cursor.entry().is_some() {
                cursor.value();
                step(&mut cursor);
                steps += 1;
                assert!(steps <= limit);
            }
        }
    }
    cursor.seek(Target { key, at: Some(at) });
    cursor.seek_before(Target { key, at: None });
    cursor.entry();
}

proptest! {
    #[test]
    fn garbage_is_refused_or_harmless(
        body in prop::collection::vec(any::<u8>(), 0..80),
        count in 0..20_u32,
        key in prop::collection::vec(any::<u8>(), 0..8),
        at: u64,
    ) {
        if let Ok(block) = Block::decode(body, count, 0) {
            exercise(block, &key, Version(at));
        }
    }

    #[test]
    fn a_block_with_changed_bytes_is_refused_or_harmless(
        mut keys in prop::collection::vec(prop::collection::vec(0..3_u8, 4..8), 1..50),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        key in prop::collection::vec(0..3_u8, 0..8),
        at in 0..50_u64,
    ) {
        keys.sort();
        let entries: Vec<_> = keys.iter().zip(0..).map(|(key, version)| (&key[..], version, Some(&b"val"[..]))).collect();
        let (mut body, count) = build(&entries);
        for (place, byte) in changes {
            let place = place.index(body.len());
            body[place] = byte;
        }
        if let Ok(block) = Block::decode_data(body, count) {
            exercise(block, &key, Version(at));
        }
    }
}
