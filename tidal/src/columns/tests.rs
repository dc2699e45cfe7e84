use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::schema::FieldDef;
use crate::time::Timestamp;

const FIELDS: [(&str, FieldType); 9] = [
    ("language", FieldType::Keyword),
    ("genres", FieldType::Tags),
    ("title", FieldType::Text),
    ("adult", FieldType::Bool),
    ("year", FieldType::Int),
    ("price", FieldType::Float),
    ("released", FieldType::Timestamp),
    ("runtime", FieldType::Duration),
    ("place", FieldType::Geo),
];

fn columns() -> Columns {
    Columns::new(&FIELDS.map(|(name, of)| FieldDef::new(name, of)))
}

#[test]
fn a_row_has_the_values_that_were_set_last() {
    let mut columns = columns();
    let row = Row(70);
    let entity = Entity::new(1)
        .field("language", "de")
        .field("genres", vec!["b".to_owned(), "a".to_owned(), "b".to_owned()])
        .field("adult", true)
        .field("year", i64::MAX)
        .field("price", 1.5)
        .field("released", Timestamp(-1_500_000))
        .field("runtime", Value::Duration(2_000_000))
        .field("place", Value::Geo(1.0, 2.0))
        .field("unknown", 1_i64);
    columns.set(row, &entity);
    columns.check_invariants().unwrap();
    assert_eq!(columns.keyword(0, row), Some("de"));
    let mut tags: Vec<&str> = columns.tags(1, row).collect();
    tags.sort_unstable();
    assert_eq!(tags, ["a", "b"]);
    assert!(!columns.has(2, row));
    assert_eq!(columns.number(3, row), Some(1.0));
    assert_eq!((columns.integer(4, row), columns.number(4, row)), (Some(i64::MAX), Some(i64::MAX as f64)));
    assert_eq!((columns.integer(5, row), columns.number(5, row)), (None, Some(1.5)));
    assert_eq!((columns.integer(6, row), columns.number(6, row)), (Some(-1_500_000), Some(-1.5)));
    assert_eq!(columns.number(7, row), Some(2.0));
    assert_eq!(columns.place(8, row), Some((1.0, 2.0)));
    assert_eq!(columns.number(4, Row(3)), None);
    assert_eq!((columns.number(99, row), columns.keyword(4, row)), (None, None));

    columns.set(row, &Entity::new(1).field("title", "t").field("adult", false).field("year", "no int"));
    columns.check_invariants().unwrap();
    assert!(columns.has(2, row));
    assert_eq!(columns.number(3, row), Some(0.0));
    for field in [0, 1, 4, 5, 6, 7, 8] {
        assert!(!columns.has(field, row) && columns.present(field).is_empty(), "{field}");
    }
    assert_eq!(columns.values(0).count() + columns.values(1).count(), 0);

    columns.remove(row);
    columns.remove(row);
    columns.check_invariants().unwrap();
    assert!(columns.live().is_empty() && !columns.has(3, row));
}

fn values() -> impl Strategy<Value = Vec<(usize, Value)>> {
    let value = prop_oneof![
        (0..4_u8).prop_map(|at| (0, Value::Text(format!("k{at}")))),
        proptest::collection::vec(0..4_u8, 0..4)
            .prop_map(|tags| (1, Value::List(tags.iter().map(|at| format!("t{at}")).collect()))),
        Just((2, Value::Text("words".to_owned()))),
        any::<bool>().prop_map(|value| (3, Value::Bool(value))),
        (-3..3_i64).prop_map(|number| (4, Value::Int(number))),
        (-3..3_i64).prop_map(|number| (5, Value::Float(number as f64 / 2.0))),
        (-3..3_i64).prop_map(|number| (6, Value::Timestamp(Timestamp(number)))),
        (0..3_i64).prop_map(|number| (7, Value::Duration(number))),
        (-90.0..90.0, -180.0..180.0).prop_map(|(latitude, longitude)| (8, Value::Geo(latitude, longitude))),
    ];
    proptest::collection::vec(value, 0..9)
}

proptest! {
    /// Any list of changes, against a map from rows to entities.
    #[test]
    fn columns_are_the_entities_in_another_shape(
        changes in proptest::collection::vec((0..200_u32, proptest::option::weighted(0.8, values())), 0..60)
    ) {
        let mut columns = columns();
        let mut model: BTreeMap<u32, Entity> = BTreeMap::new();
        for (row, change) in changes {
            match change {
                Some(values) => {
                    let entity = values.into_iter().fold(Entity::new(u64::from(row)), |entity, (field, value)| {
                        entity.field(FIELDS[field].0, value)
                    });
                    columns.set(Row(row), &entity);
                    model.insert(row, entity);
                }
                None => {
                    columns.remove(Row(row));
                    model.remove(&row);
                }
            }
            columns.check_invariants().unwrap();
        }
        prop_assert_eq!(columns.live(), &model.keys().copied().collect::<RoaringBitmap>());
        let rows_that = |test: &dyn Fn(&Entity) -> bool| -> RoaringBitmap {
            model.iter().filter(|(_, entity)| test(entity)).map(|(row, _)| *row).collect()
        };
        for (field, (name, _)) in FIELDS.iter().enumerate() {
            let present = rows_that(&|entity| match entity.metadata.get(*name) {
                Some(Value::List(tags)) => !tags.is_empty(),
                value => value.is_some(),
            });
            prop_assert_eq!(&columns.present(field), &present);
            prop_assert!((0..210).all(|row| columns.has(field, Row(row)) == present.contains(row)));
        }
        for at in 0..4 {
            let (keyword, tag) = (format!("k{at}"), format!("t{at}"));
            let with = rows_that(&|entity| entity.metadata.get("language") == Some(&Value::Text(keyword.clone())));
            prop_assert_eq!(columns.rows_with(0, &keyword).cloned().unwrap_or_default(), with);
            let with = rows_that(&|entity| {
                matches!(entity.metadata.get("genres"), Some(Value::List(tags)) if tags.contains(&tag))
            });
            prop_assert_eq!(columns.rows_with(1, &tag).cloned().unwrap_or_default(), with);
        }
        let ranges = [(-2, -2), (0, 1)];
        let within = rows_that(&|entity| {
            matches!(entity.metadata.get("year"), Some(Value::Int(-2 | 0 | 1)))
        });
        prop_assert_eq!(columns.integers_in(4, &ranges), within);
        let within = rows_that(&|entity| {
            matches!(entity.metadata.get("price"), Some(Value::Float(number)) if (-0.5..=1.0).contains(number))
        });
        prop_assert_eq!(columns.floats_in(5, &[(-0.5, 1.0)]), within);
        let no = rows_that(&|entity| entity.metadata.get("adult") == Some(&Value::Bool(false)));
        prop_assert_eq!(columns.rows_that_are(3, false), no);
    }
}

#[test]
fn a_keyword_without_rows_gives_its_place_to_the_next() {
    let mut columns = columns();
    for round in 0..100 {
        columns.set(Row(0), &Entity::new(0).field("language", format!("l{round}")));
        columns.check_invariants().unwrap();
    }
    assert_eq!(columns.values(0).map(|(value, rows)| (value, rows.len())).collect::<Vec<_>>(), [("l99", 1)]);
    let Column::Keyword(keywords) = &columns.columns[0] else { panic!("not a keyword column") };
    assert!(keywords.dictionary().places() <= 2);
}

#[test]
fn broken_columns_are_noticed() {
    let mut dead = columns();
    dead.set(Row(5), &Entity::new(5).field("year", 1_i64));
    dead.live.remove(5);
    let error = dead.check_invariants().unwrap_err();
    assert_eq!(error.message(), "column year: row 5 has a value and is not live");

    let mut truth = columns();
    truth.set(Row(5), &Entity::new(5).field("adult", true));
    let Column::Bool { present, .. } = &mut truth.columns[3] else { panic!("not a bool column") };
    present.clear(5);
    assert!(truth.check_invariants().unwrap_err().message().contains("adult: a row is true"));
}

#[test]
fn distances_are_those_of_the_sphere() {
    let check = |from, to, metres: f64, within: f64| {
        for distance in [distance_m(from, to), distance_m(to, from)] {
            assert!((distance - metres).abs() <= within, "{from:?} {to:?}: {distance}");
        }
    };
    let quarter = std::f64::consts::FRAC_PI_2 * 6_371_008.8;
    check((0.0, 0.0), (0.0, 0.0), 0.0, 0.0);
    check((0.0, 0.0), (90.0, 123.0), quarter, 1e-3);
    check((90.0, 0.0), (-90.0, 77.0), 2.0 * quarter, 1e-3);
    check((0.0, 0.0), (0.0, 180.0), 2.0 * quarter, 1e-3);
    check((0.0, 179.9), (0.0, -179.9), 0.2_f64.to_radians() * 6_371_008.8, 1e-3);
    check((52.52, 13.405), (48.137, 11.575), 504_000.0, 1_000.0);
    check((10.0, 10.0), (10.0, 10.000_001), 0.1095, 1e-3);
}
