//! Reading request bodies.

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde_json::Value as Json;

use super::problem::Problem;
use crate::limits::MAX_BODY_BYTES;

/// A body of JSON, of any shape.
#[derive(Debug)]
pub(crate) struct JsonBody(pub(crate) Json);

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<JsonBody, Problem> {
        let (head, body) = request.into_parts();
        let content_type = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !content_type.is_some_and(is_json) {
            // Also what keeps pages of other origins out: they cannot send this type without asking first.
            let found = content_type.map_or("none".to_owned(), |name| format!("{name:?}"));
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                "Unsupported media type",
                format!("the body must be sent as application/json; the content type is {found}"),
            ));
        }
        parse(&bytes(body).await?).map(JsonBody)
    }
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

async fn bytes(body: Body) -> Result<axum::body::Bytes, Problem> {
    // A client that says beforehand that it will send too much need not send it.
    if body.size_hint().lower() > MAX_BODY_BYTES as u64 {
        return Err(too_long());
    }
    axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(|error| {
        if error_chain(&error).any(|cause| cause.to_string().contains("length limit exceeded")) {
            too_long()
        } else {
            Problem::new(StatusCode::BAD_REQUEST, "invalid", "Invalid request", "the body ended early")
        }
    })
}

fn too_long() -> Problem {
    let detail = format!("the body is longer than {MAX_BODY_BYTES} bytes; send several batches");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Body too large", detail)
}

fn error_chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

fn parse(bytes: &[u8]) -> Result<Json, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The parser ends its messages with the place.
        Problem::new(StatusCode::BAD_REQUEST, "invalid-json", "Invalid JSON", error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_json_is_refused_with_its_place() {
        let problem = parse(b"{\n  \"a\": }").expect_err("is no JSON");
        assert!(format!("{problem:?}").contains("line 2 column 8"), "{problem:?}");
        let deep = vec![b'['; 100_000];
        assert!(format!("{:?}", parse(&deep).expect_err("too deep")).contains("recursion limit"));
    }

    #[tokio::test]
    async fn a_body_may_be_as_long_as_the_limit() {
        assert_eq!(bytes(Body::from(vec![b' '; MAX_BODY_BYTES])).await.expect("fits").len(), MAX_BODY_BYTES);
        let problem = bytes(Body::from(vec![b' '; MAX_BODY_BYTES + 1])).await.expect_err("too long");
        assert!(format!("{problem:?}").contains("too-large"), "{problem:?}");
    }

    #[test]
    fn the_content_type_may_have_parameters() {
        assert!(is_json("application/json") && is_json("Application/JSON; charset=utf-8"));
        assert!(!is_json("text/plain") && !is_json("application/json-patch+json"));
    }
}
