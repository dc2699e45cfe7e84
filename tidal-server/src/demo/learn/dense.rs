//! The little dense algebra that the decomposition needs.

/// A tall, narrow matrix as a list of columns.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    columns: Vec<Vec<f64>>,
}

impl Columns {
    pub(crate) fn zero(height: usize, width: usize) -> Columns {
        Columns { columns: vec![vec![0.0; height]; width] }
    }

    pub(crate) fn from_fn(
        height: usize,
        width: usize,
        mut value: impl FnMut(usize, usize) -> f64,
    ) -> Columns {
        let column = |column| (0..height).map(|row| value(row, column)).collect();
        Columns { columns: (0..width).map(column).collect() }
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        self.columns[column][row]
    }

    pub(crate) fn column(&self, column: usize) -> &[f64] {
        &self.columns[column]
    }

    pub(crate) fn column_mut(&mut self, column: usize) -> &mut [f64] {
        &mut self.columns[column]
    }

    /// Gram and Schmidt, twice, which is enough for full accuracy. A column that lies in the span of those before it
    /// becomes zero.
    pub(crate) fn orthonormalise(&mut self) {
        for column in 0..self.width() {
            let (done, rest) = self.columns.split_at_mut(column);
            let current = &mut rest[0];
            let before = dot(current, current).sqrt();
            for _ in 0..2 {
                for other in done.iter() {
                    let along = dot(current, other);
                    add_scaled(current, -along, other);
                }
            }
            let length = dot(current, current).sqrt();
            let scale = if length > 1e-10 * before && length > 0.0 { 1.0 / length } else { 0.0 };
            current.iter_mut().for_each(|x| *x *= scale);
        }
    }

    /// All products of two columns.
    pub(crate) fn gram(&self) -> Vec<Vec<f64>> {
        self.columns.iter().map(|a| self.columns.iter().map(|b| dot(a, b)).collect()).collect()
    }

    /// The product with a square matrix that is given as its columns.
    pub(crate) fn times_square(&self, square: &[Vec<f64>]) -> Columns {
        let height = self.columns.first().map_or(0, Vec::len);
        let combine = |factors: &Vec<f64>| {
            let mut sum = vec![0.0; height];
            for (factor, column) in factors.iter().zip(&self.columns) {
                add_scaled(&mut sum, *factor, column);
            }
            sum
        };
        Columns { columns: square.iter().map(combine).collect() }
    }

    /// Singular vectors are determined up to a sign: makes the largest component of each column positive.
    pub(crate) fn fix_signs(&mut self) {
        for column in &mut self.columns {
            let largest = column.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
            if largest < 0.0 {
                column.iter_mut().for_each(|x| *x = -*x);
            }
        }
    }
}

/// Eigenvectors (as columns) and eigenvalues of a symmetric matrix, largest first, by Jacobi's rotations: slow for large
/// matrices, exact and simple for the small ones here.
pub(crate) fn symmetric_eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<f64>) {
    let size = matrix.len();
    let unit = |column| (0..size).map(|row| if row == column { 1.0 } else { 0.0 }).collect();
    let mut vectors: Vec<Vec<f64>> = (0..size).map(unit).collect();
    let scale: f64 = matrix.iter().flatten().map(|x| x * x).sum();
    // Convergence is quadratic: far fewer sweeps are needed than are allowed.
    for _ in 0..100 {
        let pairs = || (0..size).flat_map(|p| (p + 1..size).map(move |q| (p, q)));
        let off_diagonal: f64 = pairs().map(|(p, q)| matrix[p][q] * matrix[p][q]).sum();
        if off_diagonal <= 1e-28 * scale {
            break;
        }
        for (p, q) in pairs() {
            rotate(&mut matrix, &mut vectors, p, q);
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| matrix[b][b].total_cmp(&matrix[a][a]));
    let values = order.iter().map(|&place| matrix[place][place]).collect();
    (order.iter().map(|&place| vectors[place].clone()).collect(), values)
}

/// Turns the plane of axes `p` and `q` so that their off-diagonal element vanishes.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let off = matrix[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for row in matrix.iter_mut() {
        (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
    }
    turn(matrix, p, q, cosine, sine);
    turn(vectors, p, q, cosine, sine);
}

fn turn(rows: &mut [Vec<f64>], p: usize, q: usize, cosine: f64, sine: f64) {
    let (head, tail) = rows.split_at_mut(q);
    for (a, b) in head[p].iter_mut().zip(&mut tail[0]) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(x, y)| *x += factor * y);
}
