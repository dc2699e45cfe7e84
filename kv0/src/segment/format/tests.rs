use proptest::prelude::*;

use super::*;
use crate::encoding::append_varint;

#[test]
fn a_block_comes_back_compressed_or_not() {
    let noise = crate::segment::tests::noise(5000);
    for (raw, compressed) in
        [(vec![], false), (b"short".to_vec(), false), (vec![7; 5000], true), (noise, false)]
    {
        let mut out = vec![0xaa; 3];
        let length = append_block(&mut out, 77, BlockType::Data, 5, &raw);
        assert_eq!(out.len(), 3 + length as usize);
        assert_eq!((length as usize) < FRAME_BYTES + raw.len(), compressed);
        let block = out[3..].to_vec();
        assert_eq!(open_block(block.clone(), 77, BlockType::Data), Ok((raw, 5)));
        assert!(open_block(block.clone(), 78, BlockType::Data).is_err(), "in another place");
        assert!(open_block(block, 77, BlockType::Index).is_err(), "of another type");
    }
}

#[test]
fn a_length_that_the_file_does_not_bear_out_allocates_nothing() {
    let mut block = Vec::new();
    append_block(&mut block, 0, BlockType::Data, 1, &[7; 5000]);
    block[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let checksum = block_checksum(0, &block);
    block[..4].copy_from_slice(&checksum.to_le_bytes());
    let error = open_block(block, 0, BlockType::Data).unwrap_err();
    assert!(error.contains("compression 1 of 4294967295 bytes"), "{error}");
}

#[test]
fn the_footer_and_the_header_come_back() {
    let handle = |offset| BlockHandle { offset, length: 9 };
    let footer = Footer {
        filter: handle(1),
        index: handle(2),
        range_tombstones: handle(u64::MAX),
        statistics: handle(4),
        levels: INDEX_LEVELS,
    };
    let (bytes, checksum) = footer.encode();
    assert_eq!(Footer::decode(&bytes), Ok((footer, checksum)));
    assert_eq!(check_header(&header()), Ok(()));

    let mut newer = header();
    newer[8] += 1;
    let checksum = crc32fast::hash(&newer[..12]);
    newer[12..].copy_from_slice(&checksum.to_le_bytes());
    assert_eq!(check_header(&newer), Err(Refusal::Newer(FORMAT_VERSION + 1)));
}

proptest! {
    #[test]
    fn varints_come_back(value: u64) {
        let mut bytes = Vec::new();
        append_varint(&mut bytes, value);
        let mut input = Input::new(&bytes);
        prop_assert_eq!(input.varint(), Ok(value));
        prop_assert_eq!(input.end(), Ok(()));
    }

    #[test]
    fn garbage_is_no_block_and_no_footer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(open_block(bytes.clone(), 0, BlockType::Data).is_err());
        if let Some(footer) = bytes.first_chunk() {
            prop_assert!(Footer::decode(footer).is_err());
        }
        if let Some(header) = bytes.first_chunk() {
            prop_assert!(check_header(header).is_err());
        }
        let _any_result_will_do = BlockHandle::decode(&bytes);
        let _any_result_will_do = Input::new(&bytes).varint();
    }

    #[test]
    fn garbage_with_a_true_checksum_is_refused_or_harmless(
        mut bytes in prop::collection::vec(any::<u8>(), FRAME_BYTES..200),
        compression in 0..3_u8,
        raw in 0..2000_u32,
    ) {
        let stored = u32::try_from(bytes.len() - FRAME_BYTES).unwrap();
        bytes[4..8].copy_from_slice(&stored.to_le_bytes());
        bytes[8..12].copy_from_slice(&raw.to_le_bytes());
        bytes[16] = BlockType::Data as u8;
        bytes[17] = compression;
        let checksum = block_checksum(5, &bytes);
        bytes[..4].copy_from_slice(&checksum.to_le_bytes());
        if let Ok((body, _)) = open_block(bytes, 5, BlockType::Data) {
            prop_assert_eq!(body.len(), raw as usize);
        }
    }
}
