//! The service: every route in one place. `docs/http.md` describes bodies, answers and errors.

mod app;
mod body;
mod console;
mod entity;
mod guard;
mod problem;
mod query;
mod status;
mod write;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};

use tidaldb::Kind;

pub use app::App;
pub use problem::Problem;

/// The service over an application state, as a function from a request to an answer.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/health", get(status::health))
        .route("/ready", get(status::ready))
        .route("/schema", get(status::schema))
        .route("/profiles", get(status::profiles))
        .merge(entity::routes(Kind::Item))
        .merge(entity::routes(Kind::User))
        .merge(entity::routes(Kind::Creator))
        .route("/users/{id}/relations", get(entity::relations))
        .route("/signals", post(write::signals))
        .route("/relations", post(write::relate).delete(write::unrelate))
        .route("/retrieve", post(query::retrieve))
        .route("/search", post(query::search))
        .merge(console::routes())
        .fallback(guard::no_such_route)
        .method_not_allowed_fallback(guard::no_such_method)
        .layer(from_fn(guard::in_time))
        .layer(from_fn(guard::for_loopback))
        .layer(from_fn(guard::headers))
        .with_state(app)
}
