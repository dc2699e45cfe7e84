//! Randomness of the machine.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;

use parking_lot::Mutex;

use crate::Random;
use crate::generator::Generator;

/// Random numbers from a generator that the system seeded.
pub struct SystemRandom {
    generator: Mutex<Generator>,
}

impl SystemRandom {
    /// A new generator. Its state is drawn through the keys of the standard hasher, which the system gives at random:
    /// the one portable way to its randomness in the standard library that cannot fail.
    #[must_use]
    pub fn new() -> SystemRandom {
        let keyed = RandomState::new();
        let state = std::array::from_fn(|index| keyed.hash_one(index));
        SystemRandom { generator: Mutex::new(Generator::from_state(state)) }
    }
}

impl Default for SystemRandom {
    fn default() -> SystemRandom {
        SystemRandom::new()
    }
}

impl Random for SystemRandom {
    fn next_u64(&self) -> u64 {
        self.generator.lock().next_u64()
    }
}

impl fmt::Debug for SystemRandom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemRandom")
    }
}
