//! From a bound filter to rows.
//!
//! Every node is evaluated *within* a set of rows, at the root the live ones, and answers with a part of that set. So
//! `Not` is a difference, the members of an `All` look at what the earlier, cheaper ones have left, and a costly
//! condition is asked about few rows. Where few rows are left, numbers are compared row by row; else by whole column.

use roaring::RoaringBitmap;

use crate::columns::{Columns, distance_m, in_ranges};
use crate::error::{Error, Result};
use crate::id::Row;

use super::FilterContext;
use super::bind::{BoundFilter, Node};

/// A scan compares about this many rows in the time that one row takes by itself.
const SCAN_ADVANTAGE: u64 = 16;
/// Rows that an estimate looks at.
const SAMPLE: u64 = 128;

impl BoundFilter {
    /// Those of these rows that match. The rows must be live.
    ///
    /// # Errors
    /// `Invalid` if there is a condition on the user and the query has none; whatever the context fails with.
    pub(crate) fn evaluate_within(
        &self,
        context: &impl FilterContext,
        rows: &RoaringBitmap,
    ) -> Result<RoaringBitmap> {
        let user_sets = self.fetch_user_sets(context)?;
        Ok(Evaluation { context, columns: context.columns(), user_sets: &user_sets }.rows(&self.root, rows))
    }

    /// The share of the live rows that match, 0 to 1, without evaluating: counts where there are bitmaps, a sample
    /// elsewhere, conditions taken as independent.
    ///
    /// # Errors
    /// As [`BoundFilter::evaluate_within`].
    #[cfg_attr(not(test), expect(dead_code, reason = "what a plan of filtered vector search will ask"))]
    pub(crate) fn estimate(&self, context: &impl FilterContext) -> Result<f64> {
        let user_sets = self.fetch_user_sets(context)?;
        let columns = context.columns();
        let sample = sample(columns.live());
        let evaluation = Evaluation { context, columns, user_sets: &user_sets };
        Ok(evaluation.share(&self.root, &sample).clamp(0.0, 1.0))
    }

    fn fetch_user_sets(&self, context: &impl FilterContext) -> Result<Vec<RoaringBitmap>> {
        let fetch = |(set, path): &(_, String)| {
            let no_user = || Error::invalid(path, "the query has no user");
            context.user_set(*set)?.ok_or_else(no_user)
        };
        self.user_sets.iter().map(fetch).collect()
    }
}

/// Up to [`SAMPLE`] live rows at equal distances, the same ones each time.
fn sample(live: &RoaringBitmap) -> RoaringBitmap {
    let step = live.len().div_ceil(SAMPLE).max(1);
    let places = (0..live.len()).step_by(usize::try_from(step).unwrap_or(usize::MAX));
    places.filter_map(|place| live.select(u32::try_from(place).ok()?)).collect()
}

struct Evaluation<'a, C> {
    context: &'a C,
    columns: &'a Columns,
    /// By place in [`BoundFilter::user_sets`].
    user_sets: &'a [RoaringBitmap],
}

impl<C: FilterContext> Evaluation<'_, C> {
    /// The part of `within` that matches.
    fn rows(&self, node: &Node, within: &RoaringBitmap) -> RoaringBitmap {
        if within.is_empty() {
            return RoaringBitmap::new();
        }
        match node {
            Node::All(nodes) => self.all(nodes, within),
            Node::Any(nodes) => self.any(nodes, within),
            Node::Not(node) => within - self.rows(node, within),
            Node::Exists(field) => self.columns.present(*field) & within,
            Node::AnyOf(field, values) => {
                let rows = values.iter().filter_map(|value| self.columns.rows_with(*field, value));
                rows.fold(RoaringBitmap::new(), |union, rows| union | (rows & within))
            }
            Node::AllOf(field, values) => self.all_tags(*field, values, within),
            Node::Bool(field, value) => self.columns.rows_that_are(*field, *value) & within,
            Node::Integers(field, ranges) => {
                self.scan_or_ask(node, within, || self.columns.integers_in(*field, ranges))
            }
            Node::Floats(field, ranges) => {
                self.scan_or_ask(node, within, || self.columns.floats_in(*field, ranges))
            }
            Node::Within { .. } | Node::Signal { .. } => self.ask(node, within),
            Node::Ids(ids) => {
                let rows: RoaringBitmap =
                    ids.iter().filter_map(|id| self.context.row_of(id)).map(|row| row.0).collect();
                rows & within
            }
            Node::Creators(creators) => self.context.rows_of_creators(creators) & within,
            Node::User(set) => &self.user_sets[*set] & within,
        }
    }

    /// Whether a row matches a condition that is asked row by row.
    fn holds(&self, node: &Node, row: Row) -> bool {
        match node {
            Node::Exists(field) => self.columns.has(*field, row),
            Node::Bool(field, value) => self.columns.number(*field, row) == Some(f64::from(u8::from(*value))),
            Node::Integers(field, ranges) => {
                self.columns.integer(*field, row).is_some_and(|number| in_ranges(ranges, number))
            }
            Node::Floats(field, ranges) => {
                self.columns.number(*field, row).is_some_and(|number| in_ranges(ranges, number))
            }
            Node::Within { field, center, radius_m } => {
                self.columns.place(*field, row).is_some_and(|place| distance_m(*center, place) <= *radius_m)
            }
            Node::Signal { signal, window, low, high } => {
                (*low..=*high).contains(&self.context.signal_value(*signal, *window, row))
            }
            node => !self.rows(node, &RoaringBitmap::from_iter([row.0])).is_empty(),
        }
    }

    /// The rows of a set that match a condition, asked one by one.
    fn ask(&self, node: &Node, within: &RoaringBitmap) -> RoaringBitmap {
        within.iter().filter(|&row| self.holds(node, Row(row))).collect()
    }

    fn all(&self, nodes: &[Node], within: &RoaringBitmap) -> RoaringBitmap {
        let Some((first, rest)) = nodes.split_first() else {
            return within.clone();
        };
        rest.iter().fold(self.rows(first, within), |left, node| self.rows(node, &left))
    }

    /// Each member is asked only about the rows that no earlier one has matched.
    fn any(&self, nodes: &[Node], within: &RoaringBitmap) -> RoaringBitmap {
        let mut left = within.clone();
        for node in nodes {
            let matched = self.rows(node, &left);
            left -= matched;
        }
        within - left
    }

    /// A row without tags has no value, so it does not even have all of no tags.
    fn all_tags(&self, field: usize, tags: &[String], within: &RoaringBitmap) -> RoaringBitmap {
        let Some((first, rest)) = tags.split_first() else {
            return self.columns.present(field) & within;
        };
        let with = |tag: &String| self.columns.rows_with(field, tag);
        let Some(first) = with(first) else {
            return RoaringBitmap::new();
        };
        rest.iter().fold(first & within, |left, tag| match with(tag) {
            Some(rows) => left & rows,
            None => RoaringBitmap::new(),
        })
    }

    fn scan_or_ask(
        &self,
        node: &Node,
        within: &RoaringBitmap,
        scan: impl FnOnce() -> RoaringBitmap,
    ) -> RoaringBitmap {
        if within.len().saturating_mul(SCAN_ADVANTAGE) < self.columns.live().len() {
            return self.ask(node, within);
        }
        scan() & within
    }

    fn share(&self, node: &Node, sample: &RoaringBitmap) -> f64 {
        let live = self.columns.live().len();
        let of_live = |rows: u64| {
            if live == 0 { 0.0 } else { (rows as f64 / live as f64).min(1.0) }
        };
        match node {
            Node::All(nodes) => nodes.iter().map(|node| self.share(node, sample)).product(),
            Node::Any(nodes) => {
                1.0 - nodes.iter().map(|node| 1.0 - self.share(node, sample)).product::<f64>()
            }
            Node::Not(node) => 1.0 - self.share(node, sample),
            // The values of keywords exclude each other; tags do not quite, and then this is an upper bound.
            Node::AnyOf(field, values) => {
                let rows = values.iter().filter_map(|value| self.columns.rows_with(*field, value));
                of_live(rows.map(RoaringBitmap::len).sum())
            }
            Node::AllOf(field, values) if !values.is_empty() => {
                let share = |value: &String| {
                    self.columns.rows_with(*field, value).map_or(0.0, |rows| of_live(rows.len()))
                };
                values.iter().map(share).product()
            }
            Node::Ids(ids) => of_live(ids.len() as u64),
            Node::Creators(creators) => of_live(self.context.rows_of_creators(creators).len()),
            Node::User(set) => of_live(self.user_sets[*set].len()),
            _ if sample.is_empty() => 0.0,
            node => self.ask(node, sample).len() as f64 / sample.len() as f64,
        }
    }
}
