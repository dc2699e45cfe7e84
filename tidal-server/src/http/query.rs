//! Questions.

use std::collections::HashMap;

use axum::Json as Answer;
use axum::extract::State;
use serde_json::{Map, Value as Json};
use tidaldb::{Database, Id, Kind, Schema, wire};

use super::app::App;
use super::body::JsonBody;
use super::problem::Problem;

pub(crate) async fn retrieve(
    State(app): State<App>,
    JsonBody(body): JsonBody,
) -> Result<Answer<Json>, Problem> {
    let (body, fields) = split_fields(body, &wire::query::RETRIEVE_KEYS, app.database().schema())?;
    let request = wire::query::retrieve_from_json(&body)?;
    let answer = app.call(move |database| with_fields(database, &database.retrieve(&request)?, &fields));
    Ok(Answer(answer.await?))
}

pub(crate) async fn search(
    State(app): State<App>,
    JsonBody(body): JsonBody,
) -> Result<Answer<Json>, Problem> {
    let (body, fields) = split_fields(body, &wire::query::SEARCH_KEYS, app.database().schema())?;
    let request = wire::query::search_from_json(&body)?;
    let answer = app.call(move |database| with_fields(database, &database.search(&request)?, &fields));
    Ok(Answer(answer.await?))
}

/// Which metadata comes with each result.
#[derive(Debug, PartialEq)]
enum Fields {
    None,
    All,
    Named(Vec<String>),
}

/// The server's own option.
const FIELDS: &str = "fields";

/// Takes the server's own option out of a request; the rest, which may have these keys, is the database's.
fn split_fields(mut body: Json, keys: &[&str], schema: &Schema) -> Result<(Json, Fields), Problem> {
    let Some(map) = body.as_object_mut() else { return Ok((body, Fields::None)) };
    wire::only_keys(map, &[keys, &[FIELDS]].concat())?;
    let fields = match map.remove(FIELDS) {
        None | Some(Json::Null | Json::Bool(false)) => Fields::None,
        Some(Json::Bool(true)) => Fields::All,
        Some(Json::Array(names)) => Fields::Named(names_of_fields(names, schema)?),
        Some(_) => {
            return Err(Problem::invalid(FIELDS, "expected true, false or a list of field names"));
        }
    };
    Ok((body, fields))
}

/// Names of fields that the schema has for items or for creators.
fn names_of_fields(names: Vec<Json>, schema: &Schema) -> Result<Vec<String>, Problem> {
    let most = tidaldb::limits::MAX_FIELDS;
    if names.len() > most {
        let detail = format!("has {} names, at most {most} are allowed", names.len());
        return Err(Problem::invalid(FIELDS, detail));
    }
    let known = |kind| schema.fields(kind).iter().map(|field| field.name.as_str());
    let name = |(index, name): (usize, Json)| {
        let place = format!("{FIELDS}[{index}]");
        let Json::String(name) = name else {
            return Err(Problem::invalid(&place, "expected the name of a field"));
        };
        if known(Kind::Item).chain(known(Kind::Creator)).any(|known| known == name) {
            return Ok(name);
        }
        let list = |kind| match known(kind).collect::<Vec<&str>>() {
            names if names.is_empty() => "none".to_owned(),
            names => names.join(", "),
        };
        let (items, creators) = (list(Kind::Item), list(Kind::Creator));
        let detail = format!("there is no field {name:?}; items have {items}; creators have {creators}");
        Err(Problem::invalid(&place, detail))
    };
    names.into_iter().enumerate().map(name).collect()
}

/// Adds `metadata`, `creator` and `creator_metadata` to each result, so that a page needs one request.
fn with_fields(database: &Database, answer: &tidaldb::Answer, fields: &Fields) -> Result<Json, Problem> {
    let mut json = wire::answer::to_json(answer);
    if *fields == Fields::None {
        return Ok(json);
    }
    let mut creators: HashMap<Id, Json> = HashMap::new();
    let results = json["results"].as_array_mut().into_iter().flatten();
    for (hit, result) in answer.results.iter().zip(results) {
        // An item that was removed after the query has no metadata any more.
        let Some(mut item) = database.get(Kind::Item, &hit.id)? else {
            continue;
        };
        item.embeddings.clear();
        let creator = item.creator.clone();
        let mut entity = wire::entity::to_json(&item);
        result["metadata"] = chosen(entity["metadata"].take(), fields);
        let Some(creator) = creator else { continue };
        result["creator"] = wire::value::id_to_json(&creator);
        if !creators.contains_key(&creator) {
            let mut entity = match database.get(Kind::Creator, &creator)? {
                Some(entity) => wire::entity::to_json(&entity),
                None => Json::Null,
            };
            creators.insert(creator.clone(), chosen(entity["metadata"].take(), fields));
        }
        result["creator_metadata"] = creators.get(&creator).cloned().unwrap_or_default();
    }
    Ok(json)
}

fn chosen(metadata: Json, fields: &Fields) -> Json {
    match (metadata, fields) {
        (Json::Object(map), Fields::Named(names)) => Json::Object(
            map.into_iter().filter(|(name, _)| names.contains(name)).collect::<Map<String, Json>>(),
        ),
        (metadata, _) => metadata,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_servers_own_option_is_taken_out() {
        let schema =
            Schema::parse("{items: {fields: {title: text}}, creators: {fields: {name: text}}}").unwrap();
        let split =
            |fields: Json| split_fields(json!({"profile": "new", "fields": fields}), &["profile"], &schema);
        let rest = json!({"profile": "new"});
        assert_eq!(split(json!(true)), Ok((rest.clone(), Fields::All)));
        assert_eq!(split(json!(null)), Ok((rest.clone(), Fields::None)));
        let names = Fields::Named(vec!["title".to_owned(), "name".to_owned()]);
        assert_eq!(split(json!(["title", "name"])), Ok((rest, names)));
        let problem = split(json!(["title", 3])).expect_err("3 is no name");
        assert!(format!("{problem:?}").contains("fields[1]"), "{problem:?}");
        assert!(split(json!("title")).is_err());
    }

    #[test]
    fn only_named_fields_come() {
        let metadata = json!({"title": "Casablanca", "year": 1942});
        assert_eq!(chosen(metadata.clone(), &Fields::All), metadata);
        assert_eq!(chosen(metadata, &Fields::Named(vec!["year".to_owned()])), json!({"year": 1942}));
        assert_eq!(chosen(Json::Null, &Fields::Named(Vec::new())), Json::Null);
    }
}
