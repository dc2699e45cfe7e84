use std::collections::BTreeSet;
use std::io;

use super::{Content, MAX_FILE_BYTES, SECTOR_BYTES, Tendency};
use crate::generator::Generator;

/// All states that these many seeds leave of a file.
fn crashes(content: &Content, seeds: u64) -> BTreeSet<Vec<u8>> {
    let crash = |seed| {
        let mut generator = Generator::from_seed(seed);
        let tendency = Tendency::choose(&mut generator);
        let mut crashed = content.clone();
        crashed.power_cut(&mut generator, tendency);
        crashed.bytes().to_vec()
    };
    (0..seeds).map(crash).collect()
}

fn synced(bytes: &[u8]) -> Content {
    let mut content = Content::default();
    content.write_at(bytes, 0).unwrap();
    content.sync();
    content
}

#[test]
fn what_is_synced_has_one_future() {
    let content = synced(&[7; 1500]);
    assert_eq!(crashes(&content, 200), BTreeSet::from([vec![7; 1500]]));
}

#[test]
fn sectors_are_chosen_apart_and_whole() {
    let mut content = synced(&[1; 3 * SECTOR_BYTES]);
    content.write_at(&[2; 3 * SECTOR_BYTES], 0).unwrap();
    let states = crashes(&content, 400);
    for state in &states {
        for sector in state.chunks(SECTOR_BYTES) {
            assert!(sector == [1; SECTOR_BYTES] || sector == [2; SECTOR_BYTES], "a sector tore");
        }
    }
    assert_eq!(states.len(), 8, "every mix of three sectors occurs");
}

#[test]
fn a_sector_may_show_a_write_that_was_overwritten() {
    let mut content = synced(&[1; SECTOR_BYTES]);
    for value in 2..=4 {
        content.write_at(&[value; SECTOR_BYTES], 0).unwrap();
    }
    let firsts: BTreeSet<u8> = crashes(&content, 400).into_iter().map(|state| state[0]).collect();
    assert_eq!(firsts, BTreeSet::from([1, 2, 3, 4]));
}

#[test]
fn the_durable_version_is_never_pushed_out() {
    let mut content = synced(&[1; 8]);
    for value in 2..=20 {
        content.write_at(&[value; 8], 0).unwrap();
    }
    let states = crashes(&content, 400);
    assert!(states.contains([1; 8].as_slice()));
    assert!(states.contains([20; 8].as_slice()));
}

#[test]
fn growth_arrives_in_part_and_may_show_zeros_or_noise() {
    let mut content = synced(&[1; 100]);
    content.write_at(&[2; 2000], 100).unwrap();
    let states = crashes(&content, 600);
    for state in &states {
        assert!((100..=2100).contains(&state.len()));
        assert_eq!(state[..100], [1; 100], "what was synced is there");
    }
    let tails = || states.iter().map(|state| &state[100..]);
    assert!(tails().any(<[u8]>::is_empty), "growth lost");
    assert!(tails().any(|tail| tail == [2; 2000]), "growth kept");
    assert!(tails().any(|tail| tail.len() == 2000 && tail.contains(&0)), "zeros where nothing arrived");
    assert!(
        tails().any(|tail| tail.iter().any(|byte| ![0, 2].contains(byte))),
        "noise where nothing arrived"
    );
}

#[test]
fn a_cut_may_be_lost_and_then_shows_what_was_cut() {
    let mut content = synced(&[1; 2000]);
    content.set_size(100).unwrap();
    assert_eq!(content.bytes(), [1; 100]);
    let states = crashes(&content, 400);
    assert!(states.contains([1; 100].as_slice()));
    assert!(states.contains([1; 2000].as_slice()));
    assert!(states.iter().all(|state| state[..100] == [1; 100]));
}

#[test]
fn a_hole_is_zeros_whatever_happens() {
    let mut content = synced(&[1; 10]);
    content.set_size(3000).unwrap();
    for state in crashes(&content, 300) {
        assert!(state[10..].iter().all(|&byte| byte == 0));
    }
}

#[test]
fn after_a_failed_sync_the_next_one_makes_nothing_of_it_durable() {
    let mut content = synced(&[1; 2 * SECTOR_BYTES]);
    content.write_at(&[2; SECTOR_BYTES], 0).unwrap();
    content.drop_unsynced();
    content.write_at(&[3; SECTOR_BYTES], SECTOR_BYTES as u64).unwrap();
    content.sync();
    assert_eq!(content.bytes()[..SECTOR_BYTES], [2; SECTOR_BYTES], "reads still show it");
    let states = crashes(&content, 300);
    assert!(
        states.iter().all(|state| state[SECTOR_BYTES..] == [3; SECTOR_BYTES]),
        "the later write is durable"
    );
    assert!(states.iter().any(|state| state[0] == 1), "the dropped write can be lost");
    assert!(states.iter().any(|state| state[0] == 2), "or have arrived nonetheless");

    content.write_at(&[2], 0).unwrap();
    content.sync();
    assert_eq!(
        crashes(&content, 300).len(),
        1,
        "written again, the sector is dirty again and this sync covers it"
    );
}

#[test]
fn a_flip_reaches_every_future() {
    let mut content = synced(&[0; 10]);
    content.write_at(&[16; 10], 0).unwrap();
    content.flip(3, 1);
    for state in crashes(&content, 100) {
        assert_eq!(state[3] & 1, 1);
        assert!(state[0] == 0 || state[0] == 16);
    }
}

#[test]
fn sizes_without_end_are_errors() {
    let mut content = synced(&[1]);
    for size in [u64::MAX, MAX_FILE_BYTES as u64 + 1] {
        assert_eq!(content.set_size(size).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(content.write_at(&[1], size).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
    assert_eq!(content.bytes(), [1]);
    assert_eq!(content.read_at(&mut [0; 4], u64::MAX), 0);
}

/// The algebra of it: whatever was done, a power cut leaves every byte that was not touched since the last sync.
#[test]
fn untouched_synced_bytes_survive_random_operations() {
    for seed in 0..300 {
        let mut generator = Generator::from_seed(seed);
        let mut content = Content::default();
        // What the last sync promised: `None` where it was touched since.
        let mut promised: Vec<Option<u8>> = Vec::new();
        for _ in 0..30 {
            let offset = generator.below(3000);
            let length = usize::try_from(generator.below(900)).unwrap();
            let start = usize::try_from(offset).unwrap();
            match generator.below(6) {
                0 => {
                    content.set_size(offset).unwrap();
                    promised.truncate(start);
                }
                1 => {
                    content.sync();
                    promised = content.bytes().iter().copied().map(Some).collect();
                }
                _ => {
                    let value = generator.next_u64().to_le_bytes()[0];
                    content.write_at(&vec![value; length], offset).unwrap();
                    promised.iter_mut().skip(start).take(length).for_each(|byte| *byte = None);
                }
            }
            content.check_invariants();
        }
        for state in crashes(&content, 20) {
            assert!(state.len() >= promised.len(), "seed {seed}: the file became too short");
            for (at, (byte, promise)) in state.iter().zip(&promised).enumerate() {
                assert!(promise.is_none_or(|promise| promise == *byte), "seed {seed}: byte {at} changed");
            }
        }
    }
}
