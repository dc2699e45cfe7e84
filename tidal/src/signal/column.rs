//! One signal of all rows that have it.

use crate::id::Row;
use crate::rows::RowMap;

use super::buckets::Buckets;
use super::cell::Cell;
use super::decay::{Decay, HalfLife, Points, span_micros};
use super::window::Resolution;

/// The cells of one signal, side by side in the order of their first events. Times in microseconds.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    form: Form,
    places: RowMap,
    pub(crate) rows: Vec<Row>,
    pub(crate) cells: Vec<Cell>,
    /// Forward sums: as many per cell as there are half-lives.
    sums: Vec<f64>,
    /// One per cell if the decay is linear, else empty.
    points: Vec<Points>,
    cache: Cache,
}

/// The decay as it is computed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    HalfLives(Vec<HalfLife>),
    Linear(i64),
    None,
}

/// Factors of the time that the last event was at: events of one batch often share it.
#[derive(Debug, Clone, Default)]
struct Cache {
    at: Option<i64>,
    factors: Vec<Factor>,
}

/// What a time is worth in its own epoch, by one half-life.
#[derive(Debug, Clone, Copy)]
struct Factor {
    epoch: i64,
    landmark: i64,
    factor: f64,
}

/// A cell with what decays, as it is encoded.
pub(crate) struct Parts {
    pub(crate) row: Row,
    pub(crate) cell: Cell,
    pub(crate) sums: Vec<f64>,
    pub(crate) points: Points,
}

impl Form {
    pub(crate) fn new(decay: &Decay) -> Form {
        match decay {
            Decay::HalfLives(seconds) => {
                Form::HalfLives(seconds.iter().map(|seconds| HalfLife::new(*seconds)).collect())
            }
            Decay::Linear(seconds) => Form::Linear(span_micros(*seconds)),
            Decay::None => Form::None,
        }
    }

    pub(crate) fn half_lives(&self) -> &[HalfLife] {
        match self {
            Form::HalfLives(half_lives) => half_lives,
            Form::Linear(_) | Form::None => &[],
        }
    }
}

impl Column {
    pub(crate) fn new(decay: &Decay) -> Column {
        Column {
            form: Form::new(decay),
            places: RowMap::default(),
            rows: Vec::new(),
            cells: Vec::new(),
            sums: Vec::new(),
            points: Vec::new(),
            cache: Cache::default(),
        }
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    pub(crate) fn cell(&self, row: Row) -> Option<(usize, &Cell)> {
        let place = self.places.get(row.0)?;
        Some((place, &self.cells[place]))
    }

    pub(crate) fn add(&mut self, row: Row, weight: f64, at: i64, user: Option<Row>) {
        let place = match self.places.get(row.0) {
            Some(place) => place,
            None => self.push(Parts {
                row,
                cell: Cell::new(at),
                sums: vec![0.0; self.form.half_lives().len()],
                points: Points::default(),
            }),
        };
        let cell = &mut self.cells[place];
        let before = cell.newest;
        cell.add(weight, at, user);
        let newest = cell.newest;
        match &self.form {
            Form::None => {}
            Form::Linear(span) => self.points[place].add(at, weight, newest, *span),
            Form::HalfLives(half_lives) => {
                let count = half_lives.len();
                self.cache.fill(half_lives, at);
                let sums = &mut self.sums[place * count..][..count];
                for ((sum, half_life), own) in sums.iter_mut().zip(half_lives).zip(&self.cache.factors) {
                    if at < newest {
                        // A late event is measured from the landmark of the newest one.
                        *sum += weight * half_life.factor(at, half_life.epoch(newest));
                        continue;
                    }
                    if before < own.landmark {
                        *sum *= HalfLife::shift(half_life.epoch(before), own.epoch);
                    }
                    *sum += weight * own.factor;
                }
            }
        }
    }

    /// The decayed value number `index` of the cell at `place`. A `now` before the newest event counts as its time, so
    /// that no event is worth more than its weight.
    pub(crate) fn decayed(&self, place: usize, index: usize, now: i64) -> f64 {
        let cell = &self.cells[place];
        let now = now.max(cell.newest);
        match &self.form {
            Form::None => cell.sum,
            Form::Linear(span) => self.points[place].read(now, *span),
            Form::HalfLives(half_lives) => {
                let Some(half_life) = half_lives.get(index) else {
                    return 0.0;
                };
                let sum = self.sums[place * half_lives.len() + index];
                sum * half_life.inverse(now, half_life.epoch(cell.newest))
            }
        }
    }

    pub(crate) fn parts(&self, place: usize) -> (Row, &Cell, &[f64], Option<&Points>) {
        let count = self.form.half_lives().len();
        (self.rows[place], &self.cells[place], &self.sums[place * count..][..count], self.points.get(place))
    }

    /// Adds a cell for a row that has none; its place.
    pub(crate) fn push(&mut self, parts: Parts) -> usize {
        let place = self.cells.len();
        self.places.set(parts.row.0, place);
        self.rows.push(parts.row);
        self.cells.push(parts.cell);
        self.sums.extend(parts.sums);
        if let Form::Linear(_) = self.form {
            self.points.push(parts.points);
        }
        place
    }

    pub(crate) fn check_invariants(&self) {
        assert_eq!(self.rows.len(), self.cells.len(), "a row for each cell");
        assert_eq!(self.places.len(), self.cells.len(), "a place for each cell and no other");
        assert_eq!(
            self.sums.len(),
            self.cells.len() * self.form.half_lives().len(),
            "a sum for each half-life"
        );
        let linear = matches!(self.form, Form::Linear(_));
        assert_eq!(
            self.points.len(),
            if linear { self.cells.len() } else { 0 },
            "points where decay is linear"
        );
        assert!(self.sums.iter().all(|sum| sum.is_finite()), "sums are finite");
        for (place, (row, cell)) in self.rows.iter().zip(&self.cells).enumerate() {
            assert_eq!(self.places.get(row.0), Some(place), "row {} is found at its place", row.0);
            assert!(cell.count > 0 && cell.sum.is_finite(), "a cell has events");
            assert!(cell.users.is_valid(), "users are sorted or sketched");
            let sections = Resolution::ALL.map(|resolution| cell.buckets.section_buckets(resolution));
            let rebuilt = Buckets::from_sections(&sections, cell.newest, cell.count);
            assert!(rebuilt.is_some(), "buckets of row {} are in order and window", row.0);
        }
        if let Form::Linear(span) = self.form {
            for (points, cell) in self.points.iter().zip(&self.cells) {
                let rebuilt = Points::from_points(points.points().to_vec(), cell.newest, span);
                assert!(rebuilt.is_some(), "events are in order and span");
            }
        }
    }

    /// Bytes that the cells take, with what they point to, and bytes that the map of rows takes.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let cells: usize = self.cells.iter().map(|cell| size_of::<Cell>() + cell.heap_bytes()).sum();
        let points: usize =
            self.points.iter().map(|points| size_of::<Points>() + size_of_val(points.points())).sum();
        (cells + points + size_of_val(&self.sums[..]) + size_of_val(&self.rows[..]), self.places.heap_bytes())
    }
}

impl Cache {
    fn fill(&mut self, half_lives: &[HalfLife], at: i64) {
        if self.at == Some(at) {
            return;
        }
        self.at = Some(at);
        self.factors.clear();
        self.factors.extend(half_lives.iter().map(|half_life| {
            let epoch = half_life.epoch(at);
            Factor { epoch, landmark: half_life.landmark(epoch), factor: half_life.factor(at, epoch) }
        }));
    }
}
