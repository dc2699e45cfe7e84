mod model;

use std::ops::Bound::{Excluded, Included, Unbounded};

use self::bind::BoundFilter;
use self::model::{World, schema};
use super::*;
use crate::error::ErrorKind;
use crate::id::Kind;
use crate::limits::{MAX_DEPTH, MAX_EXCLUDED, MAX_NODES};
use crate::schema::Schema;
use crate::time::Timestamp;

impl Filter {
    fn evaluate(&self, schema: &Schema, kind: Kind, world: &World) -> Result<RoaringBitmap> {
        self.bind(schema, kind)?.evaluate(world)
    }
}

impl BoundFilter {
    /// The live rows that match.
    fn evaluate(&self, world: &World) -> Result<RoaringBitmap> {
        self.evaluate_within(world, world.columns().live())
    }
}

/// 10,000 random trees over random items, against a reading of the filter item by item.
#[test]
fn filters_mean_what_they_say_item_by_item() {
    let schema = schema();
    let (mut matched, mut total) = (0, 0);
    for seed in 0..100 {
        let mut random = model::Random::new(seed);
        let world = World::new(&mut random, seed != 0);
        for tree in 0..100 {
            let filter = model::filter(&mut random, 4);
            let found = filter.evaluate(&schema, Kind::Item, &world).unwrap();
            let expected = world.rows_that(|row| world.matches(&filter, row));
            assert_eq!(found, expected, "seed {seed}, tree {tree}: {filter:?}");
            let share = filter.bind(&schema, Kind::Item).unwrap().estimate(&world).unwrap();
            assert!((0.0..=1.0).contains(&share), "seed {seed}, tree {tree}: {share} for {filter:?}");
            (matched, total) = (matched + found.len(), total + world.columns().live().len());
        }
    }
    // The trees tell items apart: they match neither nearly all nor nearly nothing.
    assert!((total / 10..total * 9 / 10).contains(&matched), "{matched} of {total}");
}

/// Every filter and its opposite divide the live rows: there is no third answer.
#[test]
fn a_filter_and_its_opposite_are_all_items() {
    let schema = schema();
    let mut random = model::Random::new(7);
    let world = World::new(&mut random, true);
    for _ in 0..500 {
        let filter = model::filter(&mut random, 3);
        let yes = filter.evaluate(&schema, Kind::Item, &world).unwrap();
        let no = filter.negate().evaluate(&schema, Kind::Item, &world).unwrap();
        assert!(yes.is_disjoint(&no));
        assert_eq!(&(yes | no), world.columns().live());
    }
}

const NONE: [u32; 0] = [];

/// One item per value of a field, rows in the order of the values, and then one without.
fn found(field: &str, values: &[Value], filter: &Filter) -> Vec<u32> {
    let world = World::of_values(field, values);
    filter.evaluate(&schema(), Kind::Item, &world).unwrap().iter().collect()
}

#[test]
fn a_missing_value_fails_every_test_and_passes_the_opposite() {
    let check = |field: &str, value: Value, test: Test| {
        let filter = Filter::Field(field.to_owned(), test);
        assert_eq!(found(field, std::slice::from_ref(&value), &filter), [0], "{filter:?}");
        assert_eq!(found(field, &[Value::Null], &filter), NONE, "{filter:?}");
        assert_eq!(found(field, &[Value::Null], &filter.negate()), [0, 1]);
    };
    check("price", Value::Float(9.0), Test::Range(Unbounded, Excluded(Value::Int(10))));
    check("price", Value::Float(0.0), Test::Eq(Value::Int(0)));
    check("year", Value::Int(0), Test::Eq(Value::Int(0)));
    check("adult", Value::Bool(false), Test::Eq(Value::Bool(false)));
    check("language", Value::from(""), Test::Eq(Value::from("")));
    check("genres", Value::from(vec!["x".to_owned()]), Test::Eq(Value::from("x")));
    check("genres", Value::from(vec!["x".to_owned()]), Test::All(vec![]));
    check("place", Value::Geo(0.0, 0.0), Test::Within { latitude: 0.0, longitude: 0.0, radius_m: 0.0 });
    check("title", Value::from(""), Test::Exists(true));
    let tags = [Value::from(vec!["x".to_owned()]), Value::List(vec![])];
    assert_eq!(found("genres", &tags, &Filter::exists("genres")), [0]);
    assert_eq!(found("genres", &tags, &Filter::eq("genres", "x").negate()), [1, 2]);
    assert_eq!(found("genres", &tags, &Filter::Field("genres".to_owned(), Test::Exists(false))), [1, 2]);
}

#[test]
fn ranges_are_exact_at_their_edges() {
    let big = 1_i64 << 53;
    let ints = [i64::MIN, -1, 0, 1, big, big + 1, i64::MAX].map(Value::Int);
    let check = |low, high, expected: &[u32]| {
        let filter = Filter::range("year", low, high);
        assert_eq!(found("year", &ints, &filter), expected, "{filter:?}");
    };
    let (int, float) = (Value::Int, Value::Float);
    check(Included(int(0)), Unbounded, &[2, 3, 4, 5, 6]);
    check(Excluded(int(0)), Excluded(int(big + 1)), &[3, 4]);
    check(Excluded(int(i64::MAX)), Unbounded, &[]);
    check(Unbounded, Excluded(int(i64::MIN)), &[]);
    check(Unbounded, Included(int(i64::MIN)), &[0]);
    check(Included(int(1)), Included(int(0)), &[]);
    check(Included(float(-0.5)), Excluded(float(0.5)), &[2]);
    check(Excluded(float(-0.0)), Included(float(1.0)), &[3]);
    check(Excluded(float(big as f64)), Unbounded, &[5, 6]);
    check(Included(float(1e300)), Unbounded, &[]);
    check(Included(float(-1e300)), Excluded(float(-1.0)), &[0]);
    // 2^63 is a float but no i64.
    check(Included(float(i64::MAX as f64)), Unbounded, &[]);
    check(Unbounded, Excluded(float(i64::MAX as f64)), &[0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(found("year", &ints, &Filter::eq("year", 1.0)), [3]);
    assert_eq!(found("year", &ints, &Filter::eq("year", 1.5)), NONE);
    assert_eq!(found("year", &ints, &Filter::one_of("year", [big + 1, 1, 1, -7])), [3, 5]);
    assert_eq!(found("year", &ints, &Filter::one_of("year", Vec::<Value>::new())), NONE);

    let floats = [-0.0, 0.0, f64::MIN_POSITIVE, big as f64, f64::MAX].map(Value::Float);
    let check = |low, high, expected: &[u32]| {
        let filter = Filter::range("price", low, high);
        assert_eq!(found("price", &floats, &filter), expected, "{filter:?}");
    };
    check(Included(int(0)), Unbounded, &[0, 1, 2, 3, 4]);
    check(Excluded(int(0)), Unbounded, &[2, 3, 4]);
    check(Excluded(float(-0.0)), Unbounded, &[2, 3, 4]);
    check(Unbounded, Excluded(float(0.0)), &[]);
    check(Excluded(float(f64::MAX)), Unbounded, &[]);
    check(Included(int(big + 1)), Unbounded, &[4]);
    check(Included(int(big)), Excluded(int(big + 1)), &[3]);
    check(Excluded(int(big - 1)), Included(int(big)), &[3]);
    assert_eq!(found("price", &floats, &Filter::eq("price", big + 1)), NONE);
    assert_eq!(found("price", &floats, &Filter::one_of("price", [0.0, -0.0])), [0, 1]);

    let moments = [Timestamp(-1), Timestamp(0), Timestamp(1)].map(Value::Timestamp);
    let after = Filter::range("released", Included(Value::from("1970-01-01T00:00:00Z")), Unbounded);
    assert_eq!(found("released", &moments, &after), [1, 2]);
    assert_eq!(found("released", &moments, &Filter::eq("released", 0_i64)), [1]);
    let lengths = [Value::Duration(1_199_999_999), Value::Duration(1_200_000_000)];
    let shorter = Filter::range("runtime", Unbounded, Excluded(Value::from("20m")));
    assert_eq!(found("runtime", &lengths, &shorter), [0]);
}

#[test]
fn text_is_compared_byte_by_byte() {
    let values = ["Drama", "drama", "Drama ", "a/b"].map(Value::from);
    assert_eq!(found("language", &values, &Filter::eq("language", "Drama")), [0]);
    assert_eq!(found("language", &values, &Filter::one_of("language", ["a/b", "drama", "drama"])), [1, 3]);
}

#[test]
fn what_cannot_be_meant_is_refused_by_path() {
    let schema = schema();
    let check = |filter: Filter, field: Option<&str>, message: &str| {
        let error = filter.bind(&schema, Kind::Item).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, field), "{error}");
        assert!(error.message().contains(message), "{error}");
    };
    let below = |field: &str| Filter::range(field, Unbounded, Excluded(Value::from("abc")));
    let path = Filter::All(vec![Filter::exists("year"), below("year")]);
    check(path, Some("and[1].lt"), "year: expected int, found \"abc\"");
    check(
        Filter::Any(vec![Filter::exists("yeer").negate()]),
        Some("or[0].not.field"),
        "unknown field \"yeer\"",
    );
    check(below("language"), Some("lt"), "only numbers, timestamps and durations have an order");
    check(below("title"), Some("lt"), "text is searched");
    check(below("place"), Some("lt"), "use within");
    check(Filter::range("year", Unbounded, Unbounded), None, "a range without bounds");
    check(Filter::eq("title", "x"), Some("eq"), "text is searched");
    check(Filter::eq("year", Value::Null), Some("eq"), "use exists");
    check(Filter::eq("price", f64::NAN), Some("eq"), "finite");
    check(Filter::eq("genres", vec!["x".to_owned()]), Some("eq"), "expected a keyword");
    check(Filter::one_of("adult", [Value::from(true), Value::from(1_i64)]), Some("in[1]"), "expected bool");
    check(Filter::Field("year".to_owned(), Test::All(vec![])), Some("all"), "only tags have several values");
    let within = |latitude, radius_m| {
        Filter::Field("place".to_owned(), Test::Within { latitude, longitude: 0.0, radius_m })
    };
    check(within(91.0, 1.0), Some("within"), "latitude 91");
    check(within(0.0, -1.0), Some("within.radius_m"), "not negative");
    check(within(0.0, f64::NAN), Some("within.radius_m"), "not negative");
    check(Filter::Id(vec![Id::from(1), Id::from("")]), Some("id[1]"), "an id of 0 bytes");
    let signal = |name: &str, at_least| {
        let signal = name.to_owned();
        Filter::Signal(SignalCondition { signal, window: Window::All, at_least, at_most: None })
    };
    check(signal("vieww", Some(1.0)), Some("signal"), "unknown signal \"vieww\"");
    check(signal("visit", Some(1.0)), Some("signal"), "visit is on creators, this filter is on items");
    check(signal("view", None), Some("signal"), "expected gte or lte");
    check(signal("view", Some(f64::NAN)), Some("gte"), "finite");

    let error = Filter::User(UserCondition::Seen).bind(&schema, Kind::User).unwrap_err();
    assert_eq!(
        (error.field(), error.message()),
        (Some("user"), "only items can be filtered by this, not users")
    );
    let error = Filter::exists("year").bind(&schema, Kind::Creator).unwrap_err();
    assert_eq!(error.field(), Some("field"));
}

#[test]
fn depth_nodes_and_lists_have_bounds() {
    let schema = schema();
    let refused = |filter: Filter, message: &str| {
        let error = filter.bind(&schema, Kind::Item).unwrap_err();
        assert!(error.kind() == ErrorKind::Invalid && error.message().contains(message), "{error}");
    };
    let deep = |depth: usize| (1..depth).fold(Filter::exists("year"), |filter, _| filter.negate());
    assert!(deep(MAX_DEPTH).bind(&schema, Kind::Item).is_ok());
    refused(deep(MAX_DEPTH + 1), "nested deeper than 64");
    let wide = |nodes: usize| Filter::Any(vec![Filter::exists("year"); nodes - 1]);
    assert!(wide(MAX_NODES).bind(&schema, Kind::Item).is_ok());
    refused(wide(MAX_NODES + 1), "more than 4096 conditions");
    let ids = |count: usize| Filter::Id((0..count as u64).map(Id::from).collect());
    assert!(ids(MAX_EXCLUDED).bind(&schema, Kind::Item).is_ok());
    refused(ids(MAX_EXCLUDED + 1), "more than 10000");
    refused(Filter::All(vec![ids(MAX_EXCLUDED), Filter::one_of("year", [1_i64])]), "more than 10000");
}

#[test]
fn a_condition_on_the_user_needs_one_whatever_the_data() {
    let mut random = model::Random::new(3);
    let mut world = World::new(&mut random, true);
    world.user = None;
    let never = Filter::Any(vec![]);
    let filter = Filter::All(vec![never, Filter::User(UserCondition::Unseen).negate()]);
    let bound = filter.bind(&schema(), Kind::Item).unwrap();
    for error in [bound.evaluate(&world).unwrap_err(), bound.estimate(&world).unwrap_err()] {
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("and[1].not.user")));
    }
}

#[test]
fn estimates_come_near_the_share_that_matches() {
    let schema = schema();
    let values: Vec<Value> = (0..20_000).map(Value::Int).collect();
    let world = World::of_values("year", &values);
    let check = |filter: Filter, share: f64| {
        let estimate = filter.bind(&schema, Kind::Item).unwrap().estimate(&world).unwrap();
        assert!((estimate - share).abs() < 0.02, "{filter:?}: {estimate}, not {share}");
    };
    check(Filter::between("year", 5_000_i64, 9_999_i64), 0.25);
    check(Filter::between("year", 5_000_i64, 9_999_i64).negate(), 0.75);
    check(Filter::exists("year"), 1.0);
    check(Filter::exists("price"), 0.0);
    check(Filter::Id(vec![Id::from(1)]), 0.0);
    check(Filter::All(vec![]), 1.0);
    check(Filter::Any(vec![]), 0.0);
}

/// Few rows are asked one by one and many by column; both must say the same.
#[test]
fn asking_rows_and_scanning_columns_agree() {
    let values: Vec<Value> = (0..5_000).map(|at| Value::Int(at % 100)).collect();
    let world = World::of_values("year", &values);
    let bound = Filter::between("year", 10_i64, 19_i64).bind(&schema(), Kind::Item).unwrap();
    let all = bound.evaluate(&world).unwrap();
    assert_eq!(all.len(), 500);
    let few: RoaringBitmap = (1_000..1_030).collect();
    assert_eq!(bound.evaluate_within(&world, &few).unwrap(), &all & &few);
}
