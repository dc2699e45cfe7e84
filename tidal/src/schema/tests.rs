mod entity;
mod errors;

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;

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

proptest! {
    #[test]
    fn garbage_is_refused_or_read(bytes: Vec<u8>, text: String) {
        for bytes in [bytes.clone(), [&[STORED_VERSION], bytes.as_slice()].concat()] {
            match Schema::decode(&bytes) {
                Ok(schema) => prop_assert_eq!(Schema::decode(&schema.encode()).unwrap(), schema),
                Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Corrupt),
            }
        }
        match Schema::parse(&text) {
            Ok(schema) => prop_assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema),
            Err(error) => prop_assert!(error.message().starts_with("line ")),
        }
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
