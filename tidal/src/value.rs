//! Values of metadata fields.

mod coerce;
pub(crate) mod duration;
pub(crate) mod rfc3339;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The value of a metadata field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; never NaN or infinite.
    Float(f64),
    /// A keyword or text.
    Text(String),
    /// Several keywords: tags.
    List(Vec<String>),
    /// A moment.
    Timestamp(Timestamp),
    /// A length of time in microseconds.
    Duration(i64),
    /// A place: latitude and longitude in degrees.
    Geo(f64, f64),
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<Vec<String>> for Value {
    fn from(value: Vec<String>) -> Value {
        Value::List(value)
    }
}

impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Value {
        Value::Timestamp(value)
    }
}
