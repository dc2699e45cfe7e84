//! Every damage is found, and none is taken for data.

use super::*;

/// Small, but with everything in it: three blocks (one compressed, one not), a range tombstone, several versions.
fn small() -> Fixture {
    let noise = noise(600);
    let mut entries =
        vec![entry(1, b"k", 9, None), entry(1, b"k", 4, Some(b"old")), entry(1, b"m", 5, Some(&noise))];
    entries.extend((0..20_u8).map(|at| entry(2, &[b'x', at], 3, Some(&[at; 50]))));
    Fixture::new(entries, &[range(1, b"l", Some(b"n"), 4)])
}

/// Reads all that can be read: each answer is right or a `Corrupt` error. Returns whether any was an error.
fn read_all(fixture: &Fixture, expected: &[Entry]) -> bool {
    let mut damaged = false;
    let segment = fixture.segment();
    for of in expected {
        match get(&segment, of.keyspace.0, &of.key, of.version.0) {
            Ok(found) => {
                assert_eq!(found, Some((of.version.0, of.value.as_ref().map(|value| value.to_vec()))));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
                assert!(error.to_string().contains(PATH), "{error}");
                damaged = true;
                let again = get(&segment, of.keyspace.0, &of.key, of.version.0).unwrap_err();
                assert_eq!(again.to_string(), error.to_string(), "reported at each try");
            }
        }
    }
    for forward in [true, false] {
        match walk(fixture.segment(), forward) {
            Ok(entries) => assert_eq!(entries, expected),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
                damaged = true;
            }
        }
    }
    let found = fixture.segment().check();
    assert!(found.iter().all(|error| error.kind() == ErrorKind::Corrupt), "{found:?}");
    assert!(!damaged || !found.is_empty(), "check finds what reading finds");
    !found.is_empty()
}

#[test]
fn each_flipped_byte_is_found() {
    let fixture = small();
    let expected = walk(fixture.segment(), true).unwrap();
    assert!(!read_all(&fixture, &expected));
    let bytes = fixture.bytes();
    let file = fixture.env.files.open_write(PATH).unwrap();
    for at in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            file.write_at(&[bytes[at] ^ mask], at as u64).unwrap();
            assert!(read_all(&fixture, &expected), "byte {at} of {} with {mask:#x}", bytes.len());
        }
        file.write_at(&bytes[at..=at], at as u64).unwrap();
    }
    assert!(!read_all(&fixture, &expected));
}

#[test]
fn each_other_length_is_found() {
    let fixture = small();
    let expected = walk(fixture.segment(), true).unwrap();
    let size = fixture.bytes().len() as u64;
    let file = fixture.env.files.open_write(PATH).unwrap();
    file.set_size(size + 1).unwrap();
    assert!(read_all(&fixture, &expected));
    for length in (0..size).rev() {
        file.set_size(length).unwrap();
        assert!(read_all(&fixture, &expected), "cut to {length}");
    }
    fixture.env.files.remove(PATH).unwrap();
    assert!(read_all(&fixture, &expected), "gone");
}

#[test]
fn blocks_that_changed_places_are_found() {
    let entries: Vec<Entry> =
        (0..4_u32).map(|at| entry(1, &at.to_be_bytes(), 1, Some(&noise(limits::BLOCK_BYTES)))).collect();
    let fixture = Fixture::new(entries.clone(), &[]);
    let bytes = fixture.bytes();
    let length_at = |at: usize| {
        format::FRAME_BYTES + u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize
    };
    let first = format::HEADER_BYTES;
    let length = length_at(first);
    let second = first + length;
    assert_eq!(length_at(second), length, "like values make like blocks");
    let file = fixture.env.files.open_write(PATH).unwrap();
    file.write_at(&bytes[second..second + length], first as u64).unwrap();
    assert!(read_all(&fixture, &entries));
}

#[test]
fn a_segment_that_the_manifest_does_not_mean_is_refused() {
    let fixture = small();
    let mut wrong = vec![fixture.info.clone(); 6];
    wrong[0].footer_checksum ^= 1;
    wrong[1].entries += 1;
    wrong[2].max_version.0 += 1;
    wrong[3].min_key = (KeyspaceId(0), Arc::from([]));
    wrong[4].metadata_offset -= 1;
    wrong[5].size_bytes += 1;
    for info in wrong {
        let segment = fixture.segment_with(info, Arc::new(Cache::new(1 << 20)));
        assert_eq!(segment.statistics().unwrap_err().kind(), ErrorKind::Corrupt);
        assert!(!segment.check().is_empty());
    }
}

#[test]
fn a_newer_format_is_refused_with_the_version_it_needs() {
    let fixture = small();
    let mut footer: [u8; FOOTER_BYTES] = *fixture.bytes().last_chunk().unwrap();
    footer[80..84].copy_from_slice(&(format::FORMAT_VERSION + 1).to_le_bytes());
    let checksum = crc32fast::hash(&footer[..84]);
    footer[84..88].copy_from_slice(&checksum.to_le_bytes());
    let file = fixture.env.files.open_write(PATH).unwrap();
    file.write_at(&footer, fixture.info.size_bytes - FOOTER_BYTES as u64).unwrap();
    let segment = fixture.segment_with(
        SegmentInfo { footer_checksum: checksum, ..fixture.info.clone() },
        Arc::new(Cache::new(1 << 20)),
    );
    let error = get(&segment, 1, b"k", 9).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("version 2 needs a newer version of kv0"), "{error}");
}

#[test]
fn check_finds_sound_blocks_that_contradict_each_other() {
    // Each block is written with a valid checksum; only their contents disagree.
    let fixture = small();
    let footer = format::Footer::decode(fixture.bytes().last_chunk().unwrap()).unwrap().0;
    let bytes = fixture.bytes();
    let at = |handle: format::BlockHandle| {
        bytes[usize::try_from(handle.offset).unwrap()..usize::try_from(handle.end().unwrap()).unwrap()]
            .to_vec()
    };
    let file = fixture.env.files.open_write(PATH).unwrap();
    let (body, keys) =
        format::open_block(at(footer.filter), footer.filter.offset, format::BlockType::Filter).unwrap();
    // Of the same size, since the place is fixed: the bits of as many other keys.
    let other =
        filter::build(&(0..u64::from(keys)).map(|key| filter::hash(&key.to_le_bytes())).collect::<Vec<_>>());
    assert_eq!(other.len(), body.len());
    let mut block = Vec::new();
    let (offset, filter_type) = (footer.filter.offset, format::BlockType::Filter);
    assert_eq!(format::append_block(&mut block, offset, filter_type, keys, &other), footer.filter.length);
    file.write_at(&block, offset).unwrap();
    let found = fixture.segment().check();
    assert!(found.iter().any(|error| error.to_string().contains("not in the filter")), "{found:?}");
}

/// Where the blocks of a file begin and end.
fn blocks(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let mut at = format::HEADER_BYTES;
    while at < bytes.len() - FOOTER_BYTES {
        let stored = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        let end = at + format::FRAME_BYTES + stored;
        blocks.push(at..end);
        at = end;
    }
    blocks
}

/// Does everything that reads the segment; nothing may panic or go on for ever.
fn exercise(fixture: &Fixture, info: SegmentInfo, expected: &[Entry]) {
    let cache = Arc::new(Cache::new(1 << 20));
    let segment = Arc::new(fixture.segment_with(info, cache));
    let mut answers = 0;
    for of in expected {
        answers += usize::from(get(&segment, of.keyspace.0, &of.key, of.version.0).is_ok());
        answers += usize::from(segment.range_tombstone_over(of.keyspace, &of.key, of.version).is_ok());
    }
    for forward in [true, false] {
        let mut cursor = SegmentCursor::new(Arc::clone(&segment));
        let edge = Edge::behind(KeyspaceId(1), b"k");
        let mut going = if forward { cursor.seek(edge) } else { cursor.seek_before(edge) };
        while going.is_ok() && cursor.entry().is_some() {
            answers += usize::from(cursor.value().is_some());
            assert!(answers < 10_000, "the cursor goes on for ever");
            going = if forward { cursor.next() } else { cursor.previous() };
        }
    }
    drop(segment.check());
}

#[test]
fn changed_bytes_with_true_checksums_do_no_harm() {
    let fixture = small();
    let expected = walk(fixture.segment(), true).unwrap();
    let bytes = fixture.bytes();
    for block in blocks(&bytes) {
        for at in block.start + 4..block.end {
            for mask in [0x01, 0x02, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= mask;
                let checksum = format::block_checksum(block.start as u64, &changed[block.clone()]);
                changed[block.start..block.start + 4].copy_from_slice(&checksum.to_le_bytes());
                fixture.world.files.write_all(PATH, &changed).unwrap();
                exercise(&fixture, fixture.info.clone(), &expected);
            }
        }
    }
    let footer = bytes.len() - FOOTER_BYTES;
    for at in footer..footer + 80 {
        for mask in [0x01, 0x02, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            let checksum = crc32fast::hash(&changed[footer..footer + 84]);
            changed[footer + 84..footer + 88].copy_from_slice(&checksum.to_le_bytes());
            fixture.world.files.write_all(PATH, &changed).unwrap();
            let info = SegmentInfo { footer_checksum: checksum, ..fixture.info.clone() };
            exercise(&fixture, info, &expected);
        }
    }
}
