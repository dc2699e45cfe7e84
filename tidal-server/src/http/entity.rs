//! Reading and removing entities.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Query, State};
use axum::http::Uri;
use axum::routing::get;
use axum::{Json as Answer, Router};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tidaldb::{Database, Id, Kind, Mutation, wire};

use super::app::App;
use super::body::JsonBody;
use super::problem::Problem;
use super::write::{self, write};
use crate::limits::DEFAULT_PAGE;

/// The id in a path, or why the path cannot be read.
type IdPath = Result<Path<String>, PathRejection>;

/// The routes of one kind of entity.
pub(crate) fn routes(kind: Kind) -> Router<App> {
    let (all, one) = match kind {
        Kind::Item => ("/items", "/items/{id}"),
        Kind::User => ("/users", "/users/{id}"),
        Kind::Creator => ("/creators", "/creators/{id}"),
    };
    let list = get(move |State(app): State<App>, uri: Uri| list(app, kind, uri))
        .post(move |State(app): State<App>, body: JsonBody| write::entities(app, kind, body));
    let entity = get(move |State(app): State<App>, id: IdPath| read(app, kind, id))
        .delete(move |State(app): State<App>, id: IdPath| remove(app, kind, id));
    Router::new().route(all, list).route(one, entity)
}

async fn read(app: App, kind: Kind, id: IdPath) -> Result<Answer<Json>, Problem> {
    let id = id_of(id)?;
    let entity = app.call(move |database| {
        let missing = || Problem::not_found(format!("there is no {kind} {id}"));
        database.get(kind, &id)?.ok_or_else(missing)
    });
    Ok(Answer(wire::entity::to_json(&entity.await?)))
}

async fn remove(app: App, kind: Kind, id: IdPath) -> Result<Answer<Json>, Problem> {
    write(&app, vec![Mutation::Delete(kind, id_of(id)?)]).await
}

/// Which part of a list is wanted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    #[serde(default)]
    from: usize,
    limit: Option<usize>,
}

async fn list(app: App, kind: Kind, uri: Uri) -> Result<Answer<Json>, Problem> {
    let Query(page) = Query::<Page>::try_from_uri(&uri)
        .map_err(|error| Problem::invalid("query string", error.body_text()))?;
    let limit = page.limit.unwrap_or(DEFAULT_PAGE);
    if !(1..=tidaldb::limits::MAX_LIMIT).contains(&limit) {
        let detail = format!("is {limit}, must be 1 to {}", tidaldb::limits::MAX_LIMIT);
        return Err(Problem::invalid("limit", detail));
    }
    let answer = app.call(move |database| {
        let total = database.count(kind)?;
        let ids = database.list(kind, page.from, limit)?;
        let entities =
            ids.iter().map(|id| summary(database, kind, id)).collect::<Result<Vec<Json>, Problem>>()?;
        Ok(json!({ "total": total, "from": page.from, "entities": entities }))
    });
    Ok(Answer(answer.await?))
}

/// An entity without its embeddings, which a list has no use for. Null for one that was removed since it was listed.
fn summary(database: &Database, kind: Kind, id: &Id) -> Result<Json, Problem> {
    let Some(mut entity) = database.get(kind, id)? else {
        return Ok(Json::Null);
    };
    entity.embeddings.clear();
    let mut json = wire::entity::to_json(&entity);
    if let Json::Object(map) = &mut json {
        map.remove("embeddings");
    }
    Ok(json)
}

/// Everything a user has a relation to, by relation.
pub(crate) async fn relations(State(app): State<App>, id: IdPath) -> Result<Answer<Json>, Problem> {
    let user = id_of(id)?;
    let answer = app.call(move |database| {
        let mut answer = json!({});
        for (name, kind) in wire::relation::NAMES {
            answer[name] = database.relations(&user, kind)?.iter().map(wire::value::id_to_json).collect();
        }
        Ok(answer)
    });
    Ok(Answer(answer.await?))
}

fn id_of(path: IdPath) -> Result<Id, Problem> {
    let Path(path) = path.map_err(|error| Problem::invalid("id", error.body_text()))?;
    parse_id(&path)
}

/// Digits are the number, unless they stand in quotes; everything else is the text.
fn parse_id(path: &str) -> Result<Id, Problem> {
    let quoted = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let id = match quoted {
        Some(text) => Id::Text(text.to_owned()),
        None if !path.is_empty() && path.bytes().all(|byte| byte.is_ascii_digit()) => {
            Id::Number(path.parse().map_err(|_| Problem::invalid("id", "a number is at most 2^64 - 1"))?)
        }
        None => Id::Text(path.to_owned()),
    };
    match &id {
        Id::Text(text) if text.is_empty() || text.len() > tidaldb::limits::MAX_ID_BYTES => {
            let most = tidaldb::limits::MAX_ID_BYTES;
            Err(Problem::invalid("id", format!("an id has 1 to {most} bytes, this one has {}", text.len())))
        }
        _ => Ok(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_the_number_unless_quoted() {
        assert_eq!(parse_id("17"), Ok(Id::Number(17)));
        assert_eq!(parse_id("\"17\""), Ok(Id::Text("17".to_owned())));
        assert_eq!(parse_id("Drama · 1990s"), Ok(Id::Text("Drama · 1990s".to_owned())));
        assert_eq!(parse_id("\"\"a\"\""), Ok(Id::Text("\"a\"".to_owned())), "quotes around quotes");
        assert_eq!(parse_id("18446744073709551615"), Ok(Id::Number(u64::MAX)));
        for wrong in ["18446744073709551616", "\"\"", &"x".repeat(257)] {
            assert!(parse_id(wrong).is_err(), "{wrong}");
        }
    }
}
