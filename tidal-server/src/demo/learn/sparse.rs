//! A sparse matrix in compressed rows.

use super::dense::Columns;

#[derive(Debug)]
pub(crate) struct Sparse {
    columns: usize,
    /// `starts[row]..starts[row + 1]` are the places of a row in `entries`.
    starts: Vec<usize>,
    /// Column and value, by row, then column.
    entries: Vec<(usize, f64)>,
}

impl Sparse {
    /// From triples of row, column and value in any order; values at one place are added up.
    pub(crate) fn sum(
        rows: usize,
        columns: usize,
        triples: impl Iterator<Item = (usize, usize, f64)>,
    ) -> Sparse {
        let mut triples: Vec<(usize, usize, f64)> = triples.collect();
        triples.sort_by_key(|&(row, column, _)| (row, column));
        triples.dedup_by(|later, kept| {
            let same = (later.0, later.1) == (kept.0, kept.1);
            if same {
                kept.2 += later.2;
            }
            same
        });
        let mut starts = vec![0; rows + 1];
        for &(row, column, _) in &triples {
            assert!(column < columns, "column {column} of {columns}");
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        Sparse {
            columns,
            starts,
            entries: triples.iter().map(|&(_, column, value)| (column, value)).collect(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Changes every entry that is there by row, column and value.
    pub(crate) fn map(&mut self, change: impl Fn(usize, usize, f64) -> f64) {
        for row in 0..self.rows() {
            for (column, value) in &mut self.entries[self.starts[row]..self.starts[row + 1]] {
                *value = change(row, *column, *value);
            }
        }
    }

    pub(crate) fn times(&self, right: &Columns) -> Columns {
        let mut product = Columns::zero(self.rows(), right.width());
        for column in 0..right.width() {
            let (from, to) = (right.column(column), product.column_mut(column));
            for (row, sum) in to.iter_mut().enumerate() {
                *sum = self.row(row).iter().map(|&(place, value)| value * from[place]).sum();
            }
        }
        product
    }

    pub(crate) fn transposed_times(&self, right: &Columns) -> Columns {
        let mut product = Columns::zero(self.columns, right.width());
        for column in 0..right.width() {
            let (from, to) = (right.column(column), product.column_mut(column));
            for (row, factor) in from.iter().enumerate() {
                for &(place, value) in self.row(row) {
                    to[place] += value * factor;
                }
            }
        }
        product
    }

    fn row(&self, row: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }
}
