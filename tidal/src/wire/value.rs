//! Values and ids.
//!
//! JSON has fewer types than a schema: a timestamp is RFC 3339 text or a number of seconds, a duration a number of
//! seconds or text such as `20m`, a place `{"lat", "lon"}`. What is read here is what JSON says; the schema turns it into
//! the declared type when the entity is checked or the filter bound.

use serde_json::{Value as Json, json};

use crate::error::Result;
use crate::id::Id;
use crate::schema::check_entity::check_id;
use crate::time::MICROS_PER_SECOND;
use crate::value::{Value, rfc3339};

use super::{list, mismatch, number, object, only_keys, text};

/// Reads a value.
///
/// # Errors
/// `Invalid`: an object that is no place, a list of anything but texts, a whole number beyond 64 bits with sign.
pub fn from_json(json: &Json) -> Result<Value> {
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(value) => Ok(Value::Bool(*value)),
        Json::String(text) => Ok(Value::Text(text.clone())),
        Json::Number(given) => match given.as_i64() {
            Some(whole) => Ok(Value::Int(whole)),
            None if given.is_u64() => Err(mismatch("a whole number of at most 2^63 - 1", json)),
            None => Ok(Value::Float(number(json)?)),
        },
        Json::Array(_) => Ok(Value::List(list(json, |tag| text(tag).map(str::to_owned))?)),
        Json::Object(_) => {
            let (latitude, longitude) = place_from_json(json, &[])?;
            Ok(Value::Geo(latitude, longitude))
        }
    }
}

/// Reads `lat` and `lon` of an object that may have these other keys.
pub(super) fn place_from_json(json: &Json, others: &[&str]) -> Result<(f64, f64)> {
    let object = object(json)?;
    only_keys(object, &[&["lat", "lon"], others].concat())?;
    let degrees =
        |key: &str| number(object.get(key).unwrap_or(&Json::Null)).map_err(|error| error.below(key));
    Ok((degrees("lat")?, degrees("lon")?))
}

/// Writes a value. [`from_json`] and the declared type give it back exactly, a duration to the microsecond up to 285
/// years.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(tags) => json!(tags),
        Value::Timestamp(timestamp) => json!(rfc3339::print(*timestamp)),
        Value::Duration(micros) if micros % MICROS_PER_SECOND == 0 => json!(micros / MICROS_PER_SECOND),
        Value::Duration(micros) => json!(*micros as f64 / MICROS_PER_SECOND as f64),
        Value::Geo(latitude, longitude) => json!({"lat": latitude, "lon": longitude}),
    }
}

/// Reads an id: text of 1 to 256 bytes, or a whole number from 0 to 2^64 - 1.
///
/// # Errors
/// `Invalid`, without a field: the caller knows where it is.
pub fn id_from_json(json: &Json) -> Result<Id> {
    let id = match json {
        Json::String(text) => Id::Text(text.clone()),
        Json::Number(number) if number.is_u64() => Id::Number(number.as_u64().unwrap_or_default()),
        _ => {
            return Err(mismatch("an id (text, or a whole number from 0 to 2^64 - 1)", json));
        }
    };
    check_id(&id)?;
    Ok(id)
}

/// Writes an id.
pub fn id_to_json(id: &Id) -> Json {
    match id {
        Id::Number(number) => json!(number),
        Id::Text(text) => json!(text),
    }
}
