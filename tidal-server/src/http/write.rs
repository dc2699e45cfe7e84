//! Writes: one object is one change, an array of objects is one batch, made whole or not at all.

use axum::Json as Answer;
use axum::extract::State;
use serde_json::{Value as Json, json};
use tidaldb::{Batch, Kind, Mutation, wire};

use super::app::App;
use super::body::JsonBody;
use super::problem::Problem;

pub(crate) async fn entities(
    app: App,
    kind: Kind,
    JsonBody(body): JsonBody,
) -> Result<Answer<Json>, Problem> {
    let entities = wire::one_or_many(&body, wire::entity::from_json)?;
    write(&app, entities.into_iter().map(|entity| Mutation::Put(kind, entity)).collect()).await
}

pub(crate) async fn signals(
    State(app): State<App>,
    JsonBody(body): JsonBody,
) -> Result<Answer<Json>, Problem> {
    let schema = app.database().schema();
    let signals = wire::one_or_many(&body, |json| wire::signal::from_json(json, schema))?;
    write(&app, signals.into_iter().map(Mutation::Signal).collect()).await
}

pub(crate) async fn relate(
    State(app): State<App>,
    JsonBody(body): JsonBody,
) -> Result<Answer<Json>, Problem> {
    let relations = wire::one_or_many(&body, wire::relation::from_json)?;
    write(&app, relations.into_iter().map(Mutation::Relate).collect()).await
}

pub(crate) async fn unrelate(
    State(app): State<App>,
    JsonBody(body): JsonBody,
) -> Result<Answer<Json>, Problem> {
    let relations = wire::one_or_many(&body, wire::relation::from_json)?;
    write(&app, relations.into_iter().map(Mutation::Unrelate).collect()).await
}

pub(crate) async fn write(app: &App, mutations: Vec<Mutation>) -> Result<Answer<Json>, Problem> {
    let changes = mutations.len();
    let receipt = app.call(move |database| Ok(database.write(Batch { mutations })?)).await?;
    Ok(Answer(json!({
        "written": changes - receipt.duplicates - receipt.unchanged,
        "duplicates": receipt.duplicates,
        "unchanged": receipt.unchanged,
        "position": receipt.position,
        "warnings": receipt.warnings,
    })))
}
