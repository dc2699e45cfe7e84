//! Requests that are wrong in every way that comes to mind: each is refused as a problem that names what is wrong, no
//! request makes the server fail, and nothing is changed by any.

#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Value as Json, json};
use tidal_server::http::{App, router};
use tidaldb::{Database, Schema};
use tower::ServiceExt;

const SCHEMA: &str = "
items:
  fields: {title: text, year: int, price: float, genres: tags, kind: keyword, added: timestamp, long: duration, place: geo, free: bool}
  embeddings: {taste: {dimension: 2}}
signals:
  view: {half_life: 7d, seen: true}
  tip: {on: creator}
";

fn service() -> (Router, Database) {
    let database = Database::ephemeral(Schema::parse(SCHEMA).unwrap()).unwrap();
    (router(App::new(database.clone())), database)
}

async fn send(router: &Router, method: &str, path: &str, body: impl Into<Body>) -> (StatusCode, Vec<u8>) {
    let request =
        Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    let response = router.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap();
    let status = response.status();
    (status, response.into_body().collect().await.unwrap().to_bytes().to_vec())
}

async fn post(router: &Router, path: &str, body: &str) -> (StatusCode, Json) {
    let (status, bytes) = send(router, "POST", path, body.to_owned()).await;
    (status, serde_json::from_slice(&bytes).unwrap())
}

/// Position of the log, so that nothing can be written unseen: an empty batch writes nothing and says where it is.
async fn position(router: &Router) -> u64 {
    let (status, answer) = post(router, "/items", "[]").await;
    assert_eq!(status, StatusCode::OK);
    answer["position"].as_u64().unwrap()
}

async fn filled() -> (Router, Database) {
    let (router, database) = service();
    let items = json!([
        {"id": 1, "creator": "c", "metadata": {"title": "One", "year": 1990}, "embeddings": {"taste": [1, 0]}},
        {"id": "a/b", "metadata": {"title": "Two"}},
        {"id": 9_007_199_254_740_993_u64, "metadata": {"title": "Three"}},
    ]);
    assert_eq!(post(&router, "/items", &items.to_string()).await.0, StatusCode::OK);
    (router, database)
}

/// Wrong for a write; with a field that the refusal names.
fn wrong_writes() -> Vec<(&'static str, String, &'static str)> {
    let item = |part: &str| format!("{{\"id\": 1, {part}}}");
    let metadata =
        |field: &str, value: &str| format!("{{\"id\": 1, \"metadata\": {{\"{field}\": {value}}}}}");
    let signal = |part: &str| format!("{{\"signal\": \"view\", \"item\": 1, {part}}}");
    let mut all = vec![
        ("/items", "{}".to_owned(), "id"),
        ("/items", "{\"id\": null}".to_owned(), "id"),
        ("/items", "{\"id\": \"\"}".to_owned(), "id"),
        ("/items", "{\"id\": -1}".to_owned(), "id"),
        ("/items", "{\"id\": 1.0}".to_owned(), "id"),
        ("/items", "{\"id\": 18446744073709551616}".to_owned(), "id"),
        ("/items", "{\"id\": [1]}".to_owned(), "id"),
        ("/items", "{\"id\": true}".to_owned(), "id"),
        ("/items", format!("{{\"id\": \"{}\"}}", "x".repeat(257)), "id"),
        ("/items", item("\"extra\": 1"), "extra"),
        ("/items", item("\"creator\": \"\""), "creator"),
        ("/items", item("\"metadata\": []"), "metadata"),
        ("/items", item("\"metadata\": {\"\": 1}"), "metadata"),
        ("/items", item("\"embeddings\": {\"taste\": []}"), "embeddings.taste"),
        ("/items", item("\"embeddings\": {\"taste\": [0, 0]}"), "embeddings.taste"),
        ("/items", item("\"embeddings\": {\"taste\": [1, \"1\"]}"), "embeddings.taste[1]"),
        ("/items", item("\"embeddings\": {\"taste\": [1, 1e39]}"), "embeddings.taste[1]"),
        ("/items", item("\"embeddings\": {\"other\": [1, 1]}"), "embeddings.other"),
        ("/items", "[{\"id\": 5}, {\"id\": 1.5}]".to_owned(), "[1].id"),
        ("/items", "[[]]".to_owned(), "[0]"),
        ("/users", item("\"creator\": 3"), "creator"),
        ("/signals", "{\"signal\": \"view\"}".to_owned(), "item"),
        ("/signals", "{\"signal\": \"view\", \"item\": 2}".to_owned(), "item"),
        ("/signals", "{\"signal\": \"tip\", \"creator\": \"nobody\"}".to_owned(), "creator"),
        ("/signals", "{\"signal\": 3, \"item\": 1}".to_owned(), "signal"),
        ("/signals", signal("\"weight\": \"1\""), "weight"),
        ("/signals", signal("\"weight\": 1e300"), "weight"),
        ("/signals", signal("\"at\": \"soon\""), "at"),
        ("/signals", signal("\"at\": 1e300"), "at"),
        ("/signals", signal("\"at\": 9223372036854775807"), "at"),
        ("/signals", signal("\"key\": \"\""), "key"),
        ("/signals", signal("\"key\": 5"), "key"),
        ("/signals", signal("\"user\": \"\""), "user"),
        ("/signals", signal("\"creator\": \"c\""), "creator"),
        ("/relations", "{\"relation\": \"like\", \"user\": 1, \"item\": 1}".to_owned(), "relation"),
        ("/relations", "{\"relation\": \"hide\", \"user\": 1, \"item\": 77}".to_owned(), "item"),
        ("/relations", "{\"relation\": \"block\", \"user\": 1, \"creator\": 77}".to_owned(), "creator"),
        ("/relations", "{\"relation\": \"hide\", \"user\": 1, \"creator\": \"c\"}".to_owned(), "creator"),
        ("/relations", "{\"relation\": \"hide\", \"item\": 1}".to_owned(), "user"),
    ];
    for (field, values) in [
        ("year", vec!["\"1990\"", "1.5", "9223372036854775808", "1e30", "[]", "true", "{}"]),
        ("price", vec!["\"9\"", "true", "[\"9\"]"]),
        ("title", vec!["5", "[\"a\"]", "false", "{\"lat\": 1, \"lon\": 2}"]),
        ("genres", vec!["5", "[5]", "[[\"a\"]]", "{}"]),
        ("kind", vec!["5", "[\"a\", \"b\"]"]),
        ("added", vec!["\"yesterday\"", "\"2024-02-30\"", "1e30", "253402300800", "true"]),
        ("long", vec!["-1", "\"3 parsecs\"", "1e300"]),
        (
            "place",
            vec![
                "[1, 2]",
                "{\"lat\": 91, \"lon\": 0}",
                "{\"lat\": 0, \"lon\": 181}",
                "{\"lat\": 0}",
                "\"here\"",
            ],
        ),
        ("free", vec!["1", "\"true\""]),
        ("undeclared", vec!["{\"a\": 1}", "[1]"]),
    ] {
        all.extend(values.into_iter().map(|value| ("/items", metadata(field, value), "metadata")));
    }
    all
}

#[tokio::test]
async fn every_wrong_write_is_refused_by_the_name_of_its_field_and_changes_nothing() {
    let (router, database) = filled().await;
    let before = position(&router).await;
    for (path, body, field) in wrong_writes() {
        let (status, answer) = post(&router, path, &body).await;
        assert!(
            status == StatusCode::BAD_REQUEST || status == StatusCode::NOT_FOUND,
            "{path} {body}: {answer}"
        );
        let named = answer["field"].as_str().unwrap_or_default();
        assert!(named.starts_with(field), "{path} {body}: names {named:?}, not {field}: {answer}");
        assert!(answer["detail"].as_str().unwrap().len() < 1_000, "{path}: a message is short");
    }
    assert_eq!(position(&router).await, before);
    database.check().unwrap();
}

#[tokio::test]
async fn every_wrong_question_is_refused_by_the_name_of_its_field() {
    let (router, _database) = filled().await;
    let retrieve = |part: &str| ("/retrieve", format!("{{\"profile\": \"new\", {part}}}"));
    let search = |part: &str| ("/search", format!("{{\"query\": \"one\", {part}}}"));
    let deep = format!(
        "\"filter\": {}{}{}",
        "{\"not\": ".repeat(70),
        "{\"field\": \"year\", \"eq\": 1}",
        "}".repeat(70)
    );
    let wide = vec!["{\"field\": \"year\", \"eq\": 1}"; 5_000].join(",");
    let many = (0..10_001).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    let cases = [
        (("/retrieve", "{}".to_owned()), "profile"),
        (("/retrieve", "{\"profile\": null}".to_owned()), "profile"),
        (("/retrieve", "{\"profile\": \"nwe\"}".to_owned()), "profile"),
        (("/retrieve", "{\"profile\": \"related\"}".to_owned()), "similar_to"),
        (("/retrieve", "{\"profile\": \"following\"}".to_owned()), "user"),
        (("/retrieve", "{\"profile\": \"search\"}".to_owned()), "profile"),
        (retrieve("\"limit\": 0"), "limit"),
        (retrieve("\"limit\": 1001"), "limit"),
        (retrieve("\"limit\": -1"), "limit"),
        (retrieve("\"limit\": 1.5"), "limit"),
        (retrieve("\"limit\": 18446744073709551615"), "limit"),
        (retrieve("\"limit\": \"10\""), "limit"),
        (retrieve("\"user\": []"), "user"),
        (retrieve("\"user\": \"\""), "user"),
        (retrieve("\"similar_to\": 77"), "similar_to"),
        (retrieve("\"exclude\": 1"), "exclude"),
        (retrieve("\"exclude\": [1, 1.5]"), "exclude[1]"),
        (retrieve(&format!("\"exclude\": [{many}]")), "exclude"),
        (retrieve("\"diversity\": {\"max_per_creator\": 0}"), "diversity.max_per_creator"),
        (retrieve("\"diversity\": {\"max_per_maker\": 1}"), "diversity.max_per_maker"),
        (retrieve("\"window\": \"2d\""), "window"),
        (retrieve("\"explain\": \"yes\""), "explain"),
        (retrieve("\"fields\": \"title\""), "fields"),
        (retrieve("\"fields\": [\"title\", \"tilte\"]"), "fields[1]"),
        (retrieve("\"fields\": [\"title\", 3]"), "fields[1]"),
        (retrieve("\"filter\": []"), "filter"),
        (retrieve("\"filter\": {}"), "filter"),
        (retrieve("\"filter\": {\"field\": \"yaer\", \"eq\": 1}"), "filter"),
        (retrieve("\"filter\": {\"field\": \"year\", \"eq\": \"x\"}"), "filter"),
        (retrieve("\"filter\": {\"field\": \"year\"}"), "filter"),
        (retrieve("\"filter\": {\"user\": \"seen\"}"), "filter"),
        (retrieve(&deep), "filter"),
        (retrieve(&format!("\"filter\": {{\"and\": [{wide}]}}")), "filter"),
        (("/search", "{}".to_owned()), "query"),
        (("/search", "{\"query\": 5}".to_owned()), "query"),
        (("/search", "{\"query\": \"\\\"open\", \"strict\": true}".to_owned()), "query"),
        (search("\"profile\": \"nwe\""), "profile"),
        (search("\"profile\": \"related\""), "profile"),
        (search("\"limit\": 1001"), "limit"),
        (search("\"similar_to\": 1"), "similar_to"),
    ];
    for ((path, body), field) in cases {
        let shown = &body[..body.len().min(200)];
        let (status, answer) = post(&router, path, &body).await;
        assert!(
            status == StatusCode::BAD_REQUEST || status == StatusCode::NOT_FOUND,
            "{path} {shown}: {answer}"
        );
        let named = answer["field"].as_str().unwrap_or_default();
        assert!(named.starts_with(field), "{path} {shown}: names {named:?}, not {field}: {answer}");
        assert!(answer["detail"].as_str().unwrap().len() < 1_000, "{path} {shown}: a message is short");
    }
}

#[tokio::test]
async fn bodies_that_are_no_json_are_refused_on_every_route() {
    let (router, database) = filled().await;
    let before = position(&router).await;
    let mut bodies: Vec<Vec<u8>> =
        ["", " ", "null", "true", "5", "\"x\"", "{", "[", "{\"id\": 1", "{\"id\": 1}}", "NaN", "{id: 1}"]
            .iter()
            .map(|body| body.as_bytes().to_vec())
            .collect();
    bodies.extend([
        b"{\"id\": NaN}".to_vec(),
        b"{\"id\": Infinity}".to_vec(),
        b"{\"id\": 1e999}".to_vec(),
        b"{\"id\": \"\xff\xfe\"}".to_vec(),
        b"{\"id\": \"\\ud800\"}".to_vec(),
        b"{\"id\": \"a\nb\"}".to_vec(),
        b"\0\0\0\0".to_vec(),
        "[".repeat(100_000).into_bytes(),
        "{\"a\":".repeat(100_000).into_bytes(),
        format!("[{}]", vec!["{}"; 100_001].join(",")).into_bytes(),
    ]);
    for path in ["/items", "/users", "/creators", "/signals", "/relations", "/retrieve", "/search"] {
        for body in &bodies {
            let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
            let (status, answer) = send(&router, "POST", path, body.clone()).await;
            assert_eq!(
                status,
                StatusCode::BAD_REQUEST,
                "{path} {shown}: {}",
                String::from_utf8_lossy(&answer)
            );
            let answer: Json = serde_json::from_slice(&answer).unwrap();
            assert!(answer["detail"].as_str().unwrap().len() < 1_000, "{path} {shown}: a message is short");
        }
    }
    assert_eq!(position(&router).await, before);
    database.check().unwrap();
}

#[tokio::test]
async fn a_refusal_is_short_however_long_what_it_refuses_is() {
    let (router, _database) = filled().await;
    let long = "ä".repeat(1_000_000);
    for (path, body) in [
        ("/retrieve", json!({"profile": &long})),
        ("/retrieve", json!({"profile": "new", &long: 1})),
        ("/retrieve", json!({"profile": "new", "filter": {"field": &long, "eq": 1}})),
        ("/search", json!({"query": &long, "strict": true})),
        ("/signals", json!({"signal": &long, "item": 1})),
        ("/items", json!({"id": &long})),
        ("/items", json!({"id": 1, "metadata": {"year": &long}})),
        ("/items", json!({"id": 1, "embeddings": {&long: [1, 0]}})),
        ("/items", json!({"id": 1, "metadata": {&long: 1}})),
    ] {
        let (status, bytes) = send(&router, "POST", path, body.to_string()).await;
        assert!(status.is_client_error(), "{path}: {status}");
        assert!(bytes.len() < 5_000, "{path}: {} bytes", bytes.len());
        serde_json::from_slice::<Json>(&bytes).unwrap();
    }
}

#[tokio::test]
async fn ids_are_exact_whatever_they_hold() {
    let (router, database) = service();
    let ids = [
        json!(9_007_199_254_740_993_u64),
        json!(9_007_199_254_740_992_u64),
        json!(u64::MAX),
        json!(0),
        json!("0"),
        json!("a"),
        json!("A"),
        json!("a "),
        json!(" a"),
        json!("a/b"),
        json!("a%2Fb"),
        json!(".."),
        json!("."),
        json!("\u{0}"),
        json!("\"a\""),
        json!("ä"),
        json!("a\u{308}"),
        json!("?x=1#y"),
        json!("+"),
        json!("é".repeat(128)),
    ];
    for (number, id) in ids.iter().enumerate() {
        let body = json!({"id": id, "metadata": {"year": number}});
        assert_eq!(post(&router, "/items", &body.to_string()).await.0, StatusCode::OK, "{id}");
    }
    for (number, id) in ids.iter().enumerate() {
        let path: String = match id {
            // In quotes, so that digits are taken as text.
            Json::String(text) => format!("\"{text}\"").bytes().map(|byte| format!("%{byte:02X}")).collect(),
            number => number.to_string(),
        };
        let (status, body) = send(&router, "GET", &format!("/items/{path}"), Body::empty()).await;
        let entity: Json = serde_json::from_slice(&body).unwrap();
        assert_eq!(status, StatusCode::OK, "{id}: {entity}");
        assert_eq!((&entity["id"], &entity["metadata"]["year"]), (id, &json!(number)));
        let seed = json!({"profile": "related", "similar_to": id}).to_string();
        assert_eq!(post(&router, "/retrieve", &seed).await.0, StatusCode::OK, "{id}");
        let only = json!({"profile": "new", "filter": {"id": [id]}}).to_string();
        let (_, answer) = post(&router, "/retrieve", &only).await;
        assert_eq!(answer["results"][0]["id"], *id, "{answer}");
        assert_eq!(answer["results"].as_array().unwrap().len(), 1);
    }
    assert_eq!(database.count(tidaldb::Kind::Item).unwrap(), ids.len());
}

#[tokio::test]
async fn paths_and_query_strings_that_make_no_sense_are_refused() {
    let (router, _database) = filled().await;
    let long = format!("/items/{}", "x".repeat(300));
    for (path, status) in [
        ("/items/%FF", 400),
        ("/items/18446744073709551616", 400),
        (long.as_str(), 400),
        ("/items/", 404),
        ("/items/a/b", 404),
        ("/items?limit=0", 400),
        ("/items?limit=1001", 400),
        ("/items?limit=-1", 400),
        ("/items?limit=x", 400),
        ("/items?from=-1", 400),
        ("/items?from=99999999999999999999999", 400),
        ("/items?limit=1&limit=2", 400),
        ("/users/77/relations", 404),
        ("/items?from=18446744073709551615", 200),
        ("/items/%00", 404),
    ] {
        let (found, body) = send(&router, "GET", path, Body::empty()).await;
        assert_eq!(found.as_u16(), status, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice::<Json>(&body).unwrap();
    }
}
