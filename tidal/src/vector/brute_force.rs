//! Exact search by comparing with every vector.

use std::borrow::Cow;

use roaring::RoaringBitmap;

use crate::best::Best;
use crate::error::Result;
use crate::id::Row;
use crate::rows::RowMap;

use super::{Metric, VectorIndex, check, check_dimension, kernel, normalize};

/// Every vector of a slot side by side; a search reads all of them, or all that are allowed.
///
/// Exact, and the same on every machine: the oracle for indexes that are not, and the right index for small sets.
/// 4 bytes per component and 8 per vector.
#[derive(Debug, Clone)]
pub struct BruteForceIndex {
    dimension: usize,
    metric: Metric,
    places: RowMap,
    /// By place.
    rows: Vec<Row>,
    /// By place, `dimension` components each.
    components: Vec<f32>,
}

impl BruteForceIndex {
    /// An index without vectors.
    ///
    /// # Errors
    /// `Invalid` if the dimension is zero or beyond [`crate::limits::MAX_DIMENSION`].
    pub fn new(dimension: usize, metric: Metric) -> Result<BruteForceIndex> {
        check_dimension(dimension)?;
        Ok(BruteForceIndex {
            dimension,
            metric,
            places: RowMap::default(),
            rows: Vec::new(),
            components: Vec::new(),
        })
    }

    fn at(&self, place: usize) -> &[f32] {
        &self.components[place * self.dimension..][..self.dimension]
    }

    fn prepared<'a>(&self, vector: &'a [f32]) -> Result<Cow<'a, [f32]>> {
        check(vector, self.dimension, self.metric)?;
        Ok(match self.metric {
            Metric::Cosine => Cow::Owned(normalize(vector)),
            Metric::Dot | Metric::Euclidean => Cow::Borrowed(vector),
        })
    }

    fn compare(&self, query: &[f32], place: usize) -> f32 {
        match self.metric {
            // Rounding can carry the product of two unit vectors a little over 1.
            Metric::Cosine => kernel::dot(query, self.at(place)).clamp(-1.0, 1.0),
            Metric::Dot => kernel::dot(query, self.at(place)),
            // Subtracted from zero and not negated: there is no -0 among the similarities.
            Metric::Euclidean => 0.0 - kernel::squared_distance(query, self.at(place)),
        }
    }

    /// Asserts what must hold between its parts.
    pub fn check_invariants(&self) {
        assert_eq!(self.components.len(), self.rows.len() * self.dimension, "a vector for each row");
        for (place, row) in self.rows.iter().enumerate() {
            assert_eq!(self.places.get(row.0), Some(place), "row {} is found at its place", row.0);
        }
        assert_eq!(self.places.len(), self.rows.len(), "no row is at two places");
    }
}

impl VectorIndex for BruteForceIndex {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn metric(&self) -> Metric {
        self.metric
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn upsert(&mut self, row: Row, vector: &[f32]) -> Result<()> {
        let vector = self.prepared(vector)?;
        match self.places.get(row.0) {
            Some(place) => {
                self.components[place * self.dimension..][..self.dimension].copy_from_slice(&vector);
            }
            None => {
                self.places.set(row.0, self.rows.len());
                self.rows.push(row);
                self.components.extend_from_slice(&vector);
            }
        }
        Ok(())
    }

    fn remove(&mut self, row: Row) -> bool {
        let Some(place) = self.places.get(row.0) else {
            return false;
        };
        self.places.clear(row.0);
        // The last vector moves into the hole.
        let last = self.rows.len() - 1;
        self.rows.swap_remove(place);
        if place != last {
            self.places.set(self.rows[place].0, place);
            let from = last * self.dimension;
            self.components.copy_within(from..from + self.dimension, place * self.dimension);
        }
        self.components.truncate(last * self.dimension);
        true
    }

    fn get(&self, row: Row) -> Option<&[f32]> {
        self.places.get(row.0).map(|place| self.at(place))
    }

    fn search(&self, query: &[f32], k: usize, allowed: Option<&RoaringBitmap>) -> Result<Vec<(Row, f32)>> {
        let query = self.prepared(query)?;
        let mut best = Best::new(k, self.rows.len());
        let mut offer = |row: Row, place: usize| best.offer(row, f64::from(self.compare(&query, place)));
        match allowed {
            None => {
                for (place, row) in self.rows.iter().enumerate() {
                    offer(*row, place);
                }
            }
            Some(allowed) => {
                for row in allowed {
                    if let Some(place) = self.places.get(row) {
                        offer(Row(row), place);
                    }
                }
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "each was an f32 before")]
        let similarity = |(row, score): (Row, f64)| (row, score as f32);
        Ok(best.into_sorted().into_iter().map(similarity).collect())
    }

    fn similarity(&self, query: &[f32], row: Row) -> Result<Option<f32>> {
        let query = self.prepared(query)?;
        Ok(self.places.get(row.0).map(|place| self.compare(&query, place)))
    }
}
