use super::dense::{Columns, symmetric_eigen};
use super::sparse::Sparse;
use super::{Interaction, learn, truncated_svd};
use crate::demo::random::Seeded;

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Readers of `groups` tastes, each of which reads mostly its own items: item `i` is of group `i % groups`.
fn tastes(groups: usize, items: usize, users: usize) -> Vec<Interaction> {
    let mut random = Seeded::new(5);
    let mut interactions = Vec::new();
    for user in 0..users {
        for _ in 0..30 {
            let item = if random.unit() < 0.8 {
                user % groups + groups * random.below(items / groups)
            } else {
                random.below(items)
            };
            interactions.push(Interaction { user, item, weight: 1.0 });
        }
    }
    interactions
}

#[test]
fn items_of_one_taste_are_nearer_than_items_of_two() {
    let vectors = learn(&tastes(4, 80, 200), 80, 16, 1);
    let mean = |same: bool| {
        let pairs = (0..80).flat_map(|a| (0..a).map(move |b| (a, b)));
        let chosen: Vec<f32> = pairs
            .filter(|(a, b)| (a % 4 == b % 4) == same)
            .map(|(a, b)| cosine(&vectors[a], &vectors[b]))
            .collect();
        chosen.iter().sum::<f32>() / chosen.len() as f32
    };
    assert!(mean(true) > mean(false) + 0.3, "{} {}", mean(true), mean(false));
}

#[test]
fn vectors_have_the_dimension_and_length_one_and_depend_on_the_seed_only_by_rounding() {
    let interactions = tastes(3, 30, 60);
    let vectors = learn(&interactions, 31, 64, 1);
    assert!(vectors[30].is_empty(), "nobody had to do with the last item");
    for vector in &vectors[..30] {
        assert_eq!(vector.len(), 64);
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
    }
    assert_eq!(vectors, learn(&interactions, 31, 64, 1));
    for (one, other) in vectors.iter().zip(learn(&interactions, 31, 64, 2)).take(30) {
        assert!(cosine(one, &other) > 0.999);
    }
    assert_eq!(learn(&[], 2, 8, 1), vec![Vec::<f32>::new(); 2]);
}

#[test]
fn the_decomposition_finds_known_singular_values() {
    // A = U·diag(9, 5, 2)·Vᵀ for orthonormal U and V.
    let mut random = Seeded::new(3);
    let mut basis = |height| {
        let mut columns = Columns::from_fn(height, 3, |_, _| random.normal());
        columns.orthonormalise();
        columns
    };
    let (u, v) = (basis(20), basis(12));
    let values = [9.0, 5.0, 2.0];
    let entry = |row, column| (0..3).map(|k| values[k] * u.get(row, k) * v.get(column, k)).sum();
    let triples = (0..20).flat_map(|row| (0..12).map(move |column| (row, column, entry(row, column))));
    let (left, found) = truncated_svd(&Sparse::sum(20, 12, triples), 5, 9);
    for (k, value) in values.iter().enumerate() {
        assert!((found[k] - value).abs() < 1e-9, "{found:?}");
        let along: f64 = left.column(k).iter().zip(u.column(k)).map(|(a, b)| a * b).sum();
        assert!((along.abs() - 1.0).abs() < 1e-9, "{along}");
    }
    assert!(found[3] < 1e-6 && found[4] < 1e-6, "{found:?}");
}

#[test]
fn eigenvectors_are_eigenvectors() {
    let mut random = Seeded::new(8);
    let half = Columns::from_fn(9, 6, |_, _| random.normal());
    let matrix = half.gram();
    let (vectors, values) = symmetric_eigen(matrix.clone());
    assert!(values.is_sorted_by(|a, b| a >= b));
    for (vector, value) in vectors.iter().zip(&values) {
        for (row, component) in matrix.iter().zip(vector) {
            let product: f64 = row.iter().zip(vector).map(|(a, b)| a * b).sum();
            assert!((product - value * component).abs() < 1e-9);
        }
    }
}

#[test]
fn entries_at_one_place_are_added_up() {
    let matrix = Sparse::sum(2, 2, [(1, 0, 1.0), (0, 1, 2.0), (1, 0, 3.0)].into_iter());
    let identity = Columns::from_fn(2, 2, |row, column| if row == column { 1.0 } else { 0.0 });
    let product = matrix.times(&identity);
    assert_eq!((product.column(0), product.column(1)), (&[0.0, 4.0][..], &[2.0, 0.0][..]));
    let transposed = matrix.transposed_times(&identity);
    assert_eq!((transposed.column(0), transposed.column(1)), (&[0.0, 2.0][..], &[4.0, 0.0][..]));
}
