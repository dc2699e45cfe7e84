//! Randomness.

use std::fmt;

/// A source of random numbers, good enough for names, sampling and shuffling; not for secrets.
pub trait Random: Send + Sync + fmt::Debug {
    /// The next 64 random bits.
    fn next_u64(&self) -> u64;
}
