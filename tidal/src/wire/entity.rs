//! Entities: `{"id", "creator", "metadata": {…}, "embeddings": {slot: [..]}}`.

use serde_json::{Map, Value as Json};

use crate::entity::Entity;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_DIMENSION;

use super::{list, mismatch, number, object, only_keys, value};

/// Reads an entity. Types of fields are not known here: [`crate::Schema::check_entity`] comes next.
///
/// # Errors
/// `Invalid` with the path: `metadata.place.lat`, `embeddings.content[3]`.
pub fn from_json(json: &Json) -> Result<Entity> {
    let body = object(json)?;
    only_keys(body, &["id", "creator", "metadata", "embeddings"])?;
    let id = body.get("id").ok_or_else(|| Error::invalid("id", "is missing"))?;
    let mut entity = Entity::new(value::id_from_json(id).map_err(|error| error.below("id"))?);
    if let Some(creator) = given(body, "creator") {
        entity.creator = Some(value::id_from_json(creator).map_err(|error| error.below("creator"))?);
    }
    for (name, json) in members(body, "metadata")? {
        let value = value::from_json(json).map_err(|error| error.below(name).below("metadata"))?;
        entity.metadata.insert(name.clone(), value);
    }
    for (slot, json) in members(body, "embeddings")? {
        let vector = vector_from_json(json).map_err(|error| error.below(slot).below("embeddings"))?;
        entity.embeddings.insert(slot.clone(), vector);
    }
    Ok(entity)
}

/// A key that is there and not null.
fn given<'a>(body: &'a Map<String, Json>, key: &str) -> Option<&'a Json> {
    body.get(key).filter(|json| !json.is_null())
}

fn members<'a>(
    body: &'a Map<String, Json>,
    key: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a Json)>> {
    let members = match given(body, key) {
        Some(json) => Some(object(json).map_err(|error| error.below(key))?),
        None => None,
    };
    Ok(members.into_iter().flatten())
}

/// Reads a vector. Numbers are rounded to the nearest `f32`.
///
/// # Errors
/// `Invalid`: no list, more than [`MAX_DIMENSION`] numbers, an element (`[3]`) that is no number or beyond `f32`.
pub fn vector_from_json(json: &Json) -> Result<Vec<f32>> {
    if let Some(numbers) = json.as_array().filter(|numbers| numbers.len() > MAX_DIMENSION) {
        let message = format!("{} numbers, at most {MAX_DIMENSION} are possible", numbers.len());
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    list(json, |json| {
        #[expect(clippy::cast_possible_truncation, reason = "rounding is meant, and infinity is refused")]
        let rounded = number(json)? as f32;
        if rounded.is_finite() { Ok(rounded) } else { Err(mismatch("a number within f32", json)) }
    })
}

/// Writes an entity; parts that are empty are left out.
pub fn to_json(entity: &Entity) -> Json {
    let mut body = Map::new();
    body.insert("id".to_owned(), value::id_to_json(&entity.id));
    if let Some(creator) = &entity.creator {
        body.insert("creator".to_owned(), value::id_to_json(creator));
    }
    if !entity.metadata.is_empty() {
        let metadata =
            entity.metadata.iter().map(|(name, value)| (name.clone(), value::to_json(value))).collect();
        body.insert("metadata".to_owned(), Json::Object(metadata));
    }
    if !entity.embeddings.is_empty() {
        let vector = |vector: &Vec<f32>| vector.iter().map(|&number| f64::from(number)).collect::<Json>();
        let embeddings =
            entity.embeddings.iter().map(|(slot, numbers)| (slot.clone(), vector(numbers))).collect();
        body.insert("embeddings".to_owned(), Json::Object(embeddings));
    }
    Json::Object(body)
}
