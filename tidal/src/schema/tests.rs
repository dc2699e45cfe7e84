use super::*;
use crate::Entity;
use crate::error::{Error, ErrorKind};
use crate::value::Value;

const MOVIES: &str = "\
# what the demo uses
items:
  fields:
    title: {type: text, weight: 2.0}
    overview: text
    genres: tags
    language: keyword
    adult: bool
    year: int
    price: float
    released: timestamp
    runtime: duration
    place: geo
  embeddings:
    content: {dimension: 4, metric: cosine}
    cover: {dimension: 2, metric: euclidean}
users:
  fields: {country: keyword}
creators:
  fields: {name: text}
signals:
  view: {on: item, half_life: 7d, seen: true, interest: 0.1, affinity: 1}
  like: {on: item, half_life: [1d, 30d], liked: true, saved: true, interest: 1.0, affinity: 3}
  dislike: {on: item, half_life: 30d, interest: -0.5, negative: true}
  trend: {on: item, decay: {linear: 2w}}
  rating: {on: item, decay: none}
  visit: {on: creator}
";

fn movies() -> Schema {
    Schema::parse(MOVIES).unwrap()
}

#[test]
fn a_file_declares_what_it_says_with_numbers_in_its_order() {
    let schema = movies();
    let names: Vec<&str> = schema.fields(Kind::Item).iter().map(|field| field.name.as_str()).collect();
    assert_eq!(
        names,
        "title overview genres language adult year price released runtime place"
            .split(' ')
            .collect::<Vec<_>>()
    );
    assert_eq!(schema.field(Kind::Item, "title").map(|field| field.weight), Some(2.0));
    assert_eq!(schema.field_index(Kind::Item, "year"), Some(5));
    assert_eq!(schema.field_index(Kind::User, "year"), None);
    assert_eq!(schema.slot_index(Kind::Item, "cover"), Some(1));
    assert_eq!(schema.signal_index("dislike"), Some(2));
    let like = SignalDef::new("like", Kind::Item)
        .half_lives(&[DAY, 30 * DAY])
        .liked()
        .saved()
        .interest(1.0)
        .affinity(3.0);
    assert_eq!(schema.signal("like"), Some(&like));
    assert_eq!(
        schema.signal("trend").map(|signal| &signal.decay),
        Some(&Decay::Linear { seconds: 14 * DAY })
    );
    assert_eq!(schema.signal("visit"), Some(&SignalDef::new("visit", Kind::Creator)));
}

#[test]
fn the_builder_makes_the_same_schema_as_the_file() {
    let file = "items: {fields: {title: {type: text, weight: 2}, year: int}, \
                embeddings: {content: {dimension: 64}}}\nsignals: {dislike: {half_life: 12h, negative: true}}";
    let built = Schema::builder()
        .text(Kind::Item, "title", 2.0)
        .field(Kind::Item, "year", FieldType::Int)
        .embedding(Kind::Item, "content", 64, Metric::Cosine)
        .signal(SignalDef::new("dislike", Kind::Item).half_lives(&[12 * HOUR]).negative());
    assert_eq!(built.build().unwrap(), Schema::parse(file).unwrap());
}

#[test]
fn the_example_of_the_documentation_is_a_schema() {
    let page = include_str!("../../../docs/schema.md");
    let example = page.split("```yaml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let schema = Schema::parse(example).unwrap();
    assert_eq!((schema.fields(Kind::Item).len(), schema.signals().len()), (4, 5));
}

#[test]
fn json_is_read_too() {
    let json = "{\n\t\"items\": {\n\t\t\"fields\": {\"title\": {\"type\": \"text\", \"weight\": 2.0}, \"year\": \"int\"}\n\t},\n\
                \t\"signals\": {\"view\": {\"on\": \"item\", \"half_life\": [\"7d\"], \"seen\": true}}\n}\n";
    let schema = Schema::parse(json).unwrap();
    assert_eq!(schema.field_index(Kind::Item, "year"), Some(1));
    assert!(schema.signal("view").unwrap().seen);
    let error = Schema::parse(&json.replace("\"int\"", "\"integr\"")).unwrap_err();
    assert!(error.message().starts_with("line 3: items.fields.year: unknown type \"integr\""), "{error}");
}

/// Every error of a schema file: kind, line, path and reason.
#[test]
fn errors_name_line_path_and_reason() {
    let long = "x".repeat(65);
    let cases: &[(&str, &str)] = &[
        ("", "line 1: the schema is empty"),
        ("# only a comment\n", "line 1: the schema is empty"),
        ("- items\n", "line 1: expected a mapping, found a list"),
        ("items:\n  feilds: {}\n", "line 2: items.feilds: unknown key; expected one of fields, embeddings"),
        ("item: {}\n", "line 1: item: unknown key; expected one of items, users, creators, signals"),
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
        ("items:\n  fields:\n    Year: int\n", "line 3: items.fields.Year: bad name"),
        ("items:\n  fields:\n    1st: int\n", "line 3: items.fields.1st: bad name"),
        ("items:\n  fields:\n    a-b: int\n", "line 3: items.fields.a-b: bad name"),
        ("items:\n  fields:\n    \"\": int\n", "line 3: items.fields.: bad name"),
        ("items:\n  fields:\n    unseen: bool\n", "line 3: items.fields.unseen: reserved name"),
        (
            "items:\n  fields:\n    a: int\n    b: int\n    a: text\n",
            "line 5: a: comes twice, first on line 3",
        ),
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
        (
            "signals:\n  view:\n    on: movie\n",
            "line 3: signals.view.on: unknown kind \"movie\"; expected one of item, user, creator",
        ),
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
        ("items:\n  fields: {a: int\nusers: {}\n", "not YAML"),
        ("items: &a {}\nusers: *a\n", "line 1: anchors are not supported"),
        ("items: !x {}\n", "line 1: tags are not supported"),
        ("items: {}\n---\nusers: {}\n", "more than one document"),
        ("items:\n  [a]: int\n", "line 2: a key must be a name"),
    ];
    for (text, expected) in cases {
        let error = Schema::parse(text).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.message().starts_with("line "), "{text}\n{error}");
        assert!(error.message().contains(expected), "{text}\nexpected: {expected}\nfound: {error}");
    }
    let error = Schema::parse(&format!("items:\n  fields:\n    {long}: int\n")).unwrap_err();
    assert!(error.message().contains("bad name"), "{error}");
}

#[test]
fn size_and_depth_have_bounds() {
    let nested = |depth: usize| Schema::parse(&format!("items: {}{}", "[".repeat(depth), "]".repeat(depth)));
    assert!(nested(31).unwrap_err().message().contains("expected a mapping, found a list"));
    assert!(nested(32).unwrap_err().message().contains("nested deeper than 32"));
    assert_eq!(nested(200_000).unwrap_err().kind(), ErrorKind::Invalid);
    let big = format!("# {}\n{{}}", "x".repeat(MAX_SCHEMA_BYTES));
    assert!(Schema::parse(&big).unwrap_err().message().contains("bytes, at most"));
    let many = |count: usize| {
        let signals: String = (0..count).map(|at| format!("  s{at}: {{}}\n")).collect();
        Schema::parse(&format!("signals:\n{signals}"))
    };
    assert_eq!(many(MAX_SIGNALS).unwrap().signals().len(), MAX_SIGNALS);
    assert!(many(MAX_SIGNALS + 1).unwrap_err().message().contains("65 declared, at most 64"));
}

#[test]
fn the_builder_refuses_by_path() {
    let check = |builder: SchemaBuilder, path: &str, reason: &str| {
        let error = builder.build().unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(path)), "{error}");
        assert!(error.message().contains(reason), "{error}");
    };
    let new = Schema::builder;
    let twice = new().field(Kind::User, "a", FieldType::Int).field(Kind::User, "a", FieldType::Int);
    check(twice, "users.fields.a", "declared twice");
    check(new().field(Kind::Item, "or", FieldType::Int), "items.fields.or", "reserved");
    check(new().text(Kind::Item, "a", f64::NAN), "items.fields.a.weight", "out of range");
    check(new().embedding(Kind::Item, "a", 0, Metric::Dot), "items.embeddings.a.dimension", "out of range");
    let signal = |signal: SignalDef| new().signal(signal);
    check(signal(SignalDef::new("a", Kind::Item).interest(f64::NAN)), "signals.a.interest", "out of range");
    check(signal(SignalDef::new("a", Kind::User).liked()), "signals.a.liked", "only signals on items");
    check(signal(SignalDef::new("a", Kind::Item).half_lives(&[])), "signals.a.half_life", "expected 1 to 4");
    check(signal(SignalDef::new("a", Kind::Item).linear(0)), "signals.a.decay", "out of range");
}

#[test]
fn the_canonical_form_reads_back() {
    let schema = movies();
    let yaml = schema.to_yaml();
    assert_eq!(Schema::parse(&yaml).unwrap(), schema);
    assert_eq!(Schema::parse(&yaml).unwrap().to_yaml(), yaml);
    assert!(
        yaml.contains(
            "  like: {on: item, half_life: [1d, 30d], liked: true, saved: true, interest: 1, affinity: 3}\n"
        ),
        "{yaml}"
    );
    let empty = Schema::parse("{}").unwrap();
    assert_eq!(Schema::parse(&empty.to_yaml()).unwrap(), empty);
    let odd =
        Schema::builder().field(Kind::Item, "y", FieldType::Int).field(Kind::Item, "on", FieldType::Bool);
    let odd = odd.build().unwrap();
    assert_eq!(Schema::parse(&odd.to_yaml()).unwrap(), odd);
}

#[test]
fn the_fingerprint_is_that_of_the_declarations() {
    assert_eq!(movies().fingerprint(), Schema::parse(&MOVIES.replace("2w", "14d")).unwrap().fingerprint());
    assert_ne!(movies().fingerprint(), Schema::parse(&MOVIES.replace("2w", "15d")).unwrap().fingerprint());
    // Stored beside databases: it must not change between versions.
    assert_eq!(movies().fingerprint(), 14_295_856_944_317_362_930);
}

#[test]
fn the_stored_form_reads_back_and_is_the_described_one() {
    let schema = movies();
    assert_eq!(Schema::decode(&schema.encode()).unwrap(), schema);
    let small = Schema::builder()
        .field(Kind::Item, "a", FieldType::Int)
        .embedding(Kind::Item, "c", 300, Metric::Dot)
        .signal(SignalDef::new("s", Kind::Creator).half_lives(&[60]).negative())
        .build()
        .unwrap();
    let mut expected = vec![STORED_VERSION];
    expected.extend([1, 1, b'a', 4]);
    expected.extend(1.0f64.to_le_bytes());
    expected.extend([1, 1, b'c', 0xac, 0x02, 1]);
    expected.extend([0, 0, 0, 0]);
    expected.extend([1, 1, b's', 2, 2, 1, 60, 0, 0, 0]);
    expected.extend([0; 16]);
    expected.push(1);
    assert_eq!(small.encode(), expected);
}

#[test]
fn bytes_that_were_never_written_are_refused() {
    let bytes = movies().encode();
    let refused = |bytes: &[u8]| {
        let error = Schema::decode(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    };
    for end in 0..bytes.len() {
        refused(&bytes[..end]);
    }
    refused(&[bytes.as_slice(), &[0]].concat());
    refused(&[&[STORED_VERSION + 1], &bytes[1..]].concat());
    // A length far beyond the bytes that are there.
    refused(&[STORED_VERSION, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    // A flipped bit gives an error or another valid schema, and never a panic.
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            if let Ok(schema) = Schema::decode(&flipped) {
                assert_eq!(Schema::decode(&schema.encode()).unwrap(), schema);
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn garbage_is_refused_or_read(bytes: Vec<u8>, text: String) {
        let _ = Schema::decode(&bytes);
        let _ = Schema::decode(&[&[STORED_VERSION], bytes.as_slice()].concat());
        let _ = Schema::parse(&text);
    }
}

#[test]
fn additions_keep_the_numbers_wherever_they_are_declared() {
    let stored = Schema::parse("items: {fields: {b: int, d: text}}\nsignals: {view: {}}").unwrap();
    let new = Schema::parse(
        "users: {fields: {x: int}}\nitems: {fields: {a: int, d: text, c: tags, b: int}, \
         embeddings: {e: {dimension: 2}}}\nsignals: {like: {}, view: {}}",
    )
    .unwrap();
    let differences = Schema::diff(&stored, &new);
    assert!(differences.iter().all(Difference::is_additive));
    let paths: Vec<&str> = differences.iter().map(|difference| difference.path.as_str()).collect();
    assert_eq!(
        paths,
        ["items.fields.a", "items.fields.c", "items.embeddings.e", "users.fields.x", "signals.like"]
    );

    let merged = Schema::extend(&stored, &new).unwrap();
    let names: Vec<&str> = merged.fields(Kind::Item).iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["b", "d", "a", "c"]);
    assert_eq!((merged.signal_index("view"), merged.signal_index("like")), (Some(0), Some(1)));
    assert_eq!(Schema::diff(&merged, &new), []);
    assert_eq!(Schema::extend(&merged, &new).unwrap(), merged);
    assert_eq!(Schema::extend(&stored, &stored).unwrap(), stored);
}

#[test]
fn whatever_is_no_addition_is_refused_with_the_difference() {
    let new = MOVIES
        .replace("    year: int\n", "    year: float\n    extra: int\n")
        .replace("    adult: bool\n", "")
        .replace("dimension: 4", "dimension: 8")
        .replace("half_life: 7d", "half_life: 8d");
    let error = Schema::extend(&movies(), &Schema::parse(&new).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let expected = "the schema does not fit the database, which can only be added to:\n  \
        items.fields.adult: removed, was bool\n  \
        items.fields.year: changed from int to float\n  \
        items.embeddings.content: changed from {dimension: 4, metric: cosine} to {dimension: 8, metric: cosine}\n  \
        signals.view: changed from {on: item, half_life: 7d, seen: true, interest: 0.1, affinity: 1} \
        to {on: item, half_life: 8d, seen: true, interest: 0.1, affinity: 1}";
    assert_eq!(error.message(), expected);
}

fn check(entity: Entity) -> Result<Entity, Error> {
    check_kind(Kind::Item, entity)
}

fn check_kind(kind: Kind, mut entity: Entity) -> Result<Entity, Error> {
    movies().check_entity(kind, &mut entity)?;
    Ok(entity)
}

#[track_caller]
fn refused(result: Result<Entity, Error>, field: &str, message: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(field)), "{error}");
    assert!(error.message().contains(message), "{error}");
}

#[test]
fn declared_values_get_their_declared_type() {
    use crate::time::Timestamp;
    let given = Entity::new(1)
        .creator("c")
        .field("price", 3_i64)
        .field("released", "1970-01-02")
        .field("runtime", "2h")
        .field("year", Value::Null)
        .field("unknown", vec!["kept".to_owned()]);
    let expected = Entity::new(1)
        .creator("c")
        .field("price", 3.0)
        .field("released", Timestamp(86_400_000_000))
        .field("runtime", Value::Duration(7_200_000_000))
        .field("year", Value::Null)
        .field("unknown", vec!["kept".to_owned()]);
    assert_eq!(check(given).unwrap(), expected);
    assert_eq!(check(expected.clone()).unwrap(), expected);
}

#[test]
fn wrong_values_are_refused_by_name() {
    let new = || Entity::new(1);
    refused(check(new().field("year", "abc")), "metadata.year", "expected int, found \"abc\"");
    refused(check(new().field("year", 1.5)), "metadata.year", "expected int, found 1.5");
    refused(check(new().field("adult", 1_i64)), "metadata.adult", "expected bool, found 1");
    refused(check(new().field("genres", "Drama")), "metadata.genres", "expected tags (a list of texts)");
    refused(
        check(new().field("language", vec![])),
        "metadata.language",
        "expected a keyword (text), found a list",
    );
    refused(check(new().field("price", f64::NAN)), "metadata.price", "finite");
    refused(check(new().field("other", f64::INFINITY)), "metadata.other", "finite");
    refused(check(new().field("released", "2023-02-29")), "metadata.released", "expected a timestamp");
    refused(check(new().field("released", i64::MAX)), "metadata.released", "expected a timestamp");
    refused(check(new().field("released", 253_402_300_800_i64)), "metadata.released", "out of range");
    refused(check(new().field("runtime", -1_i64)), "metadata.runtime", "out of range");
    refused(check(new().field("place", Value::Geo(91.0, 0.0))), "metadata.place", "latitude 91");
    refused(check(new().field("place", Value::Geo(0.0, f64::NAN))), "metadata.place", "longitude NaN");
    let long = "x".repeat(crate::limits::MAX_VALUE_BYTES + 1);
    refused(check(new().field("title", long.as_str())), "metadata.title", "1048577 bytes");
    refused(check(new().field("other", long.as_str())), "metadata.other", "1048577 bytes");
    let tags = vec!["x".to_owned(); crate::limits::MAX_TAGS + 1];
    refused(check(new().field("genres", tags)), "metadata.genres", "1025 tags");
    refused(check(new().field("", 1_i64)), "metadata", "a name of 0 bytes");
    let many =
        (0..=crate::limits::MAX_FIELDS).fold(new(), |entity, at| entity.field(&format!("f{at}"), 1_i64));
    refused(check(many), "metadata", "257 fields");
    refused(check(Entity::new("")), "id", "an id of 0 bytes");
    refused(check(Entity::new("x".repeat(257))), "id", "an id of 257 bytes");
    refused(check(new().creator("")), "creator", "an id of 0 bytes");
    refused(check_kind(Kind::User, new().creator("c")), "creator", "only items have a creator");
    assert!(check(Entity::new("x".repeat(256))).is_ok());
}

#[test]
fn vectors_are_checked_and_those_of_cosine_slots_get_length_one() {
    let vector = |numbers: &[f32]| Entity::new(1).embedding("content", numbers);
    let entity = check(vector(&[3.0, 0.0, 4.0, 0.0])).unwrap();
    assert_eq!(entity.embeddings["content"], [0.6, 0.0, 0.8, 0.0]);
    for scale in [f32::MAX, 1e6, 1e-40] {
        let entity = check(vector(&[scale, scale, 0.0, 0.0])).unwrap();
        let length: f32 = entity.embeddings["content"].iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-3, "{scale}: {length}");
    }
    refused(check(vector(&[0.0, -0.0, 0.0, 0.0])), "embeddings.content", "the zero vector has no direction");
    refused(check(vector(&[1.0, 2.0])), "embeddings.content", "expected 4 numbers, found 2");
    refused(check(vector(&[1.0, f32::NAN, 0.0, 0.0])), "embeddings.content[1]", "found NaN");
    refused(check(vector(&[1.0, 0.0, 0.0, f32::INFINITY])), "embeddings.content[3]", "found inf");
    refused(
        check(Entity::new(1).embedding("x", [1.0])),
        "embeddings.x",
        "unknown slot; items have content, cover",
    );
    let user = Entity::new(1).embedding("x", [1.0]);
    refused(check_kind(Kind::User, user), "embeddings.x", "the schema declares none for users");
    let other = Entity::new(1).embedding("cover", [0.0, 1e30]);
    assert_eq!(check(other.clone()).unwrap(), other);
}
