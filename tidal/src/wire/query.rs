//! Requests: the bodies of `/retrieve` and `/search`.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value as Json};

use super::object::{Object, named};
use super::value::{id_from_json, id_to_json};
use super::{filter, list, mismatch, text};
use crate::error::Result;
use crate::id::Id;
use crate::limits::MAX_EXCLUDED;
use crate::query::{Diversity, Retrieve, Search};
use crate::signal::Window;

/// Results of a query that does not say how many.
const DEFAULT_LIMIT: usize = 20;

/// What the body of a retrieve may have.
pub const RETRIEVE_KEYS: [&str; 9] =
    ["user", "profile", "filter", "similar_to", "exclude", "diversity", "limit", "window", "explain"];

/// What the body of a search may have.
pub const SEARCH_KEYS: [&str; 8] =
    ["query", "strict", "user", "filter", "profile", "diversity", "limit", "explain"];

/// Reads `{"user", "profile", "filter", "similar_to", "exclude", "diversity", "limit", "window", "explain"}`, of which only
/// `profile` must be there.
///
/// # Errors
/// `Invalid`, with the path of the field.
pub fn retrieve_from_json(json: &Json) -> Result<Retrieve> {
    let object = Object::new(json, &RETRIEVE_KEYS)?;
    Ok(Retrieve {
        user: object.read("user", id_from_json)?,
        profile: object.require("profile", owned)?,
        filter: object.read("filter", filter::from_json)?,
        similar_to: object.read("similar_to", id_from_json)?,
        exclude: object.read("exclude", excluded)?.unwrap_or_default(),
        diversity: object.read("diversity", diversity)?,
        window: object.read("window", window)?,
        limit: object.count("limit")?.unwrap_or(DEFAULT_LIMIT),
        explain: object.flag("explain")?,
    })
}

/// Writes a request so that it reads back unchanged.
pub fn retrieve_to_json(request: &Retrieve) -> Json {
    let mut map = Map::new();
    map.insert("profile".to_owned(), Json::from(request.profile.as_str()));
    if let Some(user) = &request.user {
        map.insert("user".to_owned(), id_to_json(user));
    }
    if let Some(filter) = &request.filter {
        map.insert("filter".to_owned(), filter::to_json(filter));
    }
    if let Some(item) = &request.similar_to {
        map.insert("similar_to".to_owned(), id_to_json(item));
    }
    if !request.exclude.is_empty() {
        map.insert("exclude".to_owned(), request.exclude.iter().map(id_to_json).collect());
    }
    if let Some(diversity) = request.diversity {
        map.insert("diversity".to_owned(), diversity_to_json(diversity));
    }
    if let Some(window) = request.window {
        map.insert("window".to_owned(), Json::from(window.name()));
    }
    map.insert("limit".to_owned(), Json::from(request.limit));
    map.insert("explain".to_owned(), Json::from(request.explain));
    Json::Object(map)
}

/// Reads `{"query", "strict", "user", "filter", "profile", "diversity", "limit", "explain"}`, of which only `query` must be
/// there.
///
/// # Errors
/// `Invalid`, with the path of the field.
pub fn search_from_json(json: &Json) -> Result<Search> {
    let object = Object::new(json, &SEARCH_KEYS)?;
    Ok(Search {
        query: object.require("query", owned)?,
        strict: object.flag("strict")?,
        user: object.read("user", id_from_json)?,
        filter: object.read("filter", filter::from_json)?,
        profile: object.text("profile")?.unwrap_or_else(|| "search".to_owned()),
        diversity: object.read("diversity", diversity)?,
        limit: object.count("limit")?.unwrap_or(DEFAULT_LIMIT),
        explain: object.flag("explain")?,
    })
}

/// Writes a request so that it reads back unchanged.
pub fn search_to_json(request: &Search) -> Json {
    let mut map = Map::new();
    map.insert("query".to_owned(), Json::from(request.query.as_str()));
    map.insert("strict".to_owned(), Json::from(request.strict));
    if let Some(user) = &request.user {
        map.insert("user".to_owned(), id_to_json(user));
    }
    if let Some(filter) = &request.filter {
        map.insert("filter".to_owned(), filter::to_json(filter));
    }
    map.insert("profile".to_owned(), Json::from(request.profile.as_str()));
    if let Some(diversity) = request.diversity {
        map.insert("diversity".to_owned(), diversity_to_json(diversity));
    }
    map.insert("limit".to_owned(), Json::from(request.limit));
    map.insert("explain".to_owned(), Json::from(request.explain));
    Json::Object(map)
}

fn owned(json: &Json) -> Result<String> {
    text(json).map(str::to_owned)
}

fn excluded(json: &Json) -> Result<Vec<Id>> {
    if json.as_array().is_some_and(|ids| ids.len() > MAX_EXCLUDED) {
        return Err(mismatch(&format!("at most {MAX_EXCLUDED} ids"), json));
    }
    list(json, id_from_json)
}

fn diversity(json: &Json) -> Result<Diversity> {
    let object = Object::new(json, &["max_per_creator"])?;
    Ok(Diversity { max_per_creator: object.count("max_per_creator")? })
}

fn diversity_to_json(diversity: Diversity) -> Json {
    let most = diversity.max_per_creator.map(|most| ("max_per_creator".to_owned(), Json::from(most)));
    Json::Object(most.into_iter().collect())
}

fn window(json: &Json) -> Result<Window> {
    named(json, "a window", &Window::ALL.map(|window| (window.name(), window)))
}
