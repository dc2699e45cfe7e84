//! Randomness that a seed decides.

use parking_lot::Mutex;

use crate::Random;
use crate::generator::Generator;

/// Random numbers that are a function of a seed and of how many were drawn.
#[derive(Debug)]
pub struct SeededRandom {
    generator: Mutex<Generator>,
}

impl SeededRandom {
    /// The sequence of a seed, from its beginning.
    #[must_use]
    pub fn new(seed: u64) -> SeededRandom {
        SeededRandom { generator: Mutex::new(Generator::from_seed(seed)) }
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// If `bound` is 0.
    #[must_use]
    pub fn below(&self, bound: u64) -> u64 {
        self.generator.lock().below(bound)
    }
}

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        self.generator.lock().next_u64()
    }
}
