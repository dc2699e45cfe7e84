use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{EntityContent, EntityRecord, EventRecord, RECORD_VERSION, StoredId, decode, encode};
use crate::error::ErrorKind;
use crate::id::{Kind, Row};
use crate::keys;
use crate::mutation::RelationKind;
use crate::time::Timestamp;
use crate::value::Value;
use crate::view::checkpoint;

fn entity() -> EntityRecord {
    let metadata = BTreeMap::from([
        ("a".to_owned(), Value::Null),
        ("b".to_owned(), Value::Int(-3)),
        ("c".to_owned(), Value::List(vec!["x".to_owned()])),
        ("d".to_owned(), Value::Geo(1.5, -2.5)),
    ]);
    let embeddings = BTreeMap::from([("e".to_owned(), vec![0.5, -1.0])]);
    let content = Some(EntityContent { creator: Some(Row(7)), metadata, embeddings });
    EntityRecord { id: StoredId::Number(u64::MAX), created: Timestamp(-1), content }
}

fn event() -> EventRecord {
    EventRecord {
        signal: 2,
        kind: Kind::Creator,
        target: Row(1),
        creator: None,
        user: Some(Row(3)),
        weight: 1.0,
        at: Timestamp(5),
        received: Timestamp(6),
        key: Some("k".to_owned()),
    }
}

#[test]
fn the_page_and_the_code_agree() {
    let page = include_str!("../../../docs/format/tidal.md");
    for (name, value) in [
        ("MAGIC", format!("`{}`", String::from_utf8_lossy(&checkpoint::MAGIC))),
        ("VERSION", checkpoint::VERSION.to_string()),
        ("HEADER_BYTES", checkpoint::HEADER_BYTES.to_string()),
        ("RECORD_VERSION", RECORD_VERSION.to_string()),
    ] {
        assert!(page.contains(&format!("| `{name}` | {value} |")), "{name} is not {value} on the page");
    }
    for (name, kind) in [
        ("follow", RelationKind::Follow),
        ("block", RelationKind::Block),
        ("mute", RelationKind::Mute),
        ("hide", RelationKind::Hide),
        ("save", RelationKind::Save),
    ] {
        let key = keys::relation(Row(1), kind, Row(2));
        assert!(page.contains(&format!("| {name} | {} |", key[4])), "{name} is not {} on the page", key[4]);
        assert_eq!(key, [0, 0, 0, 1, key[4], 0, 0, 0, 2]);
        assert_eq!(keys::relation_parts(&key), Some((Row(1), kind, Row(2))));
    }
}

/// Stored bytes never change their meaning: these were written by version 1.
#[test]
fn records_of_version_1_are_these_bytes() {
    let stored = [1, 2, 2, 1, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 10, 12, 1, 1, b'k'];
    assert_eq!(encode(&event()), stored);
    assert_eq!(decode::<EventRecord>(&stored, "event").unwrap(), event());
    let id = StoredId::Text("a".to_owned());
    let removed = EntityRecord { id, created: Timestamp(1), content: None };
    assert_eq!(encode(&removed), [1, 1, 1, b'a', 2, 0]);
    assert_eq!(decode::<EntityRecord>(&encode(&entity()), "item").unwrap(), entity());
}

#[test]
fn a_newer_version_and_a_short_record_are_refused() {
    let mut bytes = encode(&entity());
    assert_eq!(
        decode::<EntityRecord>(&bytes[..bytes.len() - 1], "x").unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    bytes.push(0);
    assert_eq!(decode::<EntityRecord>(&bytes, "x").unwrap_err().kind(), ErrorKind::Corrupt);
    bytes[0] = 2;
    let error = decode::<EntityRecord>(&bytes, "x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("version 2"), "{error}");
    assert_eq!(decode::<EntityRecord>(&[], "x").unwrap_err().kind(), ErrorKind::Corrupt);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let versioned = [&[RECORD_VERSION], bytes.as_slice()].concat();
        if let Ok(event) = decode::<EventRecord>(&versioned, "x") {
            prop_assert_eq!(decode::<EventRecord>(&encode(&event), "x").unwrap().target, event.target);
        }
        drop(decode::<EntityRecord>(&versioned, "x"));
        let schema = crate::schema::Schema::builder().build().expect("an empty schema is one");
        drop(checkpoint::decode(&bytes, &schema));
    }
}
