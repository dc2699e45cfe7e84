use super::*;
use crate::id::Id;
use crate::query::{SourceHit, Stats, Term};

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
            terms: vec![Term {
                name: "similarity".to_owned(),
                value: 1.5,
                formula: "2 * similarity".to_owned(),
            }],
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
        to_json(&full),
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
