//! Time.

use std::fmt;

/// A source of time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Wall time: microseconds since 1970-01-01T00:00:00Z. May jump in either direction.
    fn unix_micros(&self) -> i64;

    /// Time since some fixed moment of this process, in nanoseconds. Never goes back.
    fn monotonic_nanos(&self) -> u64;
}
