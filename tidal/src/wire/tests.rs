use serde_json::json;

use super::*;
use crate::entity::Entity;
use crate::filter::{Filter, Test};
use crate::id::{Id, Kind};
use crate::schema::Schema;
use crate::time::Timestamp;
use crate::value::Value;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, field: Option<&str>, message: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, field), "{error}");
    assert!(error.message().contains(message), "{error}");
}

#[test]
fn ids_are_exact() {
    for number in [0, (1 << 53) + 1, u64::MAX] {
        let text = number.to_string();
        let json: Json = serde_json::from_str(&text).unwrap();
        let id = value::id_from_json(&json).unwrap();
        assert_eq!(id, Id::Number(number));
        assert_eq!(value::id_to_json(&id).to_string(), text);
    }
    for text in ["17", "Case", "case", "case ", "a/b", "ü", " "] {
        assert_eq!(value::id_from_json(&json!(text)).unwrap(), Id::Text(text.to_owned()));
        assert_eq!(value::id_to_json(&Id::from(text)), json!(text));
    }
    for bad in ["-1", "1.0", "18446744073709551616", "1e3", "null", "true", "[1]", "{}"] {
        refused(value::id_from_json(&serde_json::from_str(bad).unwrap()), None, "expected an id");
    }
    refused(value::id_from_json(&json!("")), None, "an id of 0 bytes");
    refused(value::id_from_json(&json!("x".repeat(257))), None, "an id of 257 bytes");
}

fn movies() -> Schema {
    let file = "items: {fields: {year: int, price: float, released: timestamp, runtime: duration, place: geo, \
                genres: tags}, embeddings: {content: {dimension: 3, metric: dot}}}";
    Schema::parse(file).unwrap()
}

#[test]
fn an_entity_reads_back() {
    let json = json!({
        "id": 9_007_199_254_740_993_u64,
        "creator": "c/1",
        "metadata": {
            "year": 9_007_199_254_740_993_i64, "price": 1, "released": "2024-02-29T10:30:00.25Z",
            "runtime": "90m", "place": {"lat": 1.5, "lon": -2}, "genres": ["a", "b"], "other": null, "more": true,
        },
        "embeddings": {"content": [0.1, 2, -3e-3]},
    });
    let mut read = entity::from_json(&json).unwrap();
    movies().check_entity(Kind::Item, &mut read).unwrap();
    let expected = Entity::new((1 << 53) + 1)
        .creator("c/1")
        .field("year", (1_i64 << 53) + 1)
        .field("price", 1.0)
        .field("released", Timestamp(1_709_202_600_250_000))
        .field("runtime", Value::Duration(5_400_000_000))
        .field("place", Value::Geo(1.5, -2.0))
        .field("genres", vec!["a".to_owned(), "b".to_owned()])
        .field("other", Value::Null)
        .field("more", true)
        .embedding("content", [0.1, 2.0, -3e-3]);
    assert_eq!(read, expected);
    let mut again = entity::from_json(&entity::to_json(&read)).unwrap();
    movies().check_entity(Kind::Item, &mut again).unwrap();
    assert_eq!(again, expected);
    assert_eq!(entity::to_json(&Entity::new("x")), json!({"id": "x"}));
    assert_eq!(
        entity::from_json(&json!({"id": 1, "creator": null, "metadata": null})).unwrap(),
        Entity::new(1)
    );
}

#[test]
fn wrong_entities_are_refused_by_path() {
    let check =
        |json: Json, field: Option<&str>, message: &str| refused(entity::from_json(&json), field, message);
    check(json!([]), None, "expected an object, found a list");
    check(json!({}), Some("id"), "is missing");
    check(json!({"id": 1.5}), Some("id"), "expected an id");
    check(json!({"id": 1, "creator": -1}), Some("creator"), "expected an id");
    check(json!({"id": 1, "embedding": {}}), Some("embedding"), "unknown key; expected one of id, creator");
    check(json!({"id": 1, "metadata": []}), Some("metadata"), "expected an object");
    check(json!({"id": 1, "metadata": {"a": {"b": 1}}}), Some("metadata.a.b"), "unknown key");
    check(
        json!({"id": 1, "metadata": {"a": {"lat": 1}}}),
        Some("metadata.a.lon"),
        "expected a number, found null",
    );
    check(json!({"id": 1, "metadata": {"a": ["x", 1]}}), Some("metadata.a[1]"), "expected text, found 1");
    check(json!({"id": 1, "metadata": {"a": u64::MAX}}), Some("metadata.a"), "at most 2^63 - 1");
    check(json!({"id": 1, "embeddings": {"c": 1}}), Some("embeddings.c"), "expected a list");
    check(json!({"id": 1, "embeddings": {"c": [1, "x"]}}), Some("embeddings.c[1]"), "expected a number");
    check(json!({"id": 1, "embeddings": {"c": [1e39]}}), Some("embeddings.c[0]"), "within f32");
    check(
        json!({"id": 1, "embeddings": {"c": vec![0; 16_385]}}),
        Some("embeddings.c"),
        "16385 numbers, at most 16384",
    );
}

#[test]
fn every_form_of_filter_reads_back() {
    let forms = [
        json!({"and": [{"or": []}, {"not": {"user": "unseen"}}]}),
        json!({"field": "year", "gte": 1990, "lt": 2000}),
        json!({"field": "year", "gt": 9_007_199_254_740_993_i64}),
        json!({"field": "price", "lte": 1.5}),
        json!({"field": "genres", "in": ["Drama", "Noir"]}),
        json!({"field": "genres", "all": ["Drama"]}),
        json!({"field": "adult", "eq": false}),
        json!({"field": "x", "exists": true}),
        json!({"field": "place", "within": {"lat": 1.0, "lon": 2.0, "radius_m": 500.0}}),
        json!({"id": [18_446_744_073_709_551_615_u64, "a"]}),
        json!({"creator": ["c"]}),
        json!({"user": "following"}),
        json!({"signal": "view", "window": "7d", "gte": 10.0}),
        json!({"signal": "view", "window": "all", "gte": 1.0, "lte": 2.5}),
    ];
    for json in forms {
        let filter = filter::from_json(&json).unwrap();
        assert_eq!(filter::to_json(&filter), json);
        assert_eq!(filter::from_json(&filter::to_json(&filter)).unwrap(), filter);
    }
    let all_time = filter::from_json(&json!({"signal": "view", "gte": 1})).unwrap();
    assert_eq!(filter::to_json(&all_time), json!({"signal": "view", "window": "all", "gte": 1.0}));
    let range = Filter::Field(
        "year".to_owned(),
        Test::Range(std::ops::Bound::Included(Value::Int(1990)), std::ops::Bound::Excluded(Value::Int(2000))),
    );
    assert_eq!(filter::from_json(&json!({"field": "year", "lt": 2000, "gte": 1990})).unwrap(), range);
}

#[test]
fn wrong_filters_are_refused_by_path() {
    let check =
        |json: Json, field: Option<&str>, message: &str| refused(filter::from_json(&json), field, message);
    check(json!("year"), None, "expected an object, found \"year\"");
    check(json!({}), None, "expected one of the keys and, or, not");
    check(json!({"and": [], "or": []}), None, "both and and or");
    check(json!({"and": {}}), Some("and"), "expected a list");
    check(json!({"and": [{"or": [{"nor": []}]}]}), Some("and[0].or[0]"), "expected one of the keys");
    check(json!({"not": [], "x": 1}), Some("x"), "unknown key; expected one of not");
    check(json!({"field": 1, "eq": 1}), Some("field"), "expected text");
    check(json!({"field": "a"}), None, "a: expected a test, one of eq, in");
    check(json!({"field": "a", "ge": 1}), Some("ge"), "unknown key");
    check(json!({"field": "a", "eq": 1, "lt": 2}), Some("eq"), "cannot stand beside another test");
    check(json!({"field": "a", "gt": 1, "gte": 2}), Some("gte"), "two bounds on the same side");
    check(json!({"field": "a", "in": 1}), Some("in"), "expected a list");
    check(json!({"field": "a", "exists": "yes"}), Some("exists"), "expected true or false");
    check(
        json!({"field": "a", "within": {"lat": 1, "lon": 2}}),
        Some("within.radius_m"),
        "expected a number",
    );
    check(json!({"field": "a", "within": {"lat": 1, "lon": 2, "km": 1}}), Some("within.km"), "unknown key");
    check(json!({"id": [1, {}]}), Some("id[1]"), "expected an id");
    check(json!({"user": "watched"}), Some("user"), "expected one of seen, unseen");
    check(json!({"signal": "view", "window": "8d", "gte": 1}), Some("window"), "expected one of 1h, 24h");
    check(json!({"signal": "view", "gte": "1"}), Some("gte"), "expected a number");
    check(json!({"signal": "view", "gt": 1}), Some("gt"), "unknown key");

    let deep = |depth: usize| (1..depth).fold(json!({"or": []}), |json, _| json!({"not": json}));
    assert!(filter::from_json(&deep(64)).is_ok());
    let error = filter::from_json(&deep(65)).unwrap_err();
    assert_eq!(error.message(), "nested deeper than 64");
}

#[test]
fn the_forms_of_the_documentation_are_filters() {
    let page = include_str!("../../../docs/filters.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let forms: Vec<&str> = rows.map(|(form, _)| form).filter(|form| form.starts_with('{')).collect();
    assert_eq!(forms.len(), 13);
    for form in forms {
        let json = form.replace("f, …", r#"{"or": []}"#).replace("f}", r#"{"or": []}}"#);
        let json = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{form}: {error}"));
        filter::from_json(&json).unwrap_or_else(|error| panic!("{form}: {error}"));
    }
}
