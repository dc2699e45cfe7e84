use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::merge::{Occasion, SegmentSize, pick};
use super::super::{Opened, RebuildReason, TextField, TextFieldKind, TextIndex};
use super::files::{TestFiles, shared};
use super::{add, empty, fields, open, rows};
use crate::{ErrorKind, Row};

#[test]
fn a_write_is_found_by_the_next_search() {
    let index = empty();
    add(&index, 7, "late night piano");
    assert_eq!(rows(&index, "piano"), [7]);
    add(&index, 7, "early morning harp");
    assert_eq!(rows(&index, "piano"), Vec::<u32>::new());
    assert_eq!(rows(&index, "harp"), [7]);
    add(&index, 7, "early morning harp");
    assert_eq!(rows(&index, "harp"), [7]);
    assert_eq!(index.snapshot().unwrap().len(), 1);
    assert!(index.snapshot().unwrap().contains(Row(7)).unwrap());
    index.remove(Row(7)).unwrap();
    index.remove(Row(7)).unwrap();
    assert_eq!(rows(&index, "harp"), Vec::<u32>::new());
    assert!(!index.snapshot().unwrap().contains(Row(7)).unwrap());
}

#[test]
fn other_fields_mean_a_rebuild_and_other_weights_do_not() {
    let files = TestFiles::new();
    let (index, opened) = open(&files);
    assert_eq!(opened, Opened::Rebuild(RebuildReason::New));
    add(&index, 1, "piano");
    index.checkpoint(9).unwrap();
    drop(index);
    let mut changed = fields();
    changed[0].weight = 7.5;
    let (index, opened) = TextIndex::open(shared(&files), &changed).unwrap();
    assert_eq!((opened, index.position()), (Opened::At(9), 9));
    assert_eq!(rows(&index, "piano"), [1]);
    drop(index);
    changed[0].kind = TextFieldKind::Keywords;
    let (index, opened) = TextIndex::open(shared(&files), &changed).unwrap();
    assert_eq!((opened, index.position()), (Opened::Rebuild(RebuildReason::Outdated), 0));
    assert_eq!(rows(&index, "piano"), Vec::<u32>::new());
    assert_eq!(files.file_names(), Vec::<String>::new());
}

#[test]
fn impossible_fields_are_refused() {
    let field = |name: &str, weight| TextField { name: name.to_owned(), weight, kind: TextFieldKind::Text };
    for fields in [
        vec![field("a", f32::NAN)],
        vec![field("a", 0.0)],
        vec![field("a", 1.0), field("a", 1.0)],
        (0..65).map(|i| field(&format!("f{i}"), 1.0)).collect(),
    ] {
        let error = TextIndex::open(shared(&TestFiles::new()), &fields).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    let error = empty().upsert(Row(0), &[(3, vec!["x"])]).unwrap_err();
    assert_eq!(error.message(), "there is no text field with index 3");
}

#[test]
fn segments_stay_few() {
    let files = TestFiles::new();
    let (index, _) = open(&files);
    for row in 0..200 {
        add(&index, row, &format!("word w{row}"));
        assert_eq!(rows(&index, &format!("w{row}")), [row]);
        let segments = index.snapshot().unwrap().searcher.segment_readers().len();
        assert!(segments <= 8, "{segments} segments");
        if row % 50 == 49 {
            index.checkpoint(u64::from(row)).unwrap();
        }
    }
    assert_eq!(rows(&index, "word").len(), 200);
    // No file is left of segments that were merged away.
    let segments = index.snapshot().unwrap().searcher.segment_readers().len();
    assert!(files.file_names().len() <= segments * 7 + 1, "{:?}", files.file_names());
}

#[test]
fn deleted_documents_leave_the_statistics_at_a_checkpoint() {
    let index = empty();
    for row in 0..100 {
        add(&index, row, "piano");
    }
    index.checkpoint(1).unwrap();
    for row in 0..90 {
        index.remove(Row(row)).unwrap();
    }
    index.checkpoint(2).unwrap();
    let searcher = index.snapshot().unwrap().searcher;
    assert_eq!(searcher.segment_readers().iter().map(|reader| reader.max_doc()).sum::<u32>(), 10);
    assert_eq!(rows(&index, "piano"), (90..100).collect::<Vec<u32>>());
}

#[test]
fn much_at_once_is_written_to_disk_early_and_found() {
    let files = TestFiles::new();
    let (index, _) = open(&files);
    // Random-looking text does not compress: this is more than may be pending.
    let text: Vec<String> =
        (0..100_000_u64).map(|i| format!("w{:x}", i.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    let text = text.join(" ");
    let parts: Vec<&str> =
        text.as_bytes().chunks(900_000).map(|part| str::from_utf8(part).unwrap()).collect();
    for row in 0..60 {
        add(&index, row, &format!("{} row{row}", parts[0]));
    }
    assert_eq!(rows(&index, "row59"), [59]);
    index.checkpoint(3).unwrap();
    let (index, opened) = open(&files.crash());
    assert_eq!(opened, Opened::At(3));
    assert_eq!(rows(&index, "row17"), [17]);
    assert_eq!(index.snapshot().unwrap().len(), 60);
}

fn sizes(docs: &[(u32, u32)]) -> Vec<SegmentSize> {
    docs.iter().map(|&(docs, deleted)| SegmentSize { docs, deleted }).collect()
}

#[test]
fn what_is_merged() {
    assert_eq!(pick(&[], Occasion::Checkpoint), None);
    assert_eq!(pick(&sizes(&[(1, 0); 7]), Occasion::InPassing), None);
    assert_eq!(pick(&sizes(&[(1, 0); 8]), Occasion::InPassing), Some((0..8).collect()));
    // A large segment is not rewritten for small ones.
    let mut mixed = vec![(1_000_000, 0)];
    mixed.extend([(10, 0); 8]);
    assert_eq!(pick(&sizes(&mixed), Occasion::InPassing), Some((1..9).collect()));
    assert_eq!(pick(&sizes(&[(8_000, 0); 8]), Occasion::InPassing), None);
    assert_eq!(pick(&sizes(&[(8_000, 0); 8]), Occasion::Checkpoint), Some((0..8).collect()));
    assert_eq!(pick(&sizes(&[(100, 0), (100, 30)]), Occasion::InPassing), None);
    assert_eq!(pick(&sizes(&[(100, 0), (100, 30)]), Occasion::Checkpoint), Some(vec![1]));
    assert_eq!(pick(&sizes(&[(100, 100)]), Occasion::Checkpoint), Some(vec![0]));
}

proptest! {
    #[test]
    fn merging_ends(docs in prop::collection::vec((1_u32..100_000, 0_u32..100_000), 0..60)) {
        let mut segments = sizes(&docs);
        segments.iter_mut().for_each(|segment| segment.deleted %= segment.docs + 1);
        let most = segments.len();
        for step in 0.. {
            prop_assert!(step <= most);
            let Some(picked) = pick(&segments, Occasion::Checkpoint) else { break };
            let live = picked.iter().map(|&i| segments[i].docs - segments[i].deleted).sum();
            let mut i = 0;
            segments.retain(|_| { i += 1; !picked.contains(&(i - 1)) });
            if live > 0 {
                segments.push(SegmentSize { docs: live, deleted: 0 });
            }
        }
    }
}

proptest! {
    // Each case commits many times.
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_writes_give_what_a_map_gives(
        writes in prop::collection::vec((0_u32..12, prop::option::of(0_usize..5), 0_u8..4), 1..60)
    ) {
        let files = TestFiles::new();
        let (mut index, _) = open(&files);
        let mut model: BTreeMap<u32, usize> = BTreeMap::new();
        let words = ["alpha", "bravo", "candle", "dynamo", "echo"];
        for (row, word, then) in writes {
            match word {
                Some(word) => { add(&index, row, words[word]); model.insert(row, word); }
                None => { index.remove(Row(row)).unwrap(); model.remove(&row); }
            }
            match then {
                0 => for (i, word) in words.iter().enumerate() {
                    let expected: Vec<u32> = model.iter().filter(|(_, w)| **w == i).map(|(r, _)| *r).collect();
                    prop_assert_eq!(rows(&index, word), expected);
                },
                1 => index.checkpoint(1).unwrap(),
                2 => {
                    index.checkpoint(2).unwrap();
                    drop(index);
                    index = open(&files.crash()).0;
                    // The crashed tree is a copy: go on with the original, which has the same content.
                    drop(index);
                    index = open(&files).0;
                }
                _ => {}
            }
        }
    }
}
