//! The console page: static files inside the program. Everything it shows comes from the routes that others call too.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type and content of each file.
const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("../../console/index.html")),
    ("/console/style.css", CSS, include_str!("../../console/style.css")),
    ("/console/main.js", JAVASCRIPT, include_str!("../../console/main.js")),
    ("/console/api.js", JAVASCRIPT, include_str!("../../console/api.js")),
    ("/console/card.js", JAVASCRIPT, include_str!("../../console/card.js")),
    ("/console/element.js", JAVASCRIPT, include_str!("../../console/element.js")),
    ("/console/people.js", JAVASCRIPT, include_str!("../../console/people.js")),
    ("/console/import.js", JAVASCRIPT, include_str!("../../console/import.js")),
];

/// The page may load and reach nothing but this server, and nobody may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, (path, content_type, content)| {
        router.route(path, get(move || async move { file(content_type, content) }))
    })
}

fn file(content_type: &'static str, content: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, content).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        for (path, _, content) in FILES {
            for (at, _) in content.match_indices("://") {
                let start =
                    content[..at].rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |place| place + 1);
                let line = content[start..].lines().next().unwrap_or_default();
                assert!(line.starts_with("http://www.w3.org/"), "{path}: {line}");
            }
        }
    }

    #[test]
    fn every_file_that_the_page_names_is_there() {
        let paths: Vec<&str> = FILES.iter().map(|(path, _, _)| *path).collect();
        for (path, _, content) in FILES {
            for quoted in content.split('"') {
                let name = match quoted.strip_prefix("./") {
                    Some(module) if module.ends_with(".js") => format!("/console/{module}"),
                    _ if quoted.starts_with("/console/") => quoted.to_owned(),
                    _ => continue,
                };
                assert!(paths.contains(&name.as_str()), "{path} names {name}");
            }
        }
    }
}
