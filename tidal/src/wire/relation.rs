//! Relations: `{"relation": "hide", "user": 7, "item": 17}`, with the target under the key of its kind: `item` for
//! hide and save, `creator` for follow, block and mute.

use serde_json::{Value as Json, json};

use super::object::{Object, named};
use super::value::{id_from_json, id_to_json};
use crate::error::{Error, Result};
use crate::id::Kind;
use crate::mutation::{Relation, RelationKind};

/// All relations, with their names.
pub const NAMES: [(&str, RelationKind); 5] = [
    ("follow", RelationKind::Follow),
    ("block", RelationKind::Block),
    ("mute", RelationKind::Mute),
    ("hide", RelationKind::Hide),
    ("save", RelationKind::Save),
];

/// Reads a relation.
///
/// # Errors
/// `Invalid`, with the path of the field.
pub fn from_json(json: &Json) -> Result<Relation> {
    let object = Object::new(json, &["relation", "user", "item", "creator"])?;
    let kind = object.require("relation", |json| named(json, "a relation", &NAMES))?;
    let user = object.require("user", id_from_json)?;
    let (key, other) = keys(kind);
    if object.get(other).is_some() {
        let name = name(kind);
        return Err(Error::invalid(other, format!("the target of {name} is given as {key}, not as {other}")));
    }
    Ok(Relation { kind, user, target: object.require(key, id_from_json)? })
}

/// Writes a relation.
pub fn to_json(relation: &Relation) -> Json {
    let (key, _) = keys(relation.kind);
    json!({
        "relation": name(relation.kind),
        "user": id_to_json(&relation.user),
        key: id_to_json(&relation.target),
    })
}

fn name(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Follow => "follow",
        RelationKind::Block => "block",
        RelationKind::Mute => "mute",
        RelationKind::Hide => "hide",
        RelationKind::Save => "save",
    }
}

/// The key that holds the target, and the one that must not be there.
fn keys(kind: RelationKind) -> (&'static str, &'static str) {
    match kind.target_kind() {
        Kind::Creator => ("creator", "item"),
        Kind::Item | Kind::User => ("item", "creator"),
    }
}

#[cfg(test)]
mod tests {
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
}
