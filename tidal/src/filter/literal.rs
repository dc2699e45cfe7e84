//! Literals of a filter, and comparisons as ranges.
//!
//! A comparison of numbers becomes a range that includes both ends and is in the type of the column, so that evaluation
//! knows one case only. The two types are compared exactly: no integer is rounded to a float or the other way round.

use std::ops::Bound;

use crate::error::{Error, Result};
use crate::schema::FieldType;
use crate::value::Value;

use super::bind::{Node, invalid};

/// A literal in the type of a column.
pub(super) enum Literal {
    Text(String),
    Bool(bool),
    Integer(i64),
    /// For a column of integers this is no value of it, but can be a bound.
    Float(f64),
}

impl Literal {
    pub(super) fn new(name: &str, of: FieldType, value: &Value) -> Result<Literal> {
        let wrong = |message: String| invalid(format!("{name}: {message}"));
        if *value == Value::Null {
            return Err(wrong("null is not a value to compare with; use exists".to_owned()));
        }
        let of = match (of, value) {
            (FieldType::Text, _) => {
                return Err(wrong("text is searched, not compared; a keyword can be".to_owned()));
            }
            (FieldType::Geo, _) => return Err(wrong("a place is not compared; use within".to_owned())),
            (FieldType::Tags, _) => FieldType::Keyword,
            (FieldType::Int, Value::Float(_)) => FieldType::Float,
            // Kept exact, where the stored form of the field would round it.
            (FieldType::Float, Value::Int(number)) => return Ok(Literal::Integer(*number)),
            (of, _) => of,
        };
        match value.clone().coerce(of).map_err(wrong)? {
            Value::Text(text) => Ok(Literal::Text(text)),
            Value::Bool(value) => Ok(Literal::Bool(value)),
            Value::Int(number) | Value::Duration(number) => Ok(Literal::Integer(number)),
            Value::Timestamp(timestamp) => Ok(Literal::Integer(timestamp.0)),
            Value::Float(number) => Ok(Literal::Float(number)),
            value => Err(wrong(format!("{value:?} cannot be compared"))),
        }
    }

    pub(super) fn text(self) -> Option<String> {
        match self {
            Literal::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The field is equal to one of the literals.
pub(super) fn equal_to(field: usize, of: FieldType, literals: Vec<Literal>) -> Node {
    fn point(literal: &Literal) -> End<'_> {
        Some((literal, true))
    }
    match of {
        FieldType::Keyword | FieldType::Tags | FieldType::Text | FieldType::Geo => {
            Node::AnyOf(field, literals.into_iter().filter_map(Literal::text).collect())
        }
        FieldType::Bool => {
            let given =
                |wanted| literals.iter().any(|literal| matches!(literal, Literal::Bool(is) if *is == wanted));
            let values = [true, false].into_iter().filter(|&value| given(value));
            Node::Any(values.map(|value| Node::Bool(field, value)).collect())
        }
        FieldType::Float => {
            let mut ranges: Vec<(f64, f64)> =
                literals.iter().filter_map(|literal| float_range(point(literal), point(literal))).collect();
            ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
            // -0.0 and 0.0 are one value.
            ranges.dedup_by(|a, b| a.0 == b.0);
            Node::Floats(field, ranges)
        }
        FieldType::Int | FieldType::Timestamp | FieldType::Duration => {
            let mut ranges: Vec<(i64, i64)> =
                literals.iter().filter_map(|literal| integer_range(point(literal), point(literal))).collect();
            ranges.sort_unstable();
            ranges.dedup();
            Node::Integers(field, ranges)
        }
    }
}

/// A bound and whether it is included.
type End<'a> = Option<(&'a Literal, bool)>;

/// The field lies between two bounds.
pub(super) fn range(
    field: usize,
    name: &str,
    of: FieldType,
    low: &Bound<Value>,
    high: &Bound<Value>,
) -> Result<Node> {
    let end = |bound: &Bound<Value>, keys: [&str; 2]| -> Result<Option<(Literal, bool)>> {
        let (value, key, included) = match bound {
            Bound::Included(value) => (value, keys[0], true),
            Bound::Excluded(value) => (value, keys[1], false),
            Bound::Unbounded => return Ok(None),
        };
        if matches!(of, FieldType::Keyword | FieldType::Tags | FieldType::Bool) {
            let message = format!("{name} is {of}; only numbers, timestamps and durations have an order");
            return Err(Error::invalid(key, message));
        }
        let literal = Literal::new(name, of, value).map_err(|error| error.below(key))?;
        Ok(Some((literal, included)))
    };
    let (low, high) = (end(low, ["gte", "gt"])?, end(high, ["lte", "lt"])?);
    if low.is_none() && high.is_none() {
        return Err(invalid(format!("{name}: a range without bounds; use exists")));
    }
    let low: End<'_> = low.as_ref().map(|(literal, included)| (literal, *included));
    let high: End<'_> = high.as_ref().map(|(literal, included)| (literal, *included));
    Ok(match of {
        FieldType::Float => Node::Floats(field, float_range(low, high).into_iter().collect()),
        _ => Node::Integers(field, integer_range(low, high).into_iter().collect()),
    })
}

/// The least and greatest integer within bounds; `None` if there is none. 128 bits hold every sum of this.
fn integer_range(low: End<'_>, high: End<'_>) -> Option<(i64, i64)> {
    let low = match low {
        None | Some((Literal::Text(_) | Literal::Bool(_), _)) => i128::from(i64::MIN),
        Some((Literal::Integer(number), included)) => i128::from(*number) + i128::from(!included),
        Some((Literal::Float(number), included)) => {
            let excluded = !included && number.ceil() == *number;
            saturated(number.ceil()).saturating_add(i128::from(excluded))
        }
    };
    let high = match high {
        None | Some((Literal::Text(_) | Literal::Bool(_), _)) => i128::from(i64::MAX),
        Some((Literal::Integer(number), included)) => i128::from(*number) - i128::from(!included),
        Some((Literal::Float(number), included)) => {
            let excluded = !included && number.floor() == *number;
            saturated(number.floor()).saturating_sub(i128::from(excluded))
        }
    };
    let (low, high) = (low.max(i64::MIN.into()), high.min(i64::MAX.into()));
    if low > high {
        return None;
    }
    Some((i64::try_from(low).ok()?, i64::try_from(high).ok()?))
}

/// A whole float as an integer; far beyond 64 bits it may be another one that is far beyond.
fn saturated(whole: f64) -> i128 {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and the cast saturates")]
    let integer = whole as i128;
    integer
}

/// The least and greatest float within bounds; `None` if there is none.
fn float_range(low: End<'_>, high: End<'_>) -> Option<(f64, f64)> {
    let low = match low {
        None | Some((Literal::Text(_) | Literal::Bool(_), _)) => f64::NEG_INFINITY,
        Some((Literal::Float(number), true)) => *number,
        Some((Literal::Float(number), false)) => number.next_up(),
        Some((Literal::Integer(number), included)) => {
            // The nearest float is the one before, at, or after the integer.
            let nearest = *number as f64;
            match saturated(nearest).cmp(&i128::from(*number)) {
                std::cmp::Ordering::Greater => nearest,
                std::cmp::Ordering::Equal if included => nearest,
                _ => nearest.next_up(),
            }
        }
    };
    let high = match high {
        None | Some((Literal::Text(_) | Literal::Bool(_), _)) => f64::INFINITY,
        Some((Literal::Float(number), true)) => *number,
        Some((Literal::Float(number), false)) => number.next_down(),
        Some((Literal::Integer(number), included)) => {
            let nearest = *number as f64;
            match saturated(nearest).cmp(&i128::from(*number)) {
                std::cmp::Ordering::Less => nearest,
                std::cmp::Ordering::Equal if included => nearest,
                _ => nearest.next_down(),
            }
        }
    };
    (low <= high).then_some((low, high))
}
