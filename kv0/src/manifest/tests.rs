use std::io::ErrorKind as IoErrorKind;

use kv0_env::memory::{self, Failure};
use proptest::prelude::*;

use super::format::{self, decode, decode_current, encode, encode_current};
use super::{Lane, Manifest, ManifestStore, StreamState};
use crate::error::ErrorKind;

fn example() -> Manifest {
    let mut manifest = Manifest::empty(77);
    manifest.number = 3;
    manifest.lanes.push(Lane { id: 5, first_chunk: 2, flushed: 99 });
    manifest.keyspaces.insert(1, "meta".to_owned());
    manifest.keyspaces.insert(4, "seqs".to_owned());
    manifest.streams.insert(1, StreamState { name: "events".to_owned(), trimmed: 12 });
    manifest
}

#[test]
fn the_page_and_the_code_agree() {
    let page = include_str!("../../../docs/format/manifest.md");
    for (name, value) in [
        ("MAGIC", format!("`{}`", String::from_utf8_lossy(&format::MAGIC))),
        ("VERSION", format::VERSION.to_string()),
        ("HEADER_BYTES", format::HEADER_BYTES.to_string()),
    ] {
        assert!(page.contains(&format!("| `{name}` | {value} |")), "{name} is not {value} on the page");
    }
}

#[test]
fn a_manifest_comes_back_as_it_was() {
    assert_eq!(decode(&encode(&example()), "MANIFEST").unwrap(), example());
}

#[test]
fn every_flipped_byte_is_found() {
    let bytes = encode(&example());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        assert_eq!(decode(&damaged, "M").unwrap_err().kind(), ErrorKind::Corrupt, "byte {at}");
    }
    for length in 0..bytes.len() {
        assert_eq!(decode(&bytes[..length], "M").unwrap_err().kind(), ErrorKind::Corrupt, "length {length}");
    }
    let current = encode_current(12).into_bytes();
    assert_eq!(decode_current(&current).unwrap(), 12);
    for at in 0..current.len() {
        let mut damaged = current.clone();
        damaged[at] ^= 0x01;
        assert_eq!(decode_current(&damaged).unwrap_err().kind(), ErrorKind::Corrupt, "byte {at}");
    }
}

#[test]
fn a_failed_replacement_leaves_the_old_or_the_new_one() {
    let mut failed = 0;
    for nth in 1.. {
        let (env, world) = memory::env(1);
        let mut store = ManifestStore::create(&env.files, 9).unwrap();
        world.files.fail_at(world.files.operations() + nth, Failure::once(IoErrorKind::Other));
        let result = store.replace(|next| next.trimmed = 5);
        world.files.clear_failures();
        world.power_cut(nth);
        let found = ManifestStore::load(&world.env().files).unwrap().expect("the database is there");
        let trimmed = found.manifest().trimmed;
        match result {
            Ok(()) => assert_eq!(trimmed, 5, "operation {nth}"),
            Err(_) => assert!([0, 5].contains(&trimmed), "operation {nth}"),
        }
        // The removal of the old manifest may fail unseen; behind it nothing is left to fail.
        failed += u64::from(result.is_err());
        if result.is_ok() && nth > failed + 1 {
            assert!(failed > 8, "only {failed} calls could fail");
            return;
        }
    }
}

#[test]
fn a_replacement_after_a_failed_one_counts() {
    for nth in 1..20 {
        let (env, world) = memory::env(1);
        let mut store = ManifestStore::create(&env.files, 9).unwrap();
        world.files.fail_at(world.files.operations() + nth, Failure::once(IoErrorKind::StorageFull));
        let first = store.replace(|next| next.trimmed = 5);
        world.files.clear_failures();
        store.replace(|next| next.next_segment = 8).unwrap();
        let found = ManifestStore::load(&env.files).unwrap().expect("the database is there");
        assert_eq!(found.manifest().next_segment, 8);
        assert_eq!(found.manifest().trimmed, if first.is_ok() { 5 } else { 0 }, "operation {nth}");
    }
}

#[test]
fn a_lost_current_is_damage() {
    let (env, world) = memory::env(1);
    world.files.write_all("segments/0000000000000001.seg", b"x").unwrap();
    let error = ManifestStore::load(&env.files).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().starts_with("CURRENT, offset 0"), "{error}");
}

proptest! {
    #[test]
    fn any_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes, "M").is_err());
    }
}
