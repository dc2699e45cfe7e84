use std::sync::Arc;

use proptest::prelude::*;

use super::super::checkpoint::{CHECKPOINT_FILE, Checkpoint, FileStamp};
use super::super::{Opened, RebuildReason, TextIndex};
use super::files::{TestFiles, shared};
use super::{add, fields, hits, open, rows};
use crate::{ErrorKind, Row};

/// The change feed of these tests: at each position a document is put, changed or removed.
fn apply(index: &TextIndex, position: u64) {
    let row = u32::try_from(position % 13).unwrap();
    if position % 5 == 4 {
        index.remove(Row(row)).unwrap();
    } else {
        add(
            index,
            row,
            &format!("piano p{position} {}", "word ".repeat(usize::try_from(position % 7).unwrap())),
        );
    }
}

/// Positions `0..end` in one go.
fn reference(end: u64) -> TextIndex {
    let (index, _) = open(&TestFiles::new());
    (0..end).for_each(|position| apply(&index, position));
    index
}

fn check_same(index: &TextIndex, expected: &TextIndex, end: u64) {
    assert_eq!(rows(index, "piano"), rows(expected, "piano"));
    for position in 0..end {
        assert_eq!(rows(index, &format!("p{position}")), rows(expected, &format!("p{position}")));
    }
}

#[test]
fn a_crash_between_write_and_checkpoint_is_healed_by_replay() {
    let files = TestFiles::new();
    let (index, _) = open(&files);
    (0..20).for_each(|position| apply(&index, position));
    index.checkpoint(20).unwrap();
    (20..30).for_each(|position| apply(&index, position));
    // A search commits the pending writes; that must not reach the disk.
    assert!(!rows(&index, "piano").is_empty());
    let (index, opened) = open(&files.crash());
    assert_eq!((opened, index.position()), (Opened::At(20), 20));
    check_same(&index, &reference(20), 20);
    // From an earlier position than needed: repeating does no harm.
    (15..30).for_each(|position| apply(&index, position));
    check_same(&index, &reference(30), 30);
}

#[test]
fn a_failure_at_any_call_leaves_one_of_the_two_checkpoints() {
    let mut failed = 0;
    for calls in 0.. {
        let files = TestFiles::new();
        let (index, _) = open(&files);
        (0..20).for_each(|position| apply(&index, position));
        index.checkpoint(20).unwrap();
        (20..40).for_each(|position| apply(&index, position));
        files.fail_after(calls);
        let result = index.checkpoint(40);
        for seed in 0..4 {
            let (recovered, opened) = open(&files.crash_with(seed));
            match &result {
                Ok(()) => assert_eq!(opened, Opened::At(40)),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Unavailable);
                    assert!(matches!(opened, Opened::At(20 | 40)), "{opened:?} after {calls} calls");
                }
            }
            check_same(&recovered, &reference(recovered.position()), 40);
        }
        failed += u64::from(result.is_err());
        // The disk comes back: the same index goes on.
        files.heal();
        check_same(&index, &reference(40), 40);
        index.checkpoint(40).unwrap();
        let (recovered, opened) = open(&files.crash());
        assert_eq!(opened, Opened::At(40));
        check_same(&recovered, &reference(40), 40);
        if result.is_ok() {
            break;
        }
    }
    assert!(failed > 20, "{failed} failures");
}

#[test]
fn what_a_crash_left_behind_is_swept() {
    let files = TestFiles::new();
    let (index, _) = open(&files);
    add(&index, 1, "piano");
    index.checkpoint(5).unwrap();
    drop(index);
    let before = files.file_names();
    files.put("0123456789abcdef.idx", b"half of a segment");
    files.put("checkpoint.new", b"half of a checkpoint");
    let (index, opened) = open(&files);
    assert_eq!(opened, Opened::At(5));
    assert_eq!(files.file_names(), before);
    assert_eq!(rows(&index, "piano"), [1]);
}

#[test]
fn damage_anywhere_means_a_rebuild() {
    let files = TestFiles::new();
    let (index, _) = open(&files);
    (0..20).for_each(|position| apply(&index, position));
    index.checkpoint(20).unwrap();
    drop(index);
    for name in files.file_names() {
        for damage in 0..4 {
            let damaged = files.crash();
            damaged.change(&name, |bytes| match damage {
                0 => bytes[0] ^= 1,
                1 => bytes.truncate(bytes.len() / 2),
                2 => bytes.push(0),
                _ => {
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 0x80;
                }
            });
            let (index, opened) = open(&damaged);
            let Opened::Rebuild(RebuildReason::Damaged(message)) = &opened else {
                panic!("{name}, damage {damage}: {opened:?}");
            };
            assert!(message.contains(&name), "{message}");
            // It is usable at once, and stays so.
            (0..20).for_each(|position| apply(&index, position));
            check_same(&index, &reference(20), 20);
            index.checkpoint(20).unwrap();
            assert_eq!(open(&damaged.crash()).1, Opened::At(20));
        }
    }
}

#[test]
fn a_missing_file_means_a_rebuild() {
    let files = TestFiles::new();
    let (index, _) = open(&files);
    add(&index, 1, "piano");
    index.checkpoint(5).unwrap();
    drop(index);
    for name in files.file_names() {
        let damaged = files.crash();
        shared(&damaged).remove(&name).unwrap();
        let (_, opened) = open(&damaged);
        let new = name == CHECKPOINT_FILE;
        assert!(matches!(
            (opened, new),
            (Opened::Rebuild(RebuildReason::New), true) | (Opened::Rebuild(RebuildReason::Damaged(_)), false)
        ));
    }
}

#[test]
fn garbage_means_a_rebuild_also_with_a_right_checksum() {
    let stamp = FileStamp { name: "nothing.idx".to_owned(), size_bytes: 3, crc32: 1 };
    let built_for = super::super::schema::Fields::new(&fields()).unwrap().built_for();
    for (segments, files) in [
        (b"{}".to_vec(), vec![]),
        (b"not json".to_vec(), vec![]),
        (Vec::new(), vec![stamp.clone()]),
        (Vec::new(), vec![FileStamp { name: "../outside".to_owned(), ..stamp }]),
    ] {
        let checkpoint = Checkpoint { position: 3, built_for: built_for.clone(), segments, files };
        let tree = TestFiles::new();
        tree.put(CHECKPOINT_FILE, &checkpoint.encode().unwrap());
        let (index, opened) = open(&tree);
        assert!(matches!(opened, Opened::Rebuild(RebuildReason::Damaged(_))), "{opened:?}");
        add(&index, 1, "piano");
        assert_eq!(hits(&index, "piano").hits.len(), 1);
    }
}

#[test]
fn the_format_is_the_documented_one() {
    // The example of docs/format/text-checkpoint.md.
    let checkpoint = Checkpoint {
        position: 300,
        built_for: "analyzer 1\ntext title".to_owned(),
        segments: b"{}".to_vec(),
        files: vec![FileStamp { name: "a.idx".to_owned(), size_bytes: 5, crc32: 0x0403_0201 }],
    };
    let bytes = checkpoint.encode().unwrap();
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let page = include_str!("../../../../docs/format/text-checkpoint.md");
    let example: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("    "))
        .flat_map(|line| line.split("  ;").next().unwrap_or_default().split_whitespace())
        .collect();
    assert_eq!(hex, example);
    assert_eq!(Checkpoint::decode(&bytes).unwrap(), checkpoint);
}

proptest! {
    #[test]
    fn any_bytes_are_a_checkpoint_or_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..200), fix in any::<bool>()) {
        prop_assert!(Checkpoint::decode(&bytes).is_err());
        if fix {
            let mut whole = super::super::checkpoint::MAGIC.to_vec();
            whole.append(&mut bytes);
            let crc = crc32fast::hash(&whole);
            whole.extend_from_slice(&crc.to_le_bytes());
            // Whatever it says, it does not panic and does not allocate what it does not have.
            drop(Checkpoint::decode(&whole));
            let tree = TestFiles::new();
            tree.put(CHECKPOINT_FILE, &whole);
            let (_, opened) = open(&Arc::clone(&tree));
            prop_assert!(matches!(opened, Opened::Rebuild(_)));
        }
    }
}
