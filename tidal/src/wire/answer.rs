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
mod tests;
