use serde_json::{Value as Json, json};

use super::{retrieve_from_json, retrieve_to_json, search_from_json, search_to_json};
use crate::error::Result;
use crate::id::Id;

/// The error of reading `json`, as `field: message`.
fn refused<T: std::fmt::Debug>(read: impl Fn(&Json) -> Result<T>, json: &Json) -> String {
    read(json).expect_err("must be refused").to_string()
}

#[test]
fn a_request_reads_back_as_written() {
    let full = json!({
        "user": 7, "profile": "for_you", "similar_to": "17", "exclude": [1, "x"], "filter": {"field": "year", "gte": 1990},
        "diversity": {"max_per_creator": 2}, "limit": 50, "window": "7d", "explain": true,
    });
    let request = retrieve_from_json(&full).unwrap();
    assert_eq!(request.user, Some(Id::Number(7)));
    assert_eq!(request.similar_to, Some(Id::Text("17".to_owned())));
    assert_eq!(retrieve_to_json(&request), full);

    let full = json!({
        "query": "late night piano", "strict": true, "user": "u", "profile": "search",
        "diversity": {"max_per_creator": 1}, "limit": 3, "explain": false,
    });
    assert_eq!(search_to_json(&search_from_json(&full).unwrap()), full);
}

#[test]
fn only_what_must_be_there_must_be_there() {
    let request = retrieve_from_json(&json!({"profile": "new", "user": null})).unwrap();
    assert_eq!(request, crate::Retrieve::using("new"));
    let request = search_from_json(&json!({"query": "piano"})).unwrap();
    assert_eq!(request, crate::Search::new("piano"));
}

#[test]
fn wrong_requests_are_refused_by_name() {
    let retrieve = |json| refused(retrieve_from_json, &json);
    assert_eq!(retrieve(json!({})), "profile: is missing");
    assert!(
        retrieve(json!({"profile": "new", "cursor": "x"}))
            .starts_with("cursor: unknown key; expected one of user")
    );
    assert_eq!(retrieve(json!({"profile": 3})), "profile: expected text, found 3");
    assert_eq!(
        retrieve(json!({"profile": "new", "limit": -1})),
        "limit: expected a whole number, 0 or more, found -1"
    );
    assert_eq!(
        retrieve(json!({"profile": "new", "exclude": [1, 1.5]})),
        "exclude[1]: expected an id (text, or a whole number from 0 to 2^64 - 1), found 1.5"
    );
    assert_eq!(
        retrieve(json!({"profile": "new", "diversity": {"max": 2}})),
        "diversity.max: unknown key; expected one of max_per_creator"
    );
    assert_eq!(
        retrieve(json!({"profile": "new", "window": "2h"})),
        "window: expected a window (1h, 24h, 7d, 30d, 365d, all), found \"2h\""
    );
    assert_eq!(retrieve(json!([])), "expected an object, found a list");
}
