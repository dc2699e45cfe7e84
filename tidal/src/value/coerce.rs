//! From a value as it was given to the value of a declared type.

use crate::limits::{MAX_TAGS, MAX_VALUE_BYTES};
use crate::schema::FieldType;
use crate::time::{MICROS_PER_SECOND, Timestamp};

use super::{Value, duration, rfc3339};

/// Longest part of a value that a message quotes, in characters.
const MAX_QUOTED: usize = 40;

impl Value {
    /// The same value in the form that a field of type `of` stores. Null stays null in every type.
    ///
    /// # Errors
    /// What was expected and what was found, without the place.
    pub(crate) fn coerce(self, of: FieldType) -> Result<Value, String> {
        self.check_bounds()?;
        match (of, self) {
            (_, Value::Null) => Ok(Value::Null),
            (FieldType::Keyword | FieldType::Text, value @ Value::Text(_))
            | (FieldType::Tags, value @ Value::List(_))
            | (FieldType::Bool, value @ Value::Bool(_))
            | (FieldType::Int, value @ Value::Int(_))
            | (FieldType::Float, value @ Value::Float(_))
            | (FieldType::Geo, value @ Value::Geo(..)) => Ok(value),
            (FieldType::Float, Value::Int(number)) => Ok(Value::Float(number as f64)),
            (FieldType::Timestamp, value) => timestamp(&value),
            (FieldType::Duration, value) => length(&value),
            (of, value) => Err(mismatch(of, &value)),
        }
    }

    /// What must hold for a value of any field, declared or not.
    pub(crate) fn check_bounds(&self) -> Result<(), String> {
        let too_long = |bytes: usize| match bytes {
            0..=MAX_VALUE_BYTES => Ok(()),
            _ => Err(format!("{bytes} bytes, at most {MAX_VALUE_BYTES} are possible")),
        };
        match self {
            Value::Float(number) if !number.is_finite() => {
                Err(format!("expected a finite number, found {number}"))
            }
            Value::Text(text) => too_long(text.len()),
            Value::List(tags) if tags.len() > MAX_TAGS => {
                Err(format!("{} tags, at most {MAX_TAGS} are possible", tags.len()))
            }
            Value::List(tags) => too_long(tags.iter().map(String::len).sum()),
            // The ranges also refuse NaN.
            Value::Geo(latitude, _) if !(-90.0..=90.0).contains(latitude) => {
                Err(format!("latitude {latitude} is out of range: -90 to 90"))
            }
            Value::Geo(_, longitude) if !(-180.0..=180.0).contains(longitude) => {
                Err(format!("longitude {longitude} is out of range: -180 to 180"))
            }
            _ => Ok(()),
        }
    }
}

/// `expected int, found "abc"`.
fn mismatch(of: FieldType, found: &Value) -> String {
    let expected = match of {
        FieldType::Keyword => "a keyword (text)",
        FieldType::Tags => "tags (a list of texts)",
        FieldType::Text => "text",
        FieldType::Bool => "bool",
        FieldType::Int => "int",
        FieldType::Float => "a number",
        FieldType::Timestamp => "a timestamp (RFC 3339, or seconds since 1970)",
        FieldType::Duration => "a duration (such as \"20m\", or seconds)",
        FieldType::Geo => "a place ({\"lat\", \"lon\"})",
    };
    format!("expected {expected}, found {}", describe(found))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) if text.chars().nth(MAX_QUOTED).is_some() => {
            format!("{:?}…", text.chars().take(MAX_QUOTED).collect::<String>())
        }
        Value::Text(text) => format!("{text:?}"),
        Value::List(_) => "a list".to_owned(),
        Value::Timestamp(timestamp) => format!("the timestamp {}", rfc3339::print(*timestamp)),
        Value::Duration(micros) => format!("a duration of {micros} microseconds"),
        Value::Geo(..) => "a place".to_owned(),
    }
}

fn timestamp(value: &Value) -> Result<Value, String> {
    let timestamp = match value {
        Value::Timestamp(timestamp) => Some(*timestamp),
        Value::Text(text) => rfc3339::parse(text),
        number => micros(number).map(Timestamp),
    };
    match timestamp {
        Some(timestamp) if rfc3339::in_range(timestamp) => Ok(Value::Timestamp(timestamp)),
        Some(_) => Err(format!("{} is out of range: the years 1 to 9999", describe(value))),
        None => Err(mismatch(FieldType::Timestamp, value)),
    }
}

fn length(value: &Value) -> Result<Value, String> {
    let micros = match value {
        Value::Duration(micros) => Some(*micros),
        Value::Text(text) => {
            let seconds = duration::parse_seconds(text)?;
            i64::try_from(seconds).ok().and_then(|seconds| seconds.checked_mul(MICROS_PER_SECOND))
        }
        Value::Int(_) | Value::Float(_) => micros(value),
        _ => return Err(mismatch(FieldType::Duration, value)),
    };
    match micros {
        Some(micros) if micros >= 0 => Ok(Value::Duration(micros)),
        _ => Err(format!("{} is out of range: 0 to 292,000 years", describe(value))),
    }
}

/// A number of seconds in microseconds, to the nearest; `None` if it is no number or does not fit.
fn micros(value: &Value) -> Option<i64> {
    match value {
        Value::Int(seconds) => seconds.checked_mul(MICROS_PER_SECOND),
        Value::Float(seconds) => {
            let micros = (seconds * MICROS_PER_SECOND as f64).round();
            // 2^63 is a float and does not fit, -2^63 is one and does.
            #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
            ((i64::MIN as f64)..-(i64::MIN as f64)).contains(&micros).then_some(micros as i64)
        }
        _ => None,
    }
}
