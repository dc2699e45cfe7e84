//! A filter with its names resolved.
//!
//! 1. Walk the tree once, counting nodes, depth and literals against their bounds.
//! 2. Resolve fields and signals to their numbers, literals to the stored form of the field's type.
//! 3. Turn every comparison of numbers into ranges that include both ends, in the column's own type, exactly.
//! 4. Put the members of every `All` and `Any` in order of cost, cheapest first.

use crate::error::{Error, ErrorKind, Result};
use crate::id::{Id, Kind};
use crate::limits::{MAX_DEPTH, MAX_EXCLUDED, MAX_NODES};
use crate::schema::check_entity::check_id;
use crate::schema::{FieldType, Schema};
use crate::signal::Window;
use crate::value::Value;

use super::literal::{Literal, equal_to, range};
use super::{Filter, SignalCondition, Test, UserSet};

/// A filter that fits a schema and can be evaluated.
#[derive(Debug, Clone)]
pub(crate) struct BoundFilter {
    pub(super) root: Node,
    /// The user sets that it needs, each with the path of the first condition on it.
    pub(super) user_sets: Vec<(UserSet, String)>,
}

/// A condition on a row.
#[derive(Debug, Clone)]
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Exists(usize),
    /// One of the keywords or tags.
    AnyOf(usize, Vec<String>),
    /// Each of the tags.
    AllOf(usize, Vec<String>),
    Bool(usize, bool),
    /// Ranges include both ends, are sorted and do not overlap.
    Integers(usize, Vec<(i64, i64)>),
    Floats(usize, Vec<(f64, f64)>),
    Within {
        field: usize,
        center: (f64, f64),
        radius_m: f64,
    },
    Ids(Vec<Id>),
    Creators(Vec<Id>),
    /// Place in [`BoundFilter::user_sets`].
    User(usize),
    Signal {
        signal: usize,
        window: Window,
        low: f64,
        high: f64,
    },
}

impl Node {
    /// Rank by what evaluation costs a row.
    fn cost(&self) -> u8 {
        match self {
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(Node::cost).max().unwrap_or(0),
            Node::Not(node) => node.cost(),
            Node::Integers(..) | Node::Floats(..) => 1,
            Node::Within { .. } => 2,
            Node::Signal { .. } => 3,
            _ => 0,
        }
    }
}

impl Filter {
    /// Resolves the names of a filter on entities of a kind.
    ///
    /// # Errors
    /// `Invalid` with a path such as `and[1].lt`: an unknown field or signal, a test or literal that does not fit the
    /// field's type, a bound of `limits.rs`. To be put below the name of the filter itself.
    pub(crate) fn bind(&self, schema: &Schema, kind: Kind) -> Result<BoundFilter> {
        let mut binder = Binder { schema, kind, nodes: 0, literals: 0, user_sets: Vec::new() };
        let root = binder.filter(self, 1)?;
        let mut bound = BoundFilter { root, user_sets: Vec::new() };
        // Paths were built from the inside out, so only now are they whole.
        bound.user_sets = binder.user_sets.into_iter().map(|set| (set, String::new())).collect();
        for (set, path) in &mut bound.user_sets {
            *path = path_of_user_set(self, *set).unwrap_or_default();
        }
        Ok(bound)
    }
}

/// Where the first condition on a user set is.
fn path_of_user_set(filter: &Filter, wanted: UserSet) -> Option<String> {
    let member = |name: &str, filters: &[Filter]| {
        filters.iter().enumerate().find_map(|(at, filter)| {
            path_of_user_set(filter, wanted).map(|path| format!("{name}[{at}].{path}"))
        })
    };
    match filter {
        Filter::All(filters) => member("and", filters),
        Filter::Any(filters) => member("or", filters),
        Filter::Not(filter) => path_of_user_set(filter, wanted).map(|path| format!("not.{path}")),
        Filter::User(condition) if condition.set().0 == wanted => Some("user".to_owned()),
        _ => None,
    }
}

struct Binder<'a> {
    schema: &'a Schema,
    kind: Kind,
    nodes: usize,
    literals: usize,
    user_sets: Vec<UserSet>,
}

/// Wrong where the caller knows the place.
pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

impl Binder<'_> {
    fn filter(&mut self, filter: &Filter, depth: usize) -> Result<Node> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(invalid(format!("more than {MAX_NODES} conditions")));
        }
        if depth > MAX_DEPTH {
            return Err(invalid(format!("nested deeper than {MAX_DEPTH}")));
        }
        match filter {
            Filter::All(filters) => self.members("and", filters, depth).map(Node::All),
            Filter::Any(filters) => self.members("or", filters, depth).map(Node::Any),
            Filter::Not(filter) => {
                let node = self.filter(filter, depth + 1).map_err(|error| error.below("not"))?;
                Ok(Node::Not(Box::new(node)))
            }
            Filter::Field(name, test) => self.field(name, test),
            Filter::Id(ids) => self.ids("id", ids).map(Node::Ids),
            Filter::Creator(ids) => {
                self.items_only("creator")?;
                self.ids("creator", ids).map(Node::Creators)
            }
            Filter::User(condition) => {
                self.items_only("user")?;
                let (set, inside) = condition.set();
                let at = self.user_sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                    self.user_sets.push(set);
                    self.user_sets.len() - 1
                });
                Ok(if inside { Node::User(at) } else { Node::Not(Box::new(Node::User(at))) })
            }
            Filter::Signal(condition) => self.signal(condition),
        }
    }

    fn members(&mut self, name: &str, filters: &[Filter], depth: usize) -> Result<Vec<Node>> {
        let mut nodes = Vec::with_capacity(filters.len().min(MAX_NODES));
        for (at, filter) in filters.iter().enumerate() {
            nodes
                .push(self.filter(filter, depth + 1).map_err(|error| error.below(&format!("{name}[{at}]")))?);
        }
        nodes.sort_by_cached_key(Node::cost);
        Ok(nodes)
    }

    fn items_only(&self, field: &str) -> Result<()> {
        match self.kind {
            Kind::Item => Ok(()),
            kind => Err(Error::invalid(field, format!("only items can be filtered by this, not {kind}s"))),
        }
    }

    fn count_literals(&mut self, count: usize) -> Result<()> {
        self.literals = self.literals.saturating_add(count);
        match self.literals <= MAX_EXCLUDED {
            true => Ok(()),
            false => Err(invalid(format!("more than {MAX_EXCLUDED} ids and values in lists"))),
        }
    }

    fn ids(&mut self, name: &str, ids: &[Id]) -> Result<Vec<Id>> {
        self.count_literals(ids.len()).map_err(|error| error.below(name))?;
        for (at, id) in ids.iter().enumerate() {
            check_id(id).map_err(|error| error.below(&format!("{name}[{at}]")))?;
        }
        Ok(ids.to_vec())
    }

    fn signal(&self, condition: &SignalCondition) -> Result<Node> {
        let Some(signal) = self.schema.signal_index(&condition.signal) else {
            return Err(Error::invalid("signal", format!("unknown signal {:?}", condition.signal)));
        };
        let on = self.schema.signals()[signal].on;
        if on != self.kind {
            let message = format!("{} is on {on}s, this filter is on {}s", condition.signal, self.kind);
            return Err(Error::invalid("signal", message));
        }
        if condition.at_least.is_none() && condition.at_most.is_none() {
            return Err(Error::invalid("signal", "expected gte or lte or both"));
        }
        for (key, bound) in [("gte", condition.at_least), ("lte", condition.at_most)] {
            if let Some(number) = bound.filter(|number| !number.is_finite()) {
                return Err(Error::invalid(key, format!("expected a finite number, found {number}")));
            }
        }
        Ok(Node::Signal {
            signal,
            window: condition.window,
            low: condition.at_least.unwrap_or(f64::NEG_INFINITY),
            high: condition.at_most.unwrap_or(f64::INFINITY),
        })
    }

    fn field(&mut self, name: &str, test: &Test) -> Result<Node> {
        let Some(field) = self.schema.field_index(self.kind, name) else {
            let message = format!("unknown field {name:?}; only declared fields can be filtered by");
            return Err(Error::invalid("field", message));
        };
        let of = self.schema.fields(self.kind)[field].of;
        match test {
            Test::Exists(true) => Ok(Node::Exists(field)),
            Test::Exists(false) => Ok(Node::Not(Box::new(Node::Exists(field)))),
            Test::Eq(value) => {
                let literal = Literal::new(name, of, value).map_err(|error| error.below("eq"))?;
                Ok(equal_to(field, of, vec![literal]))
            }
            Test::In(values) => Ok(equal_to(field, of, self.literals(name, of, "in", values)?)),
            Test::All(_) if of != FieldType::Tags => {
                Err(Error::invalid("all", format!("{name} is {of}; only tags have several values")))
            }
            Test::All(values) => {
                let tags =
                    self.literals(name, of, "all", values)?.into_iter().filter_map(Literal::text).collect();
                Ok(Node::AllOf(field, tags))
            }
            Test::Range(low, high) => range(field, name, of, low, high),
            Test::Within { .. } if of != FieldType::Geo => {
                Err(Error::invalid("within", format!("{name} is {of}; only places are within a distance")))
            }
            Test::Within { latitude, longitude, radius_m } => {
                Value::Geo(*latitude, *longitude)
                    .check_bounds()
                    .map_err(|message| Error::invalid("within", message))?;
                if !radius_m.is_finite() || *radius_m < 0.0 {
                    let message = format!("expected metres, not negative, found {radius_m}");
                    return Err(Error::invalid("within.radius_m", message));
                }
                Ok(Node::Within { field, center: (*latitude, *longitude), radius_m: *radius_m })
            }
        }
    }

    fn literals(&mut self, name: &str, of: FieldType, key: &str, values: &[Value]) -> Result<Vec<Literal>> {
        self.count_literals(values.len()).map_err(|error| error.below(key))?;
        let literal =
            |(at, value)| Literal::new(name, of, value).map_err(|error| error.below(&format!("{key}[{at}]")));
        values.iter().enumerate().map(literal).collect()
    }
}
