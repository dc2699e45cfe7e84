use proptest::prelude::*;

use super::super::analyzer::Unit;
use super::super::limits::{QUERY_BYTES_MAX, QUERY_NESTING_MAX, QUERY_TERMS_MAX};
use super::super::parse::{Parsing, parse};
use super::super::query::{Clause, Node, Role};
use crate::ErrorKind;

const FIELDS: [&str; 2] = ["title", "tags"];

/// A query in a form to compare: `+` required, `-` excluded, `{}` group, `[|]` alternatives.
fn show(node: &Node) -> String {
    let scoped = |scope: &Option<usize>, text: String| match scope {
        Some(field) => format!("{}:{text}", FIELDS[*field]),
        None => text,
    };
    match node {
        Node::Word { unit, prefix, scope } => {
            scoped(scope, format!("{}{}", unit.whole(), if *prefix { "*" } else { "" }))
        }
        Node::Phrase { units, scope, .. } => {
            let words: Vec<&str> = units.iter().map(Unit::whole).collect();
            scoped(scope, format!("\"{}\"", words.join(" ")))
        }
        Node::Tag { tag, scope } => scoped(scope, format!("#{tag}")),
        Node::Any(nodes) => format!("[{}]", nodes.iter().map(show).collect::<Vec<_>>().join("|")),
        Node::Group(clauses) => {
            let shown = clauses.iter().map(|Clause { role, node }| match role {
                Role::Plain => show(node),
                Role::Required => format!("+{}", show(node)),
                Role::Excluded => format!("-{}", show(node)),
            });
            format!("{{{}}}", shown.collect::<Vec<_>>().join(" "))
        }
    }
}

fn check(query: &str, expected: &str, ignored: &[(usize, &str)]) {
    let (node, found) = parse(query, Parsing::Lenient, &FIELDS).unwrap();
    assert_eq!(node.as_ref().map_or(String::new(), show), expected, "{query}");
    let found: Vec<(usize, &str)> = found.iter().map(|i| (i.at, i.text.as_str())).collect();
    assert_eq!(found, ignored, "{query}");
    match parse(query, Parsing::Strict, &FIELDS) {
        Ok(_) => assert!(ignored.is_empty(), "strict parsing takes {query}"),
        Err(error) => {
            assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("query")));
            assert!(error.message().contains(" at byte "), "{error}");
            if let [(at, _)] = ignored {
                assert!(error.message().ends_with(&format!(" at byte {at}")), "{query}: {error}");
            }
        }
    }
}

#[test]
fn the_language() {
    check("night jazz", "{night jazz}", &[]);
    check("night AND jazz", "{+night +jazz}", &[]);
    check("a AND b c", "{+a +b c}", &[]);
    check("night OR jazz", "[night|jazz]", &[]);
    check("night jazz OR blues", "[{night jazz}|blues]", &[]);
    check("(night OR day) jazz", "{[night|day] jazz}", &[]);
    check("jazz -smooth", "{jazz -smooth}", &[]);
    check("jazz NOT smooth", "{jazz -smooth}", &[]);
    check("jazz AND NOT smooth", "{+jazz -smooth}", &[]);
    check("-jazz", "{-jazz}", &[]);
    check("--jazz", "jazz", &[]);
    check("+jazz blues", "{+jazz blues}", &[]);
    check("jazz -(smooth OR free)", "{jazz -[smooth|free]}", &[]);
    check("\"late night\" jazz", "{\"late night\" jazz}", &[]);
    check("“late night”", "\"late night\"", &[]);
    check("pia*", "pia*", &[]);
    check("title:jazz", "title:jazz", &[]);
    check("title:(jazz blues)", "{title:jazz title:blues}", &[]);
    check("title:\"late night\"", "title:\"late night\"", &[]);
    check("-title:jazz x", "{-title:jazz x}", &[]);
    check("title:jaz*", "title:jaz*", &[]);
    check("#jazz", "#jazz", &[]);
    check("tags:#jazz", "tags:#jazz", &[]);
    check("hello,world", "{hello world}", &[]);
    check("12:30", "{12 30}", &[]);
    check("rock-n-roll", "rock-n-roll", &[]);
    check("and or not", "{and or not}", &[]);
    check("ANDROID NOTE ORDER", "{android note order}", &[]);
    check("🎷", "🎷", &[]);
    check("\u{200F}jazz\u{200E}", "jazz", &[]);
    check("a\0b", "{a b}", &[]);
}

#[test]
fn case_13_what_is_not_understood_is_reported_with_its_place() {
    check("\"late night", "{late night}", &[(0, "\"")]);
    check("late\" night", "{late night}", &[(4, "\"")]);
    check("AND", "", &[(0, "AND")]);
    check("jazz AND", "jazz", &[(5, "AND")]);
    check("AND jazz", "jazz", &[(0, "AND")]);
    check("jazz AND AND blues", "{+jazz +blues}", &[(9, "AND")]);
    check("OR", "", &[(0, "OR")]);
    check("jazz OR", "jazz", &[(5, "OR")]);
    check("NOT", "", &[(0, "NOT")]);
    check("-", "", &[(0, "-")]);
    check("jazz - blues", "{jazz blues}", &[(5, "-")]);
    check(":", "", &[(0, ":")]);
    check("*", "", &[(0, "*")]);
    check("ja*z", "{ja z}", &[(2, "*")]);
    check("title:", "", &[(0, "title:")]);
    check("title: jazz", "jazz", &[(0, "title:")]);
    check("(jazz", "jazz", &[(0, "(")]);
    check("jazz)", "jazz", &[(4, ")")]);
    check("a ) b", "{a b}", &[(2, ")")]);
    check("()", "", &[(0, "()")]);
    check("\"\"", "", &[(0, "\"\"")]);
    check("\u{200F}", "", &[(0, "\u{200F}")]);
    check("naïve !!", "naive", &[(7, "!!")]);
}

#[test]
fn strict_parsing_refuses_what_lenient_takes_as_words() {
    let error = parse("artist:miles", Parsing::Strict, &FIELDS).unwrap_err();
    assert_eq!(error.message(), "no text field is named \"artist\" at byte 0");
    check_lenient("artist:miles", "{artist miles}");
    assert_eq!(parse("", Parsing::Strict, &FIELDS).unwrap_err().message(), "nothing to search for at byte 0");
    check_lenient("", "");
    check_lenient("\0", "");
}

fn check_lenient(query: &str, expected: &str) {
    let (node, ignored) = parse(query, Parsing::Lenient, &FIELDS).unwrap();
    assert_eq!(node.as_ref().map_or(String::new(), show), expected);
    assert_eq!(ignored, []);
}

#[test]
fn bounds_hold() {
    let long = "word ".repeat(QUERY_BYTES_MAX);
    let (node, ignored) = parse(&long, Parsing::Lenient, &FIELDS).unwrap();
    assert_eq!(ignored[0].at, QUERY_BYTES_MAX);
    let Some(Node::Group(clauses)) = node else { panic!("no group") };
    assert_eq!(clauses.len(), QUERY_TERMS_MAX);
    assert!(parse(&long, Parsing::Strict, &FIELDS).is_err());

    let deep = format!("{}jazz{}", "(".repeat(1000), ")".repeat(1000));
    let (node, ignored) = parse(&deep, Parsing::Lenient, &FIELDS).unwrap();
    assert_eq!(node.as_ref().map(show).unwrap(), "jazz");
    assert_eq!(ignored.iter().filter(|i| i.text == "(").count(), 1000 - QUERY_NESTING_MAX);

    let phrase = format!("\"{}\"", "a ".repeat(QUERY_TERMS_MAX + 1));
    let (_, ignored) = parse(&phrase, Parsing::Lenient, &FIELDS).unwrap();
    assert_eq!(ignored.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_query_is_parsed(query in r#"([a-c]|AND|OR|NOT|title:|nope:|"|\(|\)|-|\+|\*|#|:|\.| |\PC){0,30}"#) {
        let (_, ignored) = parse(&query, Parsing::Lenient, &FIELDS).unwrap();
        for part in &ignored {
            prop_assert!(query[part.at..].starts_with(&part.text));
        }
        let strict = parse(&query, Parsing::Strict, &FIELDS);
        if !ignored.is_empty() {
            prop_assert!(strict.is_err());
        }
    }
}
