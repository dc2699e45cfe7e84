//! Answers: `{"results": [{"id", "rank", "score", "signals", "explain"}], "warnings", "constraints_satisfied", "stats"}`.

use serde_json::{Value as Json, json};

use super::value::id_to_json;
use crate::query::{Answer, Explain, Hit};

/// Writes an answer. `explain` is absent from a result that has none.
pub fn to_json(answer: &Answer) -> Json {
    json!({
        "results": answer.results.iter().map(hit_to_json).collect::<Vec<Json>>(),
        "warnings": answer.warnings,
        "constraints_satisfied": answer.constraints_satisfied,
        "stats": {
            "candidates": answer.stats.candidates,
            "filtered": answer.stats.filtered,
            "scored": answer.stats.scored,
        },
    })
}

/// Writes one result.
pub fn hit_to_json(hit: &Hit) -> Json {
    let mut json = json!({
        "id": id_to_json(&hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "signals": hit.signals,
    });
    if let Some(explain) = &hit.explain {
        json["explain"] = explain_to_json(explain);
    }
    json
}

fn explain_to_json(explain: &Explain) -> Json {
    let sources = explain.sources.iter().map(|hit| json!({"source": hit.source, "rank": hit.rank}));
    let terms = explain
        .terms
        .iter()
        .map(|term| json!({"name": term.name, "value": term.value, "formula": term.formula}));
    json!({
        "reason": explain.reason,
        "sources": sources.collect::<Vec<Json>>(),
        "terms": terms.collect::<Vec<Json>>(),
    })
}

#[cfg(test)]
mod tests {
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
}
