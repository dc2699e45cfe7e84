//! Entities against the schema.

use super::movies;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::id::Kind;
use crate::value::Value;

fn check(entity: Entity) -> Result<Entity, Error> {
    check_kind(Kind::Item, entity)
}

fn check_kind(kind: Kind, mut entity: Entity) -> Result<Entity, Error> {
    movies().check_entity(kind, &mut entity)?;
    Ok(entity)
}

#[track_caller]
fn refused(result: Result<Entity, Error>, field: &str, message: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(field)), "{error}");
    assert!(error.message().contains(message), "{error}");
}

#[test]
fn declared_values_get_their_declared_type() {
    use crate::time::Timestamp;
    let given = Entity::new(1)
        .creator("c")
        .field("price", 3_i64)
        .field("released", "1970-01-02")
        .field("runtime", "2h")
        .field("year", Value::Null)
        .field("unknown", vec!["kept".to_owned()]);
    let expected = Entity::new(1)
        .creator("c")
        .field("price", 3.0)
        .field("released", Timestamp(86_400_000_000))
        .field("runtime", Value::Duration(7_200_000_000))
        .field("year", Value::Null)
        .field("unknown", vec!["kept".to_owned()]);
    assert_eq!(check(given).unwrap(), expected);
    assert_eq!(check(expected.clone()).unwrap(), expected);
}

#[test]
fn wrong_values_are_refused_by_name() {
    let new = || Entity::new(1);
    refused(check(new().field("year", "abc")), "metadata.year", "expected int, found \"abc\"");
    refused(check(new().field("year", 1.5)), "metadata.year", "expected int, found 1.5");
    refused(check(new().field("adult", 1_i64)), "metadata.adult", "expected bool, found 1");
    refused(check(new().field("genres", "Drama")), "metadata.genres", "expected tags (a list of texts)");
    refused(
        check(new().field("language", vec![])),
        "metadata.language",
        "expected a keyword (text), found a list",
    );
    refused(check(new().field("price", f64::NAN)), "metadata.price", "finite");
    refused(check(new().field("other", f64::INFINITY)), "metadata.other", "finite");
    refused(check(new().field("released", "2023-02-29")), "metadata.released", "expected a timestamp");
    refused(check(new().field("released", i64::MAX)), "metadata.released", "expected a timestamp");
    refused(check(new().field("released", 253_402_300_800_i64)), "metadata.released", "out of range");
    refused(check(new().field("runtime", -1_i64)), "metadata.runtime", "out of range");
    refused(check(new().field("place", Value::Geo(91.0, 0.0))), "metadata.place", "latitude 91");
    refused(check(new().field("place", Value::Geo(0.0, f64::NAN))), "metadata.place", "longitude NaN");
    let long = "x".repeat(crate::limits::MAX_VALUE_BYTES + 1);
    refused(check(new().field("title", long.as_str())), "metadata.title", "1048577 bytes");
    refused(check(new().field("other", long.as_str())), "metadata.other", "1048577 bytes");
    let tags = vec!["x".to_owned(); crate::limits::MAX_TAGS + 1];
    refused(check(new().field("genres", tags)), "metadata.genres", "1025 tags");
    refused(check(new().field("", 1_i64)), "metadata", "a name of 0 bytes");
    let many =
        (0..=crate::limits::MAX_FIELDS).fold(new(), |entity, at| entity.field(&format!("f{at}"), 1_i64));
    refused(check(many), "metadata", "257 fields");
    refused(check(Entity::new("")), "id", "an id of 0 bytes");
    refused(check(Entity::new("x".repeat(257))), "id", "an id of 257 bytes");
    refused(check(new().creator("")), "creator", "an id of 0 bytes");
    refused(check_kind(Kind::User, new().creator("c")), "creator", "only items have a creator");
    assert!(check(Entity::new("x".repeat(256))).is_ok());
}

#[test]
fn vectors_are_checked_and_those_of_cosine_slots_get_length_one() {
    let vector = |numbers: &[f32]| Entity::new(1).embedding("content", numbers);
    let entity = check(vector(&[3.0, 0.0, 4.0, 0.0])).unwrap();
    assert_eq!(entity.embeddings["content"], [0.6, 0.0, 0.8, 0.0]);
    for scale in [f32::MAX, 1e6, 1e-40] {
        let entity = check(vector(&[scale, scale, 0.0, 0.0])).unwrap();
        let length: f32 = entity.embeddings["content"].iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-3, "{scale}: {length}");
    }
    refused(check(vector(&[0.0, -0.0, 0.0, 0.0])), "embeddings.content", "the zero vector has no direction");
    refused(check(vector(&[1.0, 2.0])), "embeddings.content", "expected 4 numbers, found 2");
    refused(check(vector(&[1.0, f32::NAN, 0.0, 0.0])), "embeddings.content[1]", "found NaN");
    refused(check(vector(&[1.0, 0.0, 0.0, f32::INFINITY])), "embeddings.content[3]", "found inf");
    refused(
        check(Entity::new(1).embedding("x", [1.0])),
        "embeddings.x",
        "unknown slot; items have content, cover",
    );
    let user = Entity::new(1).embedding("x", [1.0]);
    refused(check_kind(Kind::User, user), "embeddings.x", "the schema declares none for users");
    let other = Entity::new(1).embedding("cover", [0.0, 1e30]);
    assert_eq!(check(other.clone()).unwrap(), other);
}
