//! Random items and filters, and what a filter means, item by item and without columns.

use std::collections::BTreeMap;
use std::ops::Bound;

use roaring::RoaringBitmap;

use super::super::{Filter, FilterContext, SignalCondition, Test, UserCondition, UserSet};
use crate::columns::{Columns, distance_m};
use crate::entity::Entity;
use crate::error::Result;
use crate::id::{Id, Kind, Row};
use crate::schema::Schema;
use crate::signal::Window;
use crate::time::Timestamp;
use crate::value::Value;

pub(super) fn schema() -> Schema {
    Schema::parse(
        "items: {fields: {language: keyword, genres: tags, title: text, adult: bool, year: int, price: float, \
         released: timestamp, runtime: duration, place: geo}}\nsignals: {like: {}, view: {}, visit: {on: creator}}",
    )
    .unwrap()
}

/// SplitMix64: the same numbers for the same seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A place in a list of this length.
    fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("below the length")
    }

    fn chance(&mut self, in_ten: u64) -> bool {
        self.below(10) < in_ten
    }
}

/// Items, and the state of one user.
pub(super) struct World {
    items: BTreeMap<u32, Entity>,
    columns: Columns,
    signals: BTreeMap<(usize, Window, u32), f64>,
    pub(super) user: Option<BTreeMap<UserSet, RoaringBitmap>>,
}

const FIELDS: [&str; 9] =
    ["language", "genres", "title", "adult", "year", "price", "released", "runtime", "place"];
const WINDOWS: [Window; 3] = [Window::Hour, Window::Week, Window::All];

/// A value that a field may have, from a small set, so that values meet.
fn value(random: &mut Random, field: &str) -> Value {
    let number = random.below(7) as i64 - 3;
    match field {
        "language" => Value::Text(format!("l{number}")),
        "genres" => Value::List((0..random.below(4)).map(|_| format!("g{}", random.below(5))).collect()),
        "title" => Value::from("words"),
        "adult" => Value::Bool(random.chance(5)),
        "year" => Value::Int(number),
        "price" => Value::Float(number as f64 / 2.0),
        "released" => Value::Timestamp(Timestamp(number * 1_000_000)),
        "runtime" => Value::Duration(number.abs() * 1_000_000),
        _ => Value::Geo(number as f64, -number as f64),
    }
}

impl World {
    pub(super) fn new(random: &mut Random, crowded: bool) -> World {
        let rows = if crowded { 300 } else { 3 };
        let mut world = World::empty();
        for row in 0..rows {
            let mut entity = Entity::new(Id::from(u64::from(row) + 1_000));
            entity.creator = random.chance(8).then(|| Id::Text(format!("c{}", random.below(5))));
            for field in FIELDS {
                if random.chance(7) {
                    entity.metadata.insert(field.to_owned(), value(random, field));
                }
            }
            world.add(row, entity);
            for signal in 0..2 {
                for window in WINDOWS {
                    world.signals.insert((signal, window, row), random.below(5) as f64);
                }
            }
        }
        for row in 0..rows {
            if random.chance(2) {
                world.items.remove(&row);
                world.columns.remove(Row(row));
            }
        }
        let sets = [UserSet::Seen, UserSet::Liked, UserSet::Saved, UserSet::Hidden, UserSet::Following];
        // A user's sets may hold rows that are not live any more.
        let rows_of = |random: &mut Random| (0..rows).filter(|_| random.chance(3)).collect();
        world.user = Some(sets.into_iter().map(|set| (set, rows_of(random))).collect());
        world.columns.check_invariants().unwrap();
        world
    }

    fn empty() -> World {
        let columns = Columns::new(schema().fields(Kind::Item));
        World { items: BTreeMap::new(), columns, signals: BTreeMap::new(), user: None }
    }

    /// An item per value of a field, and then one without.
    pub(super) fn of_values(field: &str, values: &[Value]) -> World {
        let mut world = World::empty();
        for (row, value) in (0..).zip(values) {
            world.add(row, Entity::new(Id::from(u64::from(row))).field(field, value.clone()));
        }
        world.add(u32::try_from(values.len()).unwrap(), Entity::new("without"));
        world
    }

    fn add(&mut self, row: u32, mut entity: Entity) {
        schema().check_entity(Kind::Item, &mut entity).unwrap();
        self.columns.set(Row(row), &entity);
        self.items.insert(row, entity);
    }

    pub(super) fn rows_that(&self, test: impl Fn(u32) -> bool) -> RoaringBitmap {
        self.items.keys().copied().filter(|&row| test(row)).collect()
    }

    /// What a filter means, as `docs/filters.md` says it.
    pub(super) fn matches(&self, filter: &Filter, row: u32) -> bool {
        let item = &self.items[&row];
        match filter {
            Filter::All(filters) => filters.iter().all(|filter| self.matches(filter, row)),
            Filter::Any(filters) => filters.iter().any(|filter| self.matches(filter, row)),
            Filter::Not(filter) => !self.matches(filter, row),
            Filter::Field(name, test) => passes(item.metadata.get(name), test),
            Filter::Id(ids) => ids.contains(&item.id),
            Filter::Creator(ids) => item.creator.as_ref().is_some_and(|creator| ids.contains(creator)),
            Filter::User(condition) => {
                let (set, inside) = condition.set();
                self.user.as_ref().unwrap()[&set].contains(row) == inside
            }
            Filter::Signal(SignalCondition { signal, window, at_least, at_most }) => {
                let signal = ["like", "view"].iter().position(|name| name == signal).unwrap();
                let value = self.signals[&(signal, *window, row)];
                at_least.is_none_or(|bound| value >= bound) && at_most.is_none_or(|bound| value <= bound)
            }
        }
    }
}

fn passes(value: Option<&Value>, test: &Test) -> bool {
    let value = value.filter(|value| !matches!(value, Value::List(tags) if tags.is_empty()));
    let Some(value) = value else { return *test == Test::Exists(false) };
    match test {
        Test::Eq(wanted) => equal(value, wanted),
        Test::In(wanted) => wanted.iter().any(|wanted| equal(value, wanted)),
        Test::All(wanted) => wanted.iter().all(|wanted| equal(value, wanted)),
        Test::Range(low, high) => {
            let number = number(value);
            (match low {
                Bound::Included(low) => number >= self::number(low),
                Bound::Excluded(low) => number > self::number(low),
                Bound::Unbounded => true,
            }) && match high {
                Bound::Included(high) => number <= self::number(high),
                Bound::Excluded(high) => number < self::number(high),
                Bound::Unbounded => true,
            }
        }
        Test::Exists(wanted) => *wanted,
        Test::Within { latitude, longitude, radius_m } => {
            let Value::Geo(at_latitude, at_longitude) = value else { panic!("{value:?} is no place") };
            distance_m((*latitude, *longitude), (*at_latitude, *at_longitude)) <= *radius_m
        }
    }
}

fn equal(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::List(tags), Value::Text(tag)) => tags.contains(tag),
        (Value::Text(_), _) | (Value::Bool(_), _) => value == wanted,
        _ => number(value) == number(wanted),
    }
}

/// The generated numbers are small, so that floats are exact.
fn number(value: &Value) -> f64 {
    match value {
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Timestamp(Timestamp(micros)) | Value::Duration(micros) => *micros as f64 / 1e6,
        other => panic!("{other:?} has no order"),
    }
}

/// A random filter that fits [`schema`].
pub(super) fn filter(random: &mut Random, depth: u64) -> Filter {
    let members = |random: &mut Random| (0..random.below(4)).map(|_| filter(random, depth - 1)).collect();
    match random.below(if depth == 0 { 7 } else { 12 }) {
        0..=3 => field(random),
        4 => ids(random),
        5 => {
            use UserCondition::{Following, Hidden, Liked, Saved, Seen, Unseen};
            Filter::User([Seen, Unseen, Liked, Saved, Hidden, Following][random.place(6)])
        }
        6 => Filter::Signal(SignalCondition {
            signal: ["like", "view"][random.place(2)].to_owned(),
            window: WINDOWS[random.place(WINDOWS.len())],
            at_least: Some(random.below(5) as f64),
            at_most: random.chance(5).then(|| random.below(6) as f64 - 0.5),
        }),
        7 | 8 => Filter::All(members(random)),
        9 | 10 => Filter::Any(members(random)),
        _ => filter(random, depth - 1).negate(),
    }
}

fn ids(random: &mut Random) -> Filter {
    let count = random.below(5);
    if random.chance(5) {
        // Some of them belong to nobody.
        return Filter::Id((0..count * 20).map(|_| Id::from(990 + random.below(330))).collect());
    }
    Filter::Creator((0..count).map(|_| Id::Text(format!("c{}", random.below(7)))).collect())
}

fn field(random: &mut Random) -> Filter {
    let name = FIELDS[random.place(FIELDS.len())];
    let exists = Test::Exists(random.chance(5));
    let literal = |random: &mut Random| match (name, random.below(4)) {
        ("genres", _) => Value::Text(format!("g{}", random.below(6))),
        ("year" | "price", 0) => Value::Float((random.below(15) as f64 - 7.0) / 2.0),
        ("price" | "released", 1) => Value::Int(random.below(7) as i64 - 3),
        _ => value(random, name),
    };
    let test = match (name, random.below(4)) {
        (_, 0) | ("title", _) => exists,
        ("place", _) => Test::Within {
            latitude: random.below(7) as f64 - 3.0,
            longitude: random.below(7) as f64 - 3.0,
            radius_m: random.below(600_000) as f64,
        },
        ("genres", 1) => Test::All((0..random.below(3)).map(|_| literal(random)).collect()),
        ("year" | "price" | "released" | "runtime", 1 | 2) => {
            let bound = |random: &mut Random| match random.below(3) {
                0 => Bound::Included(literal(random)),
                _ => Bound::Excluded(literal(random)),
            };
            match random.below(3) {
                0 => Test::Range(bound(random), Bound::Unbounded),
                1 => Test::Range(Bound::Unbounded, bound(random)),
                _ => Test::Range(bound(random), bound(random)),
            }
        }
        (_, 2) => Test::Eq(literal(random)),
        _ => Test::In((0..random.below(4)).map(|_| literal(random)).collect()),
    };
    Filter::Field(name.to_owned(), test)
}

impl FilterContext for World {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn user_set(&self, set: UserSet) -> Result<Option<RoaringBitmap>> {
        Ok(self.user.as_ref().map(|sets| sets[&set].clone()))
    }

    fn signal_value(&self, signal: usize, window: Window, row: Row) -> f64 {
        self.signals[&(signal, window, row.0)]
    }

    fn rows_of_creators(&self, creators: &[Id]) -> RoaringBitmap {
        self.rows_that(|row| {
            self.items[&row].creator.as_ref().is_some_and(|creator| creators.contains(creator))
        })
    }

    fn row_of(&self, id: &Id) -> Option<Row> {
        let Id::Number(number) = id else { return None };
        // Also of rows that are not live any more.
        u32::try_from(number.checked_sub(1_000)?).ok().filter(|&row| row < 300).map(Row)
    }
}
