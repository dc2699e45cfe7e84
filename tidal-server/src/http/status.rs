//! How the server is.

use axum::Json as Answer;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value as Json, json};
use tidaldb::Kind;

use super::app::App;
use crate::limits::RETRY_AFTER_SECONDS;

/// The process runs and answers.
pub(crate) async fn health() -> Answer<Json> {
    Answer(json!({ "status": "ok" }))
}

/// 200 if everything is there that was to be imported, else 503; either way with how far the import is.
pub(crate) async fn ready(State(app): State<App>) -> Response {
    let import = app.import().map(|progress| progress.state());
    let ready = import.as_ref().is_none_or(|import| import.is_done());
    let body = Answer(json!({ "ready": ready, "import": import }));
    if ready {
        return body.into_response();
    }
    let retry = (header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
    (StatusCode::SERVICE_UNAVAILABLE, [retry], body).into_response()
}

pub(crate) async fn profiles(State(app): State<App>) -> Answer<Json> {
    Answer(json!({ "profiles": app.database().profiles() }))
}

/// The schema, as the database reads it back and in parts for programs.
pub(crate) async fn schema(State(app): State<App>) -> Answer<Json> {
    let schema = app.database().schema();
    let mut kinds = json!({});
    for (name, kind) in [("items", Kind::Item), ("users", Kind::User), ("creators", Kind::Creator)] {
        let fields =
            schema.fields(kind).iter().map(|field| json!({"name": field.name, "type": field.of.name()}));
        let slots = schema.slots(kind).iter();
        let slots = slots.map(
            |slot| json!({"name": slot.name, "dimension": slot.dimension, "metric": slot.metric.name()}),
        );
        kinds[name] = json!({"fields": fields.collect::<Vec<_>>(), "embeddings": slots.collect::<Vec<_>>()});
    }
    let signals = schema.signals().iter().map(|signal| json!({"name": signal.name, "on": signal.on}));
    kinds["signals"] = signals.collect();
    kinds["yaml"] = Json::from(schema.to_yaml());
    Answer(kinds)
}
