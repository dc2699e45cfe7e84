//! The keys of the database in kv0. No other file builds or reads one. `docs/format/tidal.md` describes them.

use crate::id::{Kind, Row};
use crate::mutation::RelationKind;

/// Names of the keyspaces and the stream.
pub(crate) const META: &str = "meta";
pub(crate) const ITEMS: &str = "items";
pub(crate) const USERS: &str = "users";
pub(crate) const CREATORS: &str = "creators";
pub(crate) const RELATIONS: &str = "relations";
pub(crate) const IDEMPOTENCY: &str = "idempotency";
pub(crate) const EVENTS: &str = "events";

/// Key of the schema in [`META`].
pub(crate) const SCHEMA: &[u8] = b"schema";

/// The keyspace of a kind.
pub(crate) fn keyspace_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Item => ITEMS,
        Kind::User => USERS,
        Kind::Creator => CREATORS,
    }
}

/// Key of an entity in the keyspace of its kind.
pub(crate) fn entity(row: Row) -> [u8; 4] {
    row.0.to_be_bytes()
}

/// The row of an entity's key.
pub(crate) fn entity_row(key: &[u8]) -> Option<Row> {
    Some(Row(u32::from_be_bytes(key.try_into().ok()?)))
}

/// Key of a relation: all of one user, then all of one kind, stand together.
pub(crate) fn relation(user: Row, kind: RelationKind, target: Row) -> [u8; 9] {
    let mut key = [0; 9];
    key[..4].copy_from_slice(&user.0.to_be_bytes());
    key[4] = relation_number(kind);
    key[5..].copy_from_slice(&target.0.to_be_bytes());
    key
}

/// User, kind and target of a relation's key.
pub(crate) fn relation_parts(key: &[u8]) -> Option<(Row, RelationKind, Row)> {
    if key.len() != 9 {
        return None;
    }
    Some((entity_row(&key[..4])?, relation_kind(key[4])?, entity_row(&key[5..])?))
}

/// The stored number of a relation's kind. Never reused.
fn relation_number(kind: RelationKind) -> u8 {
    match kind {
        RelationKind::Follow => 1,
        RelationKind::Block => 2,
        RelationKind::Mute => 3,
        RelationKind::Hide => 4,
        RelationKind::Save => 5,
    }
}

fn relation_kind(number: u8) -> Option<RelationKind> {
    [RelationKind::Follow, RelationKind::Block, RelationKind::Mute, RelationKind::Hide, RelationKind::Save]
        .into_iter()
        .find(|kind| relation_number(*kind) == number)
}
