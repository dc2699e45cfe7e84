//! The exact index against sorting everything.

use roaring::RoaringBitmap;

use super::{BruteForceIndex, MAX_COMPONENT, Metric, VectorIndex, kernel, normalize};
use crate::id::Row;

const METRICS: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| (self.next() % 2_001) as f32 / 1_000.0 - 1.0001).collect()
    }
}

fn index(dimension: usize, metric: Metric, vectors: &[Vec<f32>]) -> BruteForceIndex {
    let mut index = BruteForceIndex::new(dimension, metric).unwrap();
    for (row, vector) in (0..).zip(vectors) {
        index.upsert(Row(row), vector).unwrap();
    }
    index
}

/// In f64, by the definition.
fn similarity(metric: Metric, a: &[f32], b: &[f32]) -> f64 {
    let product =
        |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    match metric {
        Metric::Cosine => product(a, b) / (product(a, a) * product(b, b)).sqrt(),
        Metric::Dot => product(a, b),
        Metric::Euclidean => {
            -a.iter().zip(b).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum::<f64>()
        }
    }
}

#[test]
fn the_nearest_are_those_of_a_full_sort() {
    let mut random = Random(1);
    for dimension in [1, 2, 15, 16, 17, 33, 100] {
        for metric in METRICS {
            let vectors: Vec<Vec<f32>> = (0..200).map(|_| random.vector(dimension)).collect();
            let index = index(dimension, metric, &vectors);
            index.check_invariants();
            let query = random.vector(dimension);
            let all = index.search(&query, 1_000, None).unwrap();
            assert_eq!(all.len(), 200);
            for (row, found) in &all {
                let expected = similarity(metric, &query, &vectors[row.0 as usize]);
                assert!((f64::from(*found) - expected).abs() < 1e-4, "{metric:?}: {found} and {expected}");
                assert_eq!(index.similarity(&query, *row).unwrap(), Some(*found));
            }
            let ordered = |pair: &[(Row, f32)]| {
                pair[0].1 > pair[1].1 || (pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0)
            };
            assert!(all.windows(2).all(ordered));
            for k in [0, 1, 7, 199] {
                assert_eq!(index.search(&query, k, None).unwrap(), all[..k]);
            }
        }
    }
}

#[test]
fn a_filter_gives_the_nearest_of_those_allowed() {
    let mut random = Random(2);
    let vectors: Vec<Vec<f32>> = (0..500).map(|_| random.vector(24)).collect();
    let index = index(24, Metric::Cosine, &vectors);
    let query = random.vector(24);
    let all = index.search(&query, 500, None).unwrap();
    for step in [1, 3, 100, 600] {
        // Rows beyond the index are allowed too, and are not there.
        let allowed: RoaringBitmap = (0..1_000).filter(|row| row % step == step / 2).collect();
        let expected: Vec<(Row, f32)> =
            all.iter().copied().filter(|(row, _)| allowed.contains(row.0)).take(10).collect();
        assert_eq!(index.search(&query, 10, Some(&allowed)).unwrap(), expected);
    }
    assert!(index.search(&query, 10, Some(&RoaringBitmap::new())).unwrap().is_empty());
}

#[test]
fn random_writes_leave_what_a_map_has() {
    let mut random = Random(3);
    let mut index = BruteForceIndex::new(3, Metric::Dot).unwrap();
    let mut map = std::collections::BTreeMap::new();
    for _ in 0..3_000 {
        let row = Row((random.next() % 40) as u32 * 1_000);
        if random.next().is_multiple_of(3) {
            assert_eq!(index.remove(row), map.remove(&row).is_some());
        } else {
            let vector = random.vector(3);
            index.upsert(row, &vector).unwrap();
            map.insert(row, vector);
        }
        index.check_invariants();
        assert_eq!(index.len(), map.len());
        assert_eq!(index.get(row), map.get(&row).map(Vec::as_slice));
    }
    for row in map.keys() {
        assert!(index.remove(*row));
    }
    assert!(index.is_empty());
    assert!(index.search(&[1.0, 0.0, 0.0], 10, None).unwrap().is_empty());
}

#[test]
fn ten_thousand_copies_come_in_the_order_of_rows() {
    let copy = vec![0.3, -0.7, 0.1];
    let mut index = BruteForceIndex::new(3, Metric::Cosine).unwrap();
    for row in (0..10_000).rev() {
        index.upsert(Row(row), &copy).unwrap();
    }
    let found = index.search(&copy, 10_000, None).unwrap();
    assert!(found.iter().map(|(row, _)| row.0).eq(0..10_000));
    assert!(index.search(&copy, 5, None).unwrap().iter().map(|(row, _)| row.0).eq(0..5));
}

#[test]
fn what_a_slot_cannot_hold_is_refused_and_changes_nothing() {
    for metric in METRICS {
        let mut index = index(2, metric, &[vec![1.0, 2.0]]);
        let kept = index.get(Row(0)).unwrap().to_vec();
        let mut refused = vec![vec![1.0], vec![1.0, 2.0, 3.0], vec![f32::NAN, 1.0], vec![1.0, f32::INFINITY]];
        match metric {
            Metric::Cosine => refused.push(vec![0.0, -0.0]),
            Metric::Dot | Metric::Euclidean => refused.push(vec![MAX_COMPONENT * 1.01, 0.0]),
        }
        for vector in refused {
            let error = index.upsert(Row(0), &vector).unwrap_err();
            assert_eq!(error.field(), Some("vector"));
            assert!(index.search(&vector, 1, None).is_err());
            assert_eq!(index.get(Row(0)).unwrap(), kept);
        }
    }
    assert!(BruteForceIndex::new(0, Metric::Dot).is_err());
    assert!(BruteForceIndex::new(crate::limits::MAX_DIMENSION + 1, Metric::Dot).is_err());
}

#[test]
fn extreme_components_give_finite_similarities_in_the_right_order() {
    let tiny = f32::from_bits(1);
    let vectors = [
        vec![f32::MAX, f32::MAX],
        vec![tiny, 0.0],
        vec![1e6, 1.0],
        vec![-0.0, -tiny],
        vec![-f32::MAX, f32::MIN_POSITIVE],
    ];
    let index = index(2, Metric::Cosine, &vectors);
    let found = index.search(&[1e-40, 1e-42], 5, None).unwrap();
    assert_eq!(found.iter().map(|(row, _)| row.0).collect::<Vec<_>>(), [1, 2, 0, 3, 4]);
    for metric in [Metric::Dot, Metric::Euclidean] {
        let dimension = crate::limits::MAX_DIMENSION;
        let index = self::index(
            dimension,
            metric,
            &[vec![MAX_COMPONENT; dimension], vec![-MAX_COMPONENT; dimension]],
        );
        let found = index.search(&vec![MAX_COMPONENT; dimension], 5, None).unwrap();
        assert!(found.iter().all(|(_, similarity)| similarity.is_finite()), "{found:?}");
        assert_eq!(found[0].0, Row(0));
    }
}

#[test]
fn stored_vectors_have_length_one_under_cosine() {
    let mut random = Random(4);
    for dimension in [1, 7, 1_536] {
        let unit = normalize(&random.vector(dimension));
        let length: f64 = unit.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-6, "{length}");
    }
}

#[test]
fn the_order_of_additions_is_fixed() {
    // Sixteen partial sums, then halves onto halves: written out for 19 components.
    let mut random = Random(5);
    for _ in 0..100 {
        let (a, b) = (random.vector(19), random.vector(19));
        let mut sums: Vec<f32> = (0..16).map(|lane| 0.0 + a[lane] * b[lane]).collect();
        for lane in 0..3 {
            sums[lane] += a[16 + lane] * b[16 + lane];
        }
        while sums.len() > 1 {
            let half = sums.split_off(sums.len() / 2);
            sums.iter_mut().zip(half).for_each(|(sum, other)| *sum += other);
        }
        assert_eq!(kernel::dot(&a, &b).to_bits(), sums[0].to_bits());
    }
}
