//! Every error of a schema file: its line, path and reason.

use crate::error::ErrorKind;
use crate::schema::{MAX_SIGNALS, Schema};

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let error = Schema::parse(text).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.message().starts_with("line "), "{text}\n{error}");
        assert!(error.message().contains(expected), "{text}\nexpected: {expected}\nfound: {error}");
    }
}

#[test]
fn what_is_no_schema_file_is_refused() {
    check(&[
        ("", "line 1: the schema is empty"),
        ("# only a comment\n", "line 1: the schema is empty"),
        ("- items\n", "line 1: expected a mapping, found a list"),
        ("items:\n  feilds: {}\n", "line 2: items.feilds: unknown key; expected one of fields, embeddings"),
        ("item: {}\n", "line 1: item: unknown key; expected one of items, users, creators, signals"),
        ("items:\n  fields: {a: int\nusers: {}\n", "not YAML"),
        ("items: &a {}\nusers: *a\n", "line 1: anchors are not supported"),
        ("items: !x {}\n", "line 1: tags are not supported"),
        ("items: {}\n---\nusers: {}\n", "more than one document"),
        ("items:\n  [a]: int\n", "line 2: a key must be a name"),
    ]);
}

#[test]
fn wrong_types_and_weights_are_refused() {
    check(&[
        (
            "items:\n  fields:\n    year: integr\n",
            "line 3: items.fields.year: unknown type \"integr\"; expected one of keyword, tags, text, bool, int, float, timestamp, duration, geo",
        ),
        ("items:\n  fields:\n    year:\n", "line 3: items.fields.year: expected a type, found nothing"),
        ("items:\n  fields:\n    year: [int]\n", "line 3: items.fields.year: expected a type, found a list"),
        ("items:\n  fields:\n    t:\n      weight: 2\n", "items.fields.t: type is missing"),
        (
            "items:\n  fields:\n    t:\n      type: text\n      boost: 2\n",
            "line 5: items.fields.t.boost: unknown key; expected one of type, weight",
        ),
        (
            "items:\n  fields:\n    t:\n      type: text\n      weight: 0\n",
            "line 5: items.fields.t.weight: 0 is out of range",
        ),
        (
            "items:\n  fields:\n    t:\n      type: text\n      weight: -1\n",
            "line 5: items.fields.t.weight: -1 is out of range",
        ),
        (
            "items:\n  fields:\n    t:\n      type: text\n      weight: .nan\n",
            "line 5: items.fields.t.weight: expected a number, found .nan",
        ),
        (
            "items:\n  fields:\n    t:\n      type: text\n      weight: inf\n",
            "line 5: items.fields.t.weight: expected a finite number, found inf",
        ),
        (
            "items:\n  fields:\n    t:\n      type: text\n      weight: \"2\"\n",
            "line 5: items.fields.t.weight: expected a number, found \"2\"",
        ),
        (
            "items:\n  fields:\n    t:\n      type: int\n      weight: 1\n",
            "line 5: items.fields.t.weight: only text fields have a weight, this is int",
        ),
    ]);
}

#[test]
fn wrong_names_are_refused() {
    check(&[
        ("items:\n  fields:\n    Year: int\n", "line 3: items.fields.Year: bad name"),
        ("items:\n  fields:\n    1st: int\n", "line 3: items.fields.1st: bad name"),
        ("items:\n  fields:\n    a-b: int\n", "line 3: items.fields.a-b: bad name"),
        ("items:\n  fields:\n    \"\": int\n", "line 3: items.fields.: bad name"),
        ("items:\n  fields:\n    unseen: bool\n", "line 3: items.fields.unseen: reserved name"),
        (
            "items:\n  fields:\n    a: int\n    b: int\n    a: text\n",
            "line 5: a: comes twice, first on line 3",
        ),
    ]);
    let long = "x".repeat(65);
    check(&[(&format!("items:\n  fields:\n    {long}: int\n"), "bad name")]);
    assert!(Schema::parse(&format!("items:\n  fields:\n    {}: int\n", &long[1..])).is_ok());
}

#[test]
fn wrong_embedding_slots_are_refused() {
    check(&[
        ("items:\n  embeddings:\n    c: {metric: dot}\n", "line 3: items.embeddings.c: dimension is missing"),
        (
            "items:\n  embeddings:\n    c:\n      dimension: 0\n",
            "line 4: items.embeddings.c.dimension: 0 is out of range: 1 to 16384",
        ),
        (
            "items:\n  embeddings:\n    c:\n      dimension: 16385\n",
            "line 4: items.embeddings.c.dimension: 16385 is out of range",
        ),
        (
            "items:\n  embeddings:\n    c:\n      dimension: 1.5\n",
            "line 4: items.embeddings.c.dimension: expected a whole number, found 1.5",
        ),
        (
            "items:\n  embeddings:\n    c: {dimension: 4,\n        metric: l2}\n",
            "line 4: items.embeddings.c.metric: unknown metric \"l2\"; expected one of cosine, dot, euclidean",
        ),
    ]);
}

#[test]
fn wrong_decays_are_refused() {
    check(&[
        (
            "signals:\n  view:\n    half_life: 7days\n",
            "line 3: signals.view.half_life: bad duration \"7days\"",
        ),
        ("signals:\n  view:\n    half_life: 7\n", "line 3: signals.view.half_life: bad duration \"7\""),
        ("signals:\n  view:\n    half_life: d\n", "line 3: signals.view.half_life: bad duration \"d\""),
        ("signals:\n  view:\n    half_life: -1d\n", "line 3: signals.view.half_life: bad duration \"-1d\""),
        (
            "signals:\n  view:\n    half_life: 99999999999999999999w\n",
            "line 3: signals.view.half_life: duration \"99999999999999999999w\" is too long",
        ),
        (
            "signals:\n  view:\n    half_life: 0s\n",
            "line 3: signals.view.half_life: out of range: 1s to 36500d",
        ),
        (
            "signals:\n  view:\n    half_life:\n    - 1d\n    - 1x\n",
            "line 5: signals.view.half_life[1]: bad duration \"1x\"",
        ),
        (
            "signals:\n  view:\n    half_life: [1d, 24h]\n",
            "line 3: signals.view.half_life: the same duration twice",
        ),
        (
            "signals:\n  view:\n    half_life: []\n",
            "line 3: signals.view.half_life: expected 1 to 4 durations",
        ),
        (
            "signals:\n  view:\n    half_life: 1d\n    decay: none\n",
            "line 4: signals.view.decay: half_life is given too",
        ),
        (
            "signals:\n  view:\n    decay: fast\n",
            "line 3: signals.view.decay: expected none or {linear: DURATION}",
        ),
        (
            "signals:\n  view:\n    decay: {cubic: 1d}\n",
            "line 3: signals.view.decay.cubic: unknown key; expected one of linear",
        ),
        ("signals:\n  view:\n    decay:\n      linear: 40000d\n", "signals.view.decay: out of range"),
    ]);
}

#[test]
fn wrong_signals_are_refused() {
    check(&[
        (
            "signals:\n  view:\n    on: movie\n",
            "line 3: signals.view.on: unknown kind \"movie\"; expected one of item, user, creator",
        ),
        (
            "signals:\n  view:\n    seen: yes\n",
            "line 3: signals.view.seen: expected true or false, found yes",
        ),
        (
            "signals:\n  view:\n    interest: 1.5\n",
            "line 3: signals.view.interest: 1.5 is out of range: -1 to 1",
        ),
        ("signals:\n  view:\n    affinity: 101\n", "line 3: signals.view.affinity: 101 is out of range"),
        (
            "signals:\n  view:\n    on: creator\n    seen: true\n",
            "line 4: signals.view.seen: only signals on items have this, this one is on creator",
        ),
        (
            "signals:\n  view:\n    on: user\n    interest: 0.5\n",
            "line 4: signals.view.interest: only signals on items",
        ),
        ("signals:\n  view:\n    weight: 2\n", "line 3: signals.view.weight: unknown key"),
    ]);
}

#[test]
fn size_and_depth_have_bounds() {
    let nested = |depth: usize| Schema::parse(&format!("items: {}{}", "[".repeat(depth), "]".repeat(depth)));
    assert!(nested(31).unwrap_err().message().contains("expected a mapping, found a list"));
    assert!(nested(32).unwrap_err().message().contains("nested deeper than 32"));
    assert_eq!(nested(200_000).unwrap_err().kind(), ErrorKind::Invalid);
    let big = format!("# {}\n{{}}", "x".repeat(crate::schema::MAX_SCHEMA_BYTES));
    assert!(Schema::parse(&big).unwrap_err().message().contains("bytes, at most"));
    let many = |count: usize| {
        let signals: String = (0..count).map(|at| format!("  s{at}: {{}}\n")).collect();
        Schema::parse(&format!("signals:\n{signals}"))
    };
    assert_eq!(many(MAX_SIGNALS).unwrap().signals().len(), MAX_SIGNALS);
    assert!(many(MAX_SIGNALS + 1).unwrap_err().message().contains("65 declared, at most 64"));
}
