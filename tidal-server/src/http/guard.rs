//! What holds for every request: an end in time, the right host, and problem JSON for what no route takes.

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use crate::limits::REQUEST_TIME;

/// Ends a request that takes too long.
pub(crate) async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(REQUEST_TIME, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::timed_out().into_response(),
    }
}

/// Refuses requests that were sent to another name than this machine's own: a page elsewhere whose name was pointed
/// at the loopback address would read and write here otherwise.
pub(crate) async fn for_loopback(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).map(|host| host.to_str().unwrap_or_default());
    match host {
        Some(host) if !is_loopback(host) => {
            let detail = format!("this server answers for localhost only, the request is for {host:?}");
            Problem::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", "Misdirected request", detail)
                .into_response()
        }
        _ => next.run(request).await,
    }
}

/// Says of every answer how a browser is to treat it.
pub(crate) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

pub(crate) async fn no_such_route(uri: Uri) -> Problem {
    Problem::not_found(format!("there is nothing at {}", uri.path()))
}

pub(crate) async fn no_such_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed", detail)
}

fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for host in ["localhost", "LOCALHOST:9500", "127.0.0.1:9500", "127.8.8.8", "[::1]:80", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "example.org", "localhost.example.org", "127.0.0.1.example.org", "10.0.0.1", "[::2]:80"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
