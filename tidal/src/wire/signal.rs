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

const TARGETS: [(&str, Kind); 3] =
    [("item", Kind::Item), ("creator", Kind::Creator), ("target_user", Kind::User)];

/// Reads a signal. The schema says of which kind the target of each signal is, so that an item's id is never taken for
/// a creator's.
///
/// # Errors
/// `Invalid`, with the path of the field; `NotFound` for a signal that the schema does not have.
pub fn from_json(json: &Json, schema: &Schema) -> Result<Signal> {
    let known = ["signal", "item", "creator", "target_user", "user", "weight", "at", "key"];
    let object = Object::new(json, &known)?;
    let signal = object.require("signal", |json| text(json).map(str::to_owned))?;
    let Some(kind) = schema.signal(&signal).map(|declared| declared.on) else {
        let names: Vec<&str> = schema.signals().iter().map(|declared| declared.name.as_str()).collect();
        let message = format!("no signal {signal:?} in the schema; there are {}", names.join(", "));
        return Err(Error::not_found("signal", message));
    };
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
        target_key(kind): id_to_json(&signal.target),
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
    let key = target_key(kind);
    match TARGETS.iter().find(|(other, _)| *other != key && object.get(other).is_some()) {
        Some((other, _)) => {
            Err(Error::invalid(*other, format!("{signal} is a signal on a {kind}: give the target as {key}")))
        }
        None => object.require(key, id_from_json),
    }
}

fn target_key(kind: Kind) -> &'static str {
    match kind {
        Kind::Item => "item",
        Kind::Creator => "creator",
        Kind::User => "target_user",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        Schema::parse("signals: {view: {}, tip: {on: creator}, poke: {on: user}}").unwrap()
    }

    #[test]
    fn a_signal_reads_back_as_written() {
        for full in [
            json!({"signal": "view", "item": 17, "user": "u", "weight": 0.5, "at": "2026-01-31T12:00:00.25Z", "key": "k"}),
            json!({"signal": "tip", "creator": "c", "weight": 1.0}),
            json!({"signal": "poke", "target_user": 3, "user": 4, "weight": 1.0}),
        ] {
            let signal = from_json(&full, &schema()).unwrap();
            let on = schema().signal(&signal.signal).unwrap().on;
            assert_eq!(to_json(&signal, on), full);
        }
        let seconds = from_json(&json!({"signal": "view", "item": 1, "at": 1.5}), &schema()).unwrap();
        assert_eq!((seconds.at, seconds.weight), (Some(Timestamp(1_500_000)), 1.0));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |json| from_json(&json, &schema()).unwrap_err().to_string();
        assert_eq!(
            refused(json!({"signal": "veiw", "item": 1})),
            "signal: no signal \"veiw\" in the schema; there are view, tip, poke"
        );
        assert_eq!(
            refused(json!({"signal": "tip", "item": 1})),
            "item: tip is a signal on a creator: give the target as creator"
        );
        assert_eq!(refused(json!({"signal": "view"})), "item: is missing");
        assert_eq!(
            refused(json!({"signal": "view", "item": 1, "weight": "2"})),
            "weight: expected a number, found \"2\""
        );
        assert!(refused(json!({"signal": "view", "item": 1, "at": "yesterday"})).starts_with("at: "));
        assert!(refused(json!({"signal": "view", "item": 1, "when": 1})).starts_with("when: unknown key"));
    }
}
