//! All signals of one kind of target.

use crate::best::Best;
use crate::error::{Error, Result};
use crate::id::Row;
use crate::time::Timestamp;

use super::column::Column;
use super::decay::Decay;
use super::window::Window;

/// Largest weight of an event, either way: so that no sum of weights, however long, leaves the range of f64.
pub const MAX_WEIGHT: f64 = 1e15;

/// Times are counted as no further from 1970 than this (4,000 years): their buckets and landmarks then stay in range.
pub(super) const MAX_MICROS: i64 = 4_000 * 365 * 86_400 * 1_000_000;

/// The signals of items, of users or of creators: counts, sums, windows, decay and unique users of each row.
///
/// A row without events of a signal reads as zero everywhere and takes no memory. The state depends on which events
/// were applied and not on their order, up to the rounding of sums of f64; counts and unique users are exactly equal.
/// Applying costs the same whatever the age of the event; nothing is rewritten when only time passes.
#[derive(Debug, Clone)]
pub struct SignalTable {
    pub(super) columns: Vec<Column>,
}

/// A number that can be read of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Events in a window.
    Count(Window),
    /// Weights in a window, added up.
    Sum(Window),
    /// Events per second over a window.
    Velocity(Window),
    /// The decayed sum of weights, by the half-life of this number.
    Decayed(u8),
    /// Different users of all time.
    Uniques,
    /// Events of all time.
    Total,
}

impl SignalTable {
    /// An empty table with a signal for each decay. A signal's number is its place in `decays`.
    pub fn new(decays: &[Decay]) -> SignalTable {
        SignalTable { columns: decays.iter().map(Column::new).collect() }
    }

    /// How many signals it has.
    pub fn signals(&self) -> usize {
        self.columns.len()
    }

    /// Refuses a weight that [`SignalTable::apply`] could not add up.
    ///
    /// # Errors
    /// `Invalid` for a weight that is not finite or beyond [`MAX_WEIGHT`].
    pub fn check_weight(weight: f64) -> Result<()> {
        if weight.abs() <= MAX_WEIGHT {
            return Ok(());
        }
        Err(Error::invalid(
            "weight",
            format!("{weight} is not a number between -{MAX_WEIGHT:e} and {MAX_WEIGHT:e}"),
        ))
    }

    /// Counts an event. Its time is the earlier of `at` and `received`: a clock that is ahead gains nothing.
    ///
    /// The weight has passed [`SignalTable::check_weight`]. An event of a signal that the table lacks is not counted.
    pub fn apply(
        &mut self,
        row: Row,
        signal: u16,
        weight: f64,
        at: Timestamp,
        received: Timestamp,
        user: Option<Row>,
    ) {
        debug_assert!(weight.abs() <= MAX_WEIGHT, "the weight was checked when the signal was written");
        let at = micros(at.min(received));
        if let Some(column) = self.columns.get_mut(usize::from(signal)) {
            column.add(row, weight, at, user);
        }
    }

    /// Events in a window that ends now.
    pub fn count(&self, row: Row, signal: u16, window: Window, now: Timestamp) -> u64 {
        self.cell(row, signal, |column, place| column.cells[place].read(window, micros(now)).0).unwrap_or(0)
    }

    /// Weights in a window that ends now, added up.
    pub fn sum(&self, row: Row, signal: u16, window: Window, now: Timestamp) -> f64 {
        self.cell(row, signal, |column, place| column.cells[place].read(window, micros(now)).1).unwrap_or(0.0)
    }

    /// Events per second: the count in the window by its length. All time, having no length, counts as 365 days.
    pub fn velocity(&self, row: Row, signal: u16, window: Window, now: Timestamp) -> f64 {
        let seconds = window.seconds().or(Window::Year.seconds()).map_or(1.0, f64::from);
        self.count(row, signal, window, now) as f64 / seconds
    }

    /// The sum of weights, each decayed by its age now: number `index` of the declared half-lives, or number 0 of a
    /// signal with linear or no decay. A `now` before the newest event is taken as that event's time.
    pub fn decayed(&self, row: Row, signal: u16, index: u8, now: Timestamp) -> f64 {
        self.cell(row, signal, |column, place| column.decayed(place, usize::from(index), micros(now)))
            .unwrap_or(0.0)
    }

    /// Different users who did it: exact up to [`super::EXACT_UNIQUES`], beyond that with a standard error of 3.3 %.
    pub fn uniques(&self, row: Row, signal: u16) -> f64 {
        self.cell(row, signal, |column, place| column.cells[place].users.count()).unwrap_or(0.0)
    }

    /// Events of all time.
    pub fn total(&self, row: Row, signal: u16) -> u64 {
        self.cell(row, signal, |column, place| column.cells[place].count).unwrap_or(0)
    }

    /// Weights of all time, added up.
    pub fn total_sum(&self, row: Row, signal: u16) -> f64 {
        self.cell(row, signal, |column, place| column.cells[place].sum).unwrap_or(0.0)
    }

    /// Time of the newest event, if there is one.
    pub fn newest(&self, row: Row, signal: u16) -> Option<Timestamp> {
        self.cell(row, signal, |column, place| Timestamp(column.cells[place].newest))
    }

    /// Any of the numbers.
    pub fn value(&self, row: Row, signal: u16, measure: Measure, now: Timestamp) -> f64 {
        match measure {
            Measure::Count(window) => self.count(row, signal, window, now) as f64,
            Measure::Sum(window) => self.sum(row, signal, window, now),
            Measure::Velocity(window) => self.velocity(row, signal, window, now),
            Measure::Decayed(index) => self.decayed(row, signal, index, now),
            Measure::Uniques => self.uniques(row, signal),
            Measure::Total => self.total(row, signal) as f64,
        }
    }

    /// The rows with the `k` largest values above zero that `accept` takes, largest first, equal ones by row. Exact: it
    /// reads every row that has the signal.
    pub fn top(
        &self,
        signal: u16,
        measure: Measure,
        now: Timestamp,
        k: usize,
        accept: impl Fn(Row) -> bool,
    ) -> Vec<(Row, f64)> {
        let Some(column) = self.columns.get(usize::from(signal)) else {
            return Vec::new();
        };
        let mut best = Best::new(k, column.rows.len());
        for row in column.rows.iter().copied().filter(|row| accept(*row)) {
            let value = self.value(row, signal, measure, now);
            if value > 0.0 {
                best.offer(row, value);
            }
        }
        best.into_sorted()
    }

    /// How many pairs of a row and a signal have events, and how many bytes they take together.
    pub fn memory(&self) -> (usize, usize) {
        let pairs = self.columns.iter().map(|column| column.cells.len()).sum();
        let bytes = self.columns.iter().map(|column| column.bytes()).map(|(cells, map)| cells + map).sum();
        (pairs, bytes)
    }

    /// Asserts what must hold in and between its parts.
    pub fn check_invariants(&self) {
        for column in &self.columns {
            column.check_invariants();
        }
    }

    fn cell<T>(&self, row: Row, signal: u16, read: impl FnOnce(&Column, usize) -> T) -> Option<T> {
        let column = self.columns.get(usize::from(signal))?;
        let (place, _) = column.cell(row)?;
        Some(read(column, place))
    }
}

fn micros(at: Timestamp) -> i64 {
    at.0.clamp(-MAX_MICROS, MAX_MICROS)
}
