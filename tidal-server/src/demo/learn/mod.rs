//! Item vectors from who had to do with what.
//!
//! 1. A matrix of items by users holds, for each pair that occurs, the positive pointwise mutual information of item and
//!    user: how much oftener the two meet than they would by chance. It takes out popularity, which the counts of
//!    signals already tell. (Levy and Goldberg, "Neural word embedding as implicit matrix factorization", NIPS 2014.)
//! 2. A truncated singular value decomposition by randomised subspace iteration finds the directions that hold most of
//!    the matrix. (Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53, 2011.)
//! 3. An item's vector is its row of U·√Σ, the symmetric choice of Levy, Goldberg and Dagan, TACL 3, 2015, scaled to
//!    length 1.
//!
//! The seed determines the result. Cost: about `4 · interactions · dim · iterations` multiplications.

mod dense;
mod sparse;
#[cfg(test)]
mod tests;

use dense::Columns;
use sparse::Sparse;

use super::random::Seeded;

/// Passes of the subspace iteration; after four the leading directions of such data no longer move noticeably.
const ITERATIONS: usize = 4;
/// Directions beyond those wanted, which make the wanted ones exact.
const OVERSAMPLING: usize = 8;
/// A direction whose singular value is below this share of the largest holds rounding errors only.
const NEGLIGIBLE: f64 = 1e-9;

/// A user had to do with an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// The user, from 0.
    pub user: usize,
    /// The item, from 0.
    pub item: usize,
    /// How much: positive.
    pub weight: f64,
}

/// One vector per item, of length 1 and `dim` components; an empty one for an item about which the interactions say
/// nothing. Where they have fewer directions than `dim`, the remaining components are 0.
///
/// # Panics
/// If an interaction names an item that is not below `items`.
pub fn learn(interactions: &[Interaction], items: usize, dim: usize, seed: u64) -> Vec<Vec<f32>> {
    let users = interactions.iter().map(|it| it.user + 1).max().unwrap_or(0);
    let matrix = positive_information(interactions, items, users);
    let rank = dim.min(items).min(users);
    if rank == 0 {
        return vec![Vec::new(); items];
    }
    let (left, singular) = truncated_svd(&matrix, rank, seed);
    (0..items).map(|item| item_vector(&left, &singular, item, dim)).collect()
}

/// log(p(item, user) / (p(item) · p(user))) where that is positive, at the pairs that occur.
fn positive_information(interactions: &[Interaction], items: usize, users: usize) -> Sparse {
    let mut of_item = vec![0.0; items];
    let mut of_user = vec![0.0; users];
    for it in interactions {
        of_item[it.item] += it.weight;
        of_user[it.user] += it.weight;
    }
    let total: f64 = of_item.iter().sum();
    let mut matrix = Sparse::sum(items, users, interactions.iter().map(|it| (it.item, it.user, it.weight)));
    matrix.map(|item, user, weight| (weight * total / (of_item[item] * of_user[user])).ln().max(0.0));
    matrix
}

/// The leading left singular vectors as columns, and their singular values, largest first.
fn truncated_svd(matrix: &Sparse, rank: usize, seed: u64) -> (Columns, Vec<f64>) {
    let width = (rank + OVERSAMPLING).min(matrix.rows()).min(matrix.columns());
    let mut random = Seeded::new(seed);
    let start = Columns::from_fn(matrix.columns(), width, |_, _| random.normal());
    let mut basis = matrix.times(&start);
    basis.orthonormalise();
    for _ in 0..ITERATIONS {
        let mut back = matrix.transposed_times(&basis);
        back.orthonormalise();
        basis = matrix.times(&back);
        basis.orthonormalise();
    }
    // Within the basis Q the matrix is B = Qᵀ·A; the eigenvectors of the small B·Bᵀ turn Q into singular vectors.
    let projected = matrix.transposed_times(&basis);
    let (rotation, eigenvalues) = dense::symmetric_eigen(projected.gram());
    let mut left = basis.times_square(&rotation);
    left.fix_signs();
    (left, eigenvalues.iter().take(rank).map(|value| value.max(0.0).sqrt()).collect())
}

fn item_vector(left: &Columns, singular: &[f64], item: usize, dim: usize) -> Vec<f32> {
    let largest = singular.first().copied().unwrap_or(0.0);
    let component = |(column, value): (usize, &f64)| {
        if *value > NEGLIGIBLE * largest { left.get(item, column) * value.sqrt() } else { 0.0 }
    };
    let mut vector: Vec<f64> = singular.iter().enumerate().map(component).collect();
    vector.resize(dim, 0.0);
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length <= NEGLIGIBLE * largest.sqrt() {
        return Vec::new();
    }
    vector.iter().map(|x| narrow(x / length)).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a component of a unit vector, stored with 24 bits")]
fn narrow(component: f64) -> f32 {
    component as f32
}
