use serde_json::{Value as Json, json};

use super::{answer, one_or_many, query, relation};
use crate::error::{Error, Result};
use crate::id::Id;
use crate::mutation::RelationKind;
use crate::query::{Answer, Explain, Hit, SourceHit, Stats, Term};

/// The error of reading `json`, as `field: message`.
fn refused<T: std::fmt::Debug>(read: impl Fn(&Json) -> Result<T>, json: &Json) -> String {
    let error: Error = read(json).expect_err("must be refused");
    error.to_string()
}

#[test]
fn a_request_reads_back_as_written() {
    let full = json!({
        "user": 7, "profile": "for_you", "similar_to": "17", "exclude": [1, "x"],
        "diversity": {"max_per_creator": 2}, "limit": 50, "window": "7d", "explain": true,
    });
    let request = query::retrieve_from_json(&full).unwrap();
    assert_eq!(request.user, Some(Id::Number(7)));
    assert_eq!(request.similar_to, Some(Id::Text("17".to_owned())));
    assert_eq!(query::retrieve_to_json(&request), full);

    let full = json!({
        "query": "late night piano", "strict": true, "user": "u", "profile": "search",
        "diversity": {"max_per_creator": 1}, "limit": 3, "explain": false,
    });
    assert_eq!(query::search_to_json(&query::search_from_json(&full).unwrap()), full);
}

#[test]
fn only_what_must_be_there_must_be_there() {
    let request = query::retrieve_from_json(&json!({"profile": "new", "user": null})).unwrap();
    assert_eq!(request, crate::Retrieve::using("new"));
    let request = query::search_from_json(&json!({"query": "piano"})).unwrap();
    assert_eq!(request, crate::Search::new("piano"));
}

#[test]
fn wrong_requests_are_refused_by_name() {
    let retrieve = |json| refused(query::retrieve_from_json, &json);
    assert_eq!(retrieve(json!({})), "profile: is missing");
    assert!(retrieve(json!({"profile": "new", "cursor": "x"})).starts_with("cursor: unknown key; known here: user"));
    assert_eq!(retrieve(json!({"profile": 3})), "profile: expected a string, found 3");
    assert_eq!(
        retrieve(json!({"profile": "new", "limit": -1})),
        "limit: expected a whole number, 0 or more, found -1"
    );
    assert_eq!(
        retrieve(json!({"profile": "new", "exclude": [1, 1.5]})),
        "exclude[1]: expected a whole number from 0 to 2^64 - 1, found 1.5"
    );
    assert_eq!(
        retrieve(json!({"profile": "new", "diversity": {"max": 2}})),
        "diversity.max: unknown key; known here: max_per_creator"
    );
    assert_eq!(
        retrieve(json!({"profile": "new", "window": "2h"})),
        "window: no window \"2h\"; there are 1h, 24h, 7d, 30d, 365d, all"
    );
    assert_eq!(retrieve(json!([])), ": expected an object, found an array");
}

#[test]
fn the_target_of_a_relation_stands_under_the_key_of_its_kind() {
    for (name, kind) in relation::NAMES {
        let key = if matches!(kind, RelationKind::Hide | RelationKind::Save) { "item" } else { "creator" };
        let full = json!({"relation": name, "user": 7, key: "x"});
        let read = relation::from_json(&full).unwrap();
        assert_eq!((read.kind, &read.target), (kind, &Id::Text("x".to_owned())));
        assert_eq!(relation::to_json(&read), full);
    }
    assert_eq!(
        refused(relation::from_json, &json!({"relation": "hide", "user": 7, "creator": 1})),
        "creator: the target of hide is given as item, not as creator"
    );
    assert_eq!(
        refused(relation::from_json, &json!({"relation": "like", "user": 7, "item": 1})),
        "relation: no relation \"like\"; there are follow, block, mute, hide, save"
    );
}

#[test]
fn an_error_in_a_batch_says_which_element() {
    let batch = json!([{"relation": "hide", "user": 7, "item": 1}, {"relation": "hide", "item": 1}]);
    assert_eq!(refused(|json| one_or_many(json, relation::from_json), &batch), "[1].user: is missing");
    assert_eq!(refused(|json| one_or_many(json, relation::from_json), &json!([3])), "[0]: expected an object, found 3");
    assert_eq!(one_or_many(&batch[0], relation::from_json).unwrap().len(), 1);
}

#[test]
fn an_answer_has_the_documented_form() {
    let hit = Hit {
        id: Id::Number(u64::MAX),
        rank: 1,
        score: 1.5,
        signals: [("view".to_owned(), 3.0)].into(),
        explain: Some(Explain {
            reason: "like Casablanca".to_owned(),
            sources: vec![SourceHit { source: "interest".to_owned(), rank: 4 }],
            terms: vec![Term { name: "similarity".to_owned(), value: 1.5, formula: "2 * similarity".to_owned() }],
        }),
    };
    let bare = Hit { id: Id::Text("b".to_owned()), rank: 2, explain: None, ..hit.clone() };
    let full = Answer {
        results: vec![hit, bare],
        warnings: vec!["w".to_owned()],
        constraints_satisfied: false,
        stats: Stats { candidates: 9, filtered: 2, scored: 7 },
    };
    assert_eq!(
        answer::to_json(&full),
        json!({
            "results": [
                {"id": u64::MAX, "rank": 1, "score": 1.5, "signals": {"view": 3.0}, "explain": {
                    "reason": "like Casablanca",
                    "sources": [{"source": "interest", "rank": 4}],
                    "terms": [{"name": "similarity", "value": 1.5, "formula": "2 * similarity"}],
                }},
                {"id": "b", "rank": 2, "score": 1.5, "signals": {"view": 3.0}},
            ],
            "warnings": ["w"],
            "constraints_satisfied": false,
            "stats": {"candidates": 9, "filtered": 2, "scored": 7},
        })
    );
}
