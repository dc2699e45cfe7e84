//! What a user is interested in, as vectors.

use crate::id::Row;
use crate::vector::VectorIndex;

/// Items that make the short-term vector: the newest.
const SHORT_TERM: usize = 8;

/// The directions of a user's taste, of unit length: the long-term one of all interests, and the short-term one of the
/// newest. Each is the sum of the items' embeddings, weighted by what the items say of the taste: towards what was
/// liked, away from what was not. Fewer if there is nothing to say or the sum has no direction.
pub(crate) fn interest_vectors(vectors: &dyn VectorIndex, interests: &[(Row, f64)]) -> Vec<Vec<f32>> {
    let long = direction(vectors, interests);
    let short = direction(vectors, &interests[..interests.len().min(SHORT_TERM)]);
    let differ = interests.len() > SHORT_TERM;
    long.into_iter().chain(short.filter(|_| differ)).collect()
}

fn direction(vectors: &dyn VectorIndex, interests: &[(Row, f64)]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f64; vectors.dimension()];
    for &(item, weight) in interests {
        for (sum, number) in sum.iter_mut().zip(vectors.get(item).unwrap_or_default()) {
            *sum += weight * f64::from(*number);
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f64>().sqrt();
    if !length.is_normal() {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a unit vector's numbers are at most 1")]
    let unit = sum.iter().map(|number| (number / length) as f32).collect();
    Some(unit)
}
