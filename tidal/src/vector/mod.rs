//! Vectors of one embedding slot, and the nearest of them.

mod brute_force;
mod kernel;

pub use brute_force::BruteForceIndex;

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::id::Row;
use crate::limits::MAX_DIMENSION;

/// By what vectors are near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The cosine of the angle, from -1 to 1. Vectors are stored with length 1.
    Cosine,
    /// The inner product.
    Dot,
    /// The squared distance, negated: 0 for equal vectors.
    Euclidean,
}

impl Metric {
    /// All metrics, in the order of their numbers in the stored form.
    pub const ALL: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

    /// Its name in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cosine => "cosine",
            Metric::Dot => "dot",
            Metric::Euclidean => "euclidean",
        }
    }

    /// The metric with this name.
    pub fn from_name(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }
}

/// Largest component under [`Metric::Dot`] and [`Metric::Euclidean`]: products of it, summed over the largest
/// dimension, stay inside f32.
pub const MAX_COMPONENT: f32 = 1e15;

/// The vectors of one slot by row, and a search for the nearest.
pub trait VectorIndex: Send + Sync {
    /// How many components a vector has.
    fn dimension(&self) -> usize;

    /// By what vectors are near.
    fn metric(&self) -> Metric;

    /// How many rows have a vector.
    fn len(&self) -> usize;

    /// Whether no row has one.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives a row its vector, in place of the one it has. The next search finds the new one only.
    ///
    /// # Errors
    /// `Invalid` if [`check`] refuses it.
    fn upsert(&mut self, row: Row, vector: &[f32]) -> Result<()>;

    /// Takes a row's vector away; false if it has none.
    fn remove(&mut self, row: Row) -> bool;

    /// A row's vector as it is stored: of length 1 under cosine.
    fn get(&self, row: Row) -> Option<&[f32]>;

    /// The `k` most similar rows, of those allowed if given: most similar first, equal ones by row; fewer if there are
    /// fewer. No similarity is NaN or infinite.
    ///
    /// # Errors
    /// `Invalid` if [`check`] refuses the query.
    fn search(&self, query: &[f32], k: usize, allowed: Option<&RoaringBitmap>) -> Result<Vec<(Row, f32)>>;

    /// How similar a row's vector is to the query; `None` if the row has none.
    ///
    /// # Errors
    /// `Invalid` if [`check`] refuses the query.
    fn similarity(&self, query: &[f32], row: Row) -> Result<Option<f32>>;
}

/// Refuses a vector that a slot cannot hold.
///
/// # Errors
/// `Invalid` for a wrong dimension, a component that is not finite; under cosine for a vector of zeros, under the
/// others for a component beyond [`MAX_COMPONENT`].
pub fn check(vector: &[f32], dimension: usize, metric: Metric) -> Result<()> {
    let refuse = |message: String| Err(Error::invalid("vector", message));
    if vector.len() != dimension {
        return refuse(format!("{} components, the slot has {dimension}", vector.len()));
    }
    if let Some(place) = vector.iter().position(|x| !x.is_finite()) {
        return refuse(format!("component {place} is not a finite number"));
    }
    match metric {
        Metric::Cosine if vector.iter().all(|x| *x == 0.0) => {
            refuse("all zeros, which has no direction".to_owned())
        }
        Metric::Cosine => Ok(()),
        Metric::Dot | Metric::Euclidean => match vector.iter().position(|x| x.abs() > MAX_COMPONENT) {
            Some(place) => refuse(format!("component {place} is beyond {MAX_COMPONENT:e}")),
            None => Ok(()),
        },
    }
}

/// The vector with length 1. It is finite and not all zeros.
pub fn normalize(vector: &[f32]) -> Vec<f32> {
    // In f64, where squares of the smallest and largest f32 are in range.
    let squares: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    let length = squares.sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is meant; at most 1 in magnitude")]
    let unit = |x: &f32| (f64::from(*x) / length) as f32;
    vector.iter().map(unit).collect()
}

fn check_dimension(dimension: usize) -> Result<()> {
    if (1..=MAX_DIMENSION).contains(&dimension) {
        return Ok(());
    }
    Err(Error::invalid("dimension", format!("{dimension} is not between 1 and {MAX_DIMENSION}")))
}

#[cfg(test)]
mod tests;
