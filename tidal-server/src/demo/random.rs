//! Random numbers that are the same in every run: SplitMix64, by Steele, Lea and Flood, "Fast splittable pseudorandom
//! number generators", OOPSLA 2014.

/// A generator that a seed determines entirely.
#[derive(Debug)]
pub(crate) struct Seeded {
    state: u64,
}

impl Seeded {
    pub(crate) fn new(seed: u64) -> Seeded {
        Seeded { state: seed }
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in 0 (included) to 1 (excluded).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in `0..bound`, which must not be empty. The bias is below 2^-32 for the small bounds it is used with.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below 0");
        let wide = u128::from(self.next_u64()) * bound as u128;
        usize::try_from(wide >> 64).expect("below the bound, which is a usize")
    }

    /// Normal with mean 0 and variance 1, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::Seeded;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        let mut random = Seeded::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn the_distributions_have_their_moments() {
        let mut random = Seeded::new(1);
        let n = 20_000;
        let units: f64 = (0..n).map(|_| random.unit()).sum::<f64>() / f64::from(n);
        assert!((units - 0.5).abs() < 0.01, "{units}");
        let normals: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mean = normals.iter().sum::<f64>() / f64::from(n);
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        assert!((0..1_000).all(|_| random.below(7) < 7));
    }
}
