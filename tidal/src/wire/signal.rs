//! Signals: `{"signal": "view", "item": 17, "user": 7, "weight": 1.0, "at": "2026-01-31T12:00:00Z", "key": "a7"}`. The
//! target stands under the key of its kind: `item`, `creator`, or `target_user` for a signal on users.

use serde_json::{Value as Json, json};

use super::object::Object;
use super::value::{self, id_from_json, id_to_json};
use super::{number, text};
use crate::error::{Error, ErrorKind, Result};
use crate::id::{Id, Kind};
use crate::mutation::Signal;
use crate::schema::{FieldType, Schema};
use crate::time::Timestamp;
use crate::value::Value;

const TARGETS: [Kind; 3] = [Kind::Item, Kind::Creator, Kind::User];

/// Reads a signal. The schema says of which kind the target of each signal is, so that an item's id is never taken for
/// a creator's.
///
/// # Errors
/// `Invalid`, with the path of the field; `NotFound` for a signal that the schema does not have.
pub fn from_json(json: &Json, schema: &Schema) -> Result<Signal> {
    let known = ["signal", "item", "creator", "target_user", "user", "weight", "at", "key"];
    let object = Object::new(json, &known)?;
    let signal = object.require("signal", |json| text(json).map(str::to_owned))?;
    let kind = schema.signals()[schema.require_signal(&signal)?].on;
    let target = target(&object, &signal, kind)?;
    Ok(Signal {
        target,
        user: object.read("user", id_from_json)?,
        weight: object.read("weight", number)?.unwrap_or(1.0),
        at: object.read("at", moment)?,
        key: object.text("key")?,
        signal,
    })
}

/// Writes a signal whose target is of this kind.
pub fn to_json(signal: &Signal, kind: Kind) -> Json {
    let mut json = json!({
        "signal": signal.signal,
        kind.target_name(): id_to_json(&signal.target),
        "weight": signal.weight,
    });
    if let Some(user) = &signal.user {
        json["user"] = id_to_json(user);
    }
    if let Some(at) = signal.at {
        json["at"] = value::to_json(&Value::Timestamp(at));
    }
    if let Some(key) = &signal.key {
        json["key"] = Json::from(key.as_str());
    }
    json
}

/// As in a field of this type: RFC 3339 text, or seconds since 1970.
fn moment(json: &Json) -> Result<Timestamp> {
    match value::from_json(json)?.coerce(FieldType::Timestamp) {
        Ok(Value::Timestamp(at)) => Ok(at),
        Ok(other) => Err(super::mismatch("a moment", &value::to_json(&other))),
        Err(message) => Err(Error::new(ErrorKind::Invalid, message)),
    }
}

fn target(object: &Object<'_>, signal: &str, kind: Kind) -> Result<Id> {
    let key = kind.target_name();
    let mut others = TARGETS.into_iter().map(Kind::target_name).filter(|other| *other != key);
    match others.find(|other| object.get(other).is_some()) {
        Some(other) => {
            Err(Error::invalid(other, format!("{signal} is a signal on a {kind}: give the target as {key}")))
        }
        None => object.require(key, id_from_json),
    }
}

#[cfg(test)]
mod tests;
