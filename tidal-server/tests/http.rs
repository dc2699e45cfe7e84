//! The service without a socket: requests in, answers out, over a database in memory.

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
  fields: {title: text, year: int, genres: tags}
  embeddings: {taste: {dimension: 2}}
users:
  fields: {age: int}
creators:
  fields: {name: text}
signals:
  view: {half_life: 7d, seen: true}
  like: {half_life: 7d, liked: true, interest: 0.5}
  tip: {on: creator}
";

/// A service over an empty database.
struct Service {
    router: Router,
}

impl Service {
    fn new() -> Service {
        let schema = Schema::parse(SCHEMA).unwrap();
        Service { router: router(App::new(Database::ephemeral(schema).unwrap())) }
    }

    /// One with three items by two creators, and a user.
    async fn filled() -> Service {
        let service = Service::new();
        let item = |id: u64, title: &str, creator: &str, year: i64, taste: [f32; 2]| {
            json!({"id": id, "creator": creator, "metadata": {"title": title, "year": year, "genres": ["Drama"]},
                   "embeddings": {"taste": taste}})
        };
        service
            .ok(
                "POST",
                "/creators",
                json!([{"id": "a", "metadata": {"name": "Ada"}}, {"id": "b", "metadata": {"name": "Ben"}}]),
            )
            .await;
        let items = json!([
            item(1, "Late night piano", "a", 1990, [1.0, 0.0]),
            item(2, "Morning violin", "b", 2000, [0.9, 0.1]),
            item(3, "Piano at noon", "b", 2010, [0.0, 1.0]),
        ]);
        service.ok("POST", "/items", items).await;
        service.ok("POST", "/users", json!({"id": 7, "metadata": {"age": 30}})).await;
        service
    }

    async fn send(&self, request: Request<Body>) -> (StatusCode, header::HeaderMap, Vec<u8>) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        (head.status, head.headers, body.collect().await.unwrap().to_bytes().to_vec())
    }

    async fn call(&self, method: &str, path: &str, body: Json) -> (StatusCode, Json) {
        let mut request = Request::builder().method(method).uri(path);
        let body = match body {
            Json::Null => Body::empty(),
            body => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
        };
        let (status, headers, bytes) = self.send(request.body(body).unwrap()).await;
        let json = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| panic!("{method} {path}: {status}, {}", String::from_utf8_lossy(&bytes)));
        let problem = headers[header::CONTENT_TYPE] == "application/problem+json";
        assert_eq!(problem, !status.is_success() && path != "/ready", "{method} {path}: {json}");
        (status, json)
    }

    async fn ok(&self, method: &str, path: &str, body: Json) -> Json {
        let (status, json) = self.call(method, path, body).await;
        assert_eq!(status, StatusCode::OK, "{method} {path}: {json}");
        json
    }

    /// Status, field and detail of a problem.
    async fn problem(&self, method: &str, path: &str, body: Json) -> (u16, String, String) {
        let (status, json) = self.call(method, path, body).await;
        assert!(!status.is_success(), "{method} {path}: {json}");
        assert_eq!(json["status"], status.as_u16());
        assert!(
            json["type"].as_str().unwrap().starts_with("urn:tidaldb:problem:") && json["title"].is_string()
        );
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        (status.as_u16(), text("field"), text("detail"))
    }

    /// Ids of the results of a query.
    async fn ids(&self, path: &str, body: Json) -> Vec<u64> {
        let answer = self.ok("POST", path, body).await;
        answer["results"].as_array().unwrap().iter().map(|hit| hit["id"].as_u64().unwrap()).collect()
    }
}

#[tokio::test]
async fn what_is_written_is_read_back() {
    let service = Service::filled().await;
    let item = service.ok("GET", "/items/1", Json::Null).await;
    assert_eq!(item["creator"], "a");
    assert_eq!(item["metadata"], json!({"title": "Late night piano", "year": 1990, "genres": ["Drama"]}));
    assert_eq!(service.ok("GET", "/creators/a", Json::Null).await["metadata"]["name"], "Ada");
    let page = service.ok("GET", "/items?from=1&limit=1", Json::Null).await;
    assert_eq!((&page["total"], &page["entities"][0]["id"]), (&json!(3), &json!(2)));
    assert_eq!(page["entities"].as_array().unwrap().len(), 1);
    service.ok("DELETE", "/items/1", Json::Null).await;
    assert_eq!(service.problem("GET", "/items/1", Json::Null).await.0, 404);
}

#[tokio::test]
async fn a_number_and_a_text_of_digits_are_two_ids() {
    let service = Service::new();
    let items = json!([{"id": 17, "metadata": {"year": 1}}, {"id": "17", "metadata": {"year": 2}}, {"id": "a b/c", "metadata": {"year": 3}}]);
    service.ok("POST", "/items", items).await;
    for (path, year) in [("/items/17", 1), ("/items/%2217%22", 2), ("/items/a%20b%2Fc", 3)] {
        assert_eq!(service.ok("GET", path, Json::Null).await["metadata"]["year"], year, "{path}");
    }
}

#[tokio::test]
async fn a_batch_is_written_whole_or_not_at_all() {
    let service = Service::filled().await;
    let batch = json!([{"id": 10}, {"id": 11, "metadata": {"year": "old"}}]);
    let (status, field, _) = service.problem("POST", "/items", batch).await;
    assert_eq!(status, 400);
    assert!(field.contains("[1]") && field.contains("year"), "{field}");
    assert_eq!(service.problem("GET", "/items/10", Json::Null).await.0, 404);
}

#[tokio::test]
async fn a_signal_counts_once_per_key() {
    let service = Service::filled().await;
    let view = |key: &str| json!({"signal": "view", "item": 1, "user": 7, "key": key});
    let answer = service.ok("POST", "/signals", json!([view("k"), view("k"), view("l")])).await;
    assert_eq!((&answer["written"], &answer["duplicates"]), (&json!(2), &json!(1)));
    assert_eq!(service.ok("POST", "/signals", view("l")).await["duplicates"], 1);
    let answer = service.ok("POST", "/retrieve", json!({"profile": "new"})).await;
    let hits = answer["results"].as_array().unwrap();
    let hit = hits.iter().find(|hit| hit["id"] == 1).unwrap();
    assert_eq!(hit["signals"]["view"], 2.0);
}

#[tokio::test]
async fn a_feed_explains_itself_and_brings_its_fields() {
    let service = Service::filled().await;
    service.ok("POST", "/signals", json!({"signal": "like", "item": 1, "user": 7})).await;
    let request = json!({"profile": "for_you", "user": 7, "explain": true, "fields": true});
    let answer = service.ok("POST", "/retrieve", request).await;
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for (hit, rank) in results.iter().zip(1..) {
        assert_eq!(hit["rank"], rank);
        let terms = hit["explain"]["terms"].as_array().unwrap();
        let sum: f64 = terms.iter().map(|term| term["value"].as_f64().unwrap()).sum();
        assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{hit}");
        assert!(!hit["explain"]["reason"].as_str().unwrap().is_empty());
        assert!(hit["metadata"]["title"].is_string() && hit["creator_metadata"]["name"].is_string(), "{hit}");
    }
    let request = json!({"profile": "new", "fields": ["year"]});
    let answer = service.ok("POST", "/retrieve", request).await;
    assert_eq!(answer["results"][0]["metadata"].as_object().unwrap().len(), 1);
    assert_eq!(answer["constraints_satisfied"], true);
}

#[tokio::test]
async fn what_is_hidden_or_blocked_comes_nowhere_until_undone() {
    let service = Service::filled().await;
    let hide = json!({"relation": "hide", "user": 7, "item": 1});
    let block = json!({"relation": "block", "user": 7, "creator": "b"});
    service.ok("POST", "/relations", json!([hide, block])).await;
    assert!(service.ids("/retrieve", json!({"profile": "new", "user": 7})).await.is_empty());
    assert!(service.ids("/search", json!({"query": "piano", "user": 7})).await.is_empty());
    let relations = service.ok("GET", "/users/7/relations", Json::Null).await;
    assert_eq!((&relations["hide"], &relations["block"]), (&json!([1]), &json!(["b"])));
    service.ok("DELETE", "/relations", hide).await;
    assert_eq!(service.ids("/retrieve", json!({"profile": "new", "user": 7})).await, [1]);
    assert_eq!(service.ids("/search", json!({"query": "piano", "user": 7})).await, [1]);
}

#[tokio::test]
async fn a_relation_that_changes_nothing_is_not_counted_as_written() {
    let service = Service::filled().await;
    let hide = || json!({"relation": "hide", "user": 7, "item": 1});
    let counts = |answer: Json| (answer["written"].as_u64().unwrap(), answer["unchanged"].as_u64().unwrap());
    assert_eq!(counts(service.ok("DELETE", "/relations", hide()).await), (0, 1));
    assert_eq!(counts(service.ok("POST", "/relations", json!([hide(), hide()])).await), (1, 1));
    assert_eq!(counts(service.ok("POST", "/relations", hide()).await), (0, 1));
    assert_eq!(counts(service.ok("DELETE", "/relations", hide()).await), (1, 0));
    assert_eq!(counts(service.ok("POST", "/items", json!({"id": 1})).await), (1, 0));
}

#[tokio::test]
async fn search_and_filters_and_neighbours() {
    let service = Service::filled().await;
    let mut found = service.ids("/search", json!({"query": "piano"})).await;
    found.sort_unstable();
    assert_eq!(found, [1, 3]);
    let filter = json!({"field": "year", "gte": 2000});
    assert_eq!(service.ids("/search", json!({"query": "piano", "filter": filter})).await, [3]);
    let related = service.ids("/retrieve", json!({"profile": "related", "similar_to": 1})).await;
    assert_eq!(related.first(), Some(&2));
    assert!(!related.contains(&1));
}

#[tokio::test]
async fn wrong_requests_are_refused_by_name() {
    let service = Service::filled().await;
    let refused = |path: &'static str, body: Json| service.problem("POST", path, body);
    let (status, field, detail) = refused("/retrieve", json!({"profile": "new", "cursor": "x"})).await;
    assert_eq!((status, field.as_str()), (400, "cursor"));
    assert!(detail.contains("unknown key") && detail.contains("explain, fields"), "{detail}");
    let (_, _, detail) = refused("/search", json!({"query": "piano", "cursor": "x"})).await;
    assert!(detail.contains("strict") && detail.contains("explain, fields"), "{detail}");
    let fields = json!({"profile": "new", "fields": ["title", "name", "titel"]});
    let (status, field, detail) = refused("/retrieve", fields).await;
    assert_eq!((status, field.as_str()), (400, "fields[2]"));
    assert!(
        detail.contains("titel") && detail.contains("year") && detail.contains("creators have name"),
        "{detail}"
    );
    let (status, field, detail) = refused("/retrieve", json!({"profile": "search"})).await;
    assert_eq!((status, field.as_str()), (400, "profile"));
    assert!(detail.contains("/search"), "{detail}");
    let (status, field, detail) = refused("/search", json!({"query": "piano", "profile": "related"})).await;
    assert_eq!((status, field.as_str()), (400, "profile"));
    assert!(detail.contains("/retrieve") && detail.contains("\"search\""), "{detail}");
    let (status, field, _) = refused("/retrieve", json!({"profile": "no_such"})).await;
    assert_eq!((status, field.as_str()), (404, "profile"));
    let (status, field, _) = refused("/retrieve", json!({"profile": "new", "user": 1.5})).await;
    assert_eq!((status, field.as_str()), (400, "user"));
    let (status, field, _) =
        refused("/retrieve", json!({"profile": "new", "filter": {"field": "yaer", "eq": 1}})).await;
    assert!(status == 400 && field.starts_with("filter"), "{status} {field}");
    let (status, field, detail) = refused("/signals", json!({"signal": "veiw", "item": 1})).await;
    assert_eq!((status, field.as_str()), (404, "signal"));
    assert!(detail.contains("veiw"), "{detail}");
    let (status, field, _) = refused("/signals", json!({"signal": "tip", "item": 1})).await;
    assert_eq!((status, field.as_str()), (400, "item"));
    let (status, field, _) = refused("/items", json!({"id": 1, "embeddings": {"taste": [1.0]}})).await;
    assert!(status == 400 && field.contains("taste"), "{status} {field}");
    let (status, field, _) = service.problem("GET", "/users?limit=0", Json::Null).await;
    assert_eq!((status, field.as_str()), (400, "limit"));
    let (status, field, detail) = service.problem("GET", "/users?form=0", Json::Null).await;
    assert_eq!((status, field.as_str()), (400, "query string"));
    assert!(detail.contains("form"), "{detail}");
}

#[tokio::test]
async fn a_user_who_is_not_known_gets_an_answer_that_says_so() {
    let service = Service::filled().await;
    let answer = service.ok("POST", "/retrieve", json!({"profile": "new", "user": 99})).await;
    assert_eq!(answer["results"].as_array().unwrap().len(), 3);
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("user 99 is not known"), "{warnings}");
}

#[tokio::test]
async fn what_is_no_request_is_refused_as_a_problem() {
    let service = Service::new();
    assert_eq!(service.problem("GET", "/nothing", Json::Null).await.0, 404);
    assert_eq!(service.problem("GET", "/nothing/here", Json::Null).await.0, 404);
    assert_eq!(service.problem("GET", "/retrieve", Json::Null).await.0, 405);
    assert_eq!(service.problem("DELETE", "/health", Json::Null).await.0, 405);
    let send = |content_type: &'static str, body: &str| {
        let request = Request::post("/items").header(header::CONTENT_TYPE, content_type);
        service.send(request.body(Body::from(body.to_owned())).unwrap())
    };
    let (status, headers, body) = send("application/json", "{\n \"id\": }").await;
    let detail = String::from_utf8(body).unwrap();
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(headers[header::CONTENT_TYPE], "application/problem+json");
    assert!(detail.contains("line 2 column 8"), "{detail}");
    let (status, _, _) = send("text/plain", "{}").await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let long = format!("\"{}\"", "x".repeat(tidal_server::limits::MAX_BODY_BYTES));
    let (status, headers, _) = send("application/json", &long).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(headers[header::CONTENT_TYPE], "application/problem+json");
}

#[tokio::test]
async fn only_requests_for_this_machine_are_answered() {
    let service = Service::new();
    for (host, status) in
        [("localhost:9500", StatusCode::OK), ("example.org", StatusCode::MISDIRECTED_REQUEST)]
    {
        let request = Request::get("/health").header(header::HOST, host).body(Body::empty()).unwrap();
        assert_eq!(service.send(request).await.0, status, "{host}");
    }
}

#[tokio::test]
async fn the_server_says_what_it_has() {
    let service = Service::filled().await;
    assert_eq!(service.ok("GET", "/health", Json::Null).await, json!({"status": "ok"}));
    assert_eq!(service.ok("GET", "/ready", Json::Null).await, json!({"ready": true, "import": null}));
    let profiles = service.ok("GET", "/profiles", Json::Null).await;
    let profiles = profiles["profiles"].as_array().unwrap();
    for name in ["for_you", "following", "trending", "new", "related", "search"] {
        assert!(profiles.contains(&json!(name)), "{name}");
    }
    let schema = service.ok("GET", "/schema", Json::Null).await;
    assert_eq!(schema["items"]["embeddings"], json!([{"name": "taste", "dimension": 2, "metric": "cosine"}]));
    assert_eq!(schema["signals"][2], json!({"name": "tip", "on": "creator"}));
    assert_eq!(Schema::parse(schema["yaml"].as_str().unwrap()).unwrap(), Schema::parse(SCHEMA).unwrap());
}

#[tokio::test]
async fn the_console_is_served_with_a_strict_policy() {
    let service = Service::new();
    let (status, headers, body) = service.send(Request::get("/").body(Body::empty()).unwrap()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert!(headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("default-src 'none'"));
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert!(String::from_utf8(body).unwrap().contains("/console/main.js"));
}
