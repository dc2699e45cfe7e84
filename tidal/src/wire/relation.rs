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
mod tests;
