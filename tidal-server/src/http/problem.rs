//! Errors as RFC 9457 problem JSON.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tidaldb::ErrorKind;

use crate::limits::{MAX_PROBLEM_CHARS, RETRY_AFTER_SECONDS};

/// What went wrong with a request, and where in its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    name: &'static str,
    title: &'static str,
    detail: String,
    field: Option<String>,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        name: &'static str,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Problem {
        Problem { status, name, title, detail: detail.into(), field: None }
    }

    pub(crate) fn invalid(field: &str, detail: impl Into<String>) -> Problem {
        let problem = Problem::new(StatusCode::BAD_REQUEST, "invalid", "Invalid request", detail);
        Problem { field: Some(field.to_owned()), ..problem }
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not-found", "Not found", detail)
    }

    pub(crate) fn overloaded() -> Problem {
        let detail = "too many requests are under way; this one had no effect";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", "Overloaded", detail)
    }

    pub(crate) fn timed_out() -> Problem {
        let detail =
            "no answer in time; a write may have taken effect: repeat it, with idempotency keys for signals";
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "timed-out", "Timed out", detail)
    }

    /// A fault of the server. What it is stands on the server's standard error, not in the answer.
    pub(crate) fn internal() -> Problem {
        let detail = "the server failed at this request; its log says why";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error", detail)
    }
}

impl From<tidaldb::Error> for Problem {
    fn from(error: tidaldb::Error) -> Problem {
        let (status, name, title) = match error.kind() {
            ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "invalid", "Invalid request"),
            ErrorKind::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            ErrorKind::SchemaMismatch => (StatusCode::CONFLICT, "schema-mismatch", "Schema does not fit"),
            ErrorKind::Corrupt => (StatusCode::INTERNAL_SERVER_ERROR, "corrupt", "Damaged data"),
            ErrorKind::Busy => {
                (StatusCode::SERVICE_UNAVAILABLE, "busy", "Database is held by another process")
            }
            ErrorKind::Closed => (StatusCode::SERVICE_UNAVAILABLE, "closed", "Server is stopping"),
            _ => (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Storage is unavailable"),
        };
        let field = error.field().filter(|field| !field.is_empty()).map(str::to_owned);
        Problem { status, name, title, detail: error.message().to_owned(), field }
    }
}

/// What a request named may be as long as its body.
fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_PROBLEM_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut body = json!({
            "type": format!("urn:tidaldb:problem:{}", self.name),
            "title": self.title,
            "status": self.status.as_u16(),
            "detail": shortened(self.detail),
        });
        if let Some(field) = self.field {
            body["field"] = shortened(field).into();
        }
        let mut response = (self.status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
        }
        response
    }
}
