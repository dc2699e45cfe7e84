//! Filters. `docs/filters.md` lists the forms.

use std::ops::Bound;

use serde_json::{Map, Value as Json, json};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, SignalCondition, Test};
use crate::limits::MAX_DEPTH;
use crate::signal::Window;
use crate::value::Value;

use super::{bool, list, mismatch, number, object, only_keys, text, value};

/// The key by which a form is known.
const FORMS: [&str; 8] = ["and", "or", "not", "field", "id", "creator", "user", "signal"];
/// Keys of a test on a field, besides `field`.
const TESTS: [&str; 9] = ["eq", "in", "all", "gt", "gte", "lt", "lte", "exists", "within"];

/// Reads a filter. Names are not resolved here: the query does that.
///
/// # Errors
/// `Invalid` with a path such as `and[1].lt`, to be put below the name of the filter itself.
pub fn from_json(json: &Json) -> Result<Filter> {
    read(json, 1)
}

fn read(json: &Json, depth: usize) -> Result<Filter> {
    if depth > MAX_DEPTH {
        return Err(invalid(format!("nested deeper than {MAX_DEPTH}")));
    }
    let body = object(json)?;
    let forms: Vec<&str> = FORMS.into_iter().filter(|form| body.contains_key(*form)).collect();
    let form = match forms.as_slice() {
        [form] => *form,
        [] => return Err(invalid(format!("expected one of the keys {}", FORMS.join(", ")))),
        [first, second, ..] => return Err(invalid(format!("both {first} and {second}; join them with and"))),
    };
    match form {
        "field" => return field(body),
        "signal" => return signal(body),
        _ => only_keys(body, &[form])?,
    }
    let inner = &body[form];
    let filter = match form {
        "and" => list(inner, |json| read(json, depth + 1)).map(Filter::All),
        "or" => list(inner, |json| read(json, depth + 1)).map(Filter::Any),
        "not" => read(inner, depth + 1).map(|filter| Filter::Not(Box::new(filter))),
        "id" => list(inner, value::id_from_json).map(Filter::Id),
        "creator" => list(inner, value::id_from_json).map(Filter::Creator),
        _ => named(inner, "seen, unseen, liked, saved, hidden, following").map(Filter::User),
    };
    filter.map_err(|error| error.below(form))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

/// One of the names that serde knows for a type.
fn named<T: serde::de::DeserializeOwned>(json: &Json, names: &str) -> Result<T> {
    T::deserialize(json).map_err(|_| mismatch(&format!("one of {names}"), json))
}

fn field(body: &Map<String, Json>) -> Result<Filter> {
    let name = text(&body["field"]).map_err(|error| error.below("field"))?;
    only_keys(body, &[&["field"], TESTS.as_slice()].concat())?;
    let tests: Vec<(&str, &Json)> =
        TESTS.into_iter().filter_map(|test| body.get(test).map(|operand| (test, operand))).collect();
    let test = match tests.as_slice() {
        [] => {
            return Err(invalid(format!("{name}: expected a test, one of {}", TESTS.join(", "))));
        }
        [(key, operand)] if !is_bound(key) => read_test(key, operand).map_err(|error| error.below(key))?,
        bounds => read_range(bounds)?,
    };
    Ok(Filter::Field(name.to_owned(), test))
}

fn is_bound(key: &str) -> bool {
    matches!(key, "gt" | "gte" | "lt" | "lte")
}

fn read_test(key: &str, operand: &Json) -> Result<Test> {
    match key {
        "eq" => value::from_json(operand).map(Test::Eq),
        "in" => list(operand, value::from_json).map(Test::In),
        "all" => list(operand, value::from_json).map(Test::All),
        "exists" => bool(operand).map(Test::Exists),
        _ => {
            let (latitude, longitude) = value::place_from_json(operand, &["radius_m"])?;
            let radius_m = operand.get("radius_m").unwrap_or(&Json::Null);
            let radius_m = number(radius_m).map_err(|error| error.below("radius_m"))?;
            Ok(Test::Within { latitude, longitude, radius_m })
        }
    }
}

fn read_range(bounds: &[(&str, &Json)]) -> Result<Test> {
    let (mut low, mut high) = (Bound::Unbounded, Bound::Unbounded);
    for (key, operand) in bounds {
        if !is_bound(key) {
            return Err(Error::invalid(*key, "cannot stand beside another test; join them with and"));
        }
        let operand = value::from_json(operand).map_err(|error| error.below(key))?;
        let end = if key.starts_with('g') { &mut low } else { &mut high };
        if *end != Bound::Unbounded {
            return Err(Error::invalid(*key, "two bounds on the same side"));
        }
        *end = if key.ends_with('e') { Bound::Included(operand) } else { Bound::Excluded(operand) };
    }
    Ok(Test::Range(low, high))
}

fn signal(body: &Map<String, Json>) -> Result<Filter> {
    only_keys(body, &["signal", "window", "gte", "lte"])?;
    let bound = |key: &str| match body.get(key) {
        Some(json) => number(json).map(Some).map_err(|error| error.below(key)),
        None => Ok(None),
    };
    Ok(Filter::Signal(SignalCondition {
        signal: text(&body["signal"]).map_err(|error| error.below("signal"))?.to_owned(),
        window: match body.get("window") {
            Some(json) => {
                named(json, "1h, 24h, 7d, 30d, 365d, all").map_err(|error| error.below("window"))?
            }
            None => Window::All,
        },
        at_least: bound("gte")?,
        at_most: bound("lte")?,
    }))
}

/// Writes a filter in the form that [`from_json`] reads.
pub fn to_json(filter: &Filter) -> Json {
    match filter {
        Filter::All(filters) => json!({"and": filters.iter().map(to_json).collect::<Json>()}),
        Filter::Any(filters) => json!({"or": filters.iter().map(to_json).collect::<Json>()}),
        Filter::Not(filter) => json!({"not": to_json(filter)}),
        Filter::Field(name, test) => {
            let mut body = Map::new();
            body.insert("field".to_owned(), json!(name));
            write_test(test, &mut body);
            Json::Object(body)
        }
        Filter::Id(ids) => json!({"id": ids.iter().map(value::id_to_json).collect::<Json>()}),
        Filter::Creator(ids) => json!({"creator": ids.iter().map(value::id_to_json).collect::<Json>()}),
        Filter::User(condition) => json!({"user": condition}),
        Filter::Signal(SignalCondition { signal, window, at_least, at_most }) => {
            let mut body = Map::new();
            body.insert("signal".to_owned(), json!(signal));
            body.insert("window".to_owned(), json!(window));
            for (key, bound) in [("gte", at_least), ("lte", at_most)] {
                if let Some(number) = bound {
                    body.insert(key.to_owned(), json!(number));
                }
            }
            Json::Object(body)
        }
    }
}

fn write_test(test: &Test, body: &mut Map<String, Json>) {
    let mut put = |key: &str, json: Json| body.insert(key.to_owned(), json);
    let values = |values: &[Value]| values.iter().map(value::to_json).collect::<Json>();
    match test {
        Test::Eq(operand) => _ = put("eq", value::to_json(operand)),
        Test::In(operands) => _ = put("in", values(operands)),
        Test::All(operands) => _ = put("all", values(operands)),
        Test::Exists(exists) => _ = put("exists", json!(exists)),
        Test::Within { latitude, longitude, radius_m } => {
            _ = put("within", json!({"lat": latitude, "lon": longitude, "radius_m": radius_m}));
        }
        Test::Range(low, high) => {
            for (bound, included, excluded) in [(low, "gte", "gt"), (high, "lte", "lt")] {
                match bound {
                    Bound::Included(operand) => _ = put(included, value::to_json(operand)),
                    Bound::Excluded(operand) => _ = put(excluded, value::to_json(operand)),
                    Bound::Unbounded => {}
                }
            }
        }
    }
}
