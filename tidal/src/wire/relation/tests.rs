use super::*;
use crate::id::Id;

#[test]
fn the_target_stands_under_the_key_of_its_kind() {
    for (name, kind) in NAMES {
        let key = match kind {
            RelationKind::Hide | RelationKind::Save => "item",
            _ => "creator",
        };
        let full = json!({"relation": name, "user": 7, key: "x"});
        let read = from_json(&full).unwrap();
        assert_eq!((read.kind, &read.target), (kind, &Id::Text("x".to_owned())));
        assert_eq!(to_json(&read), full);
    }
}

#[test]
fn what_is_wrong_is_named() {
    let refused = |json| from_json(&json).unwrap_err().to_string();
    assert_eq!(
        refused(json!({"relation": "hide", "user": 7, "creator": 1})),
        "creator: the target of hide is given as item, not as creator"
    );
    assert_eq!(
        refused(json!({"relation": "like", "user": 7, "item": 1})),
        "relation: expected a relation (follow, block, mute, hide, save), found \"like\""
    );
    assert_eq!(refused(json!({"relation": "hide", "user": 7})), "item: is missing");
}
