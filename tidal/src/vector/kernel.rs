//! Products and distances of f32 vectors.
//!
//! Sixteen partial sums, each over every sixteenth component, added up in one fixed tree: the compiler can keep them in
//! vector registers of any width, and the result is the same on every machine, because neither the order of the
//! additions nor their rounding is left to it.

const LANES: usize = 16;

/// The inner product. Both have the same length.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    accumulate(a, b, |x, y| x * y)
}

/// The squared distance. Both have the same length.
pub(super) fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    accumulate(a, b, |x, y| (x - y) * (x - y))
}

#[inline(always)]
fn accumulate(a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    assert_eq!(a.len(), b.len(), "vectors of one slot have one dimension");
    let mut sums = [0.0_f32; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += term(a[lane], b[lane]);
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += term(*a, *b);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}
