//! Time as the database counts it.

use serde::{Deserialize, Serialize};

/// A moment: microseconds since 1970-01-01T00:00:00Z; negative before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// Microseconds in a second.
pub const MICROS_PER_SECOND: i64 = 1_000_000;

impl Timestamp {
    /// Seconds from `earlier` to `self`; 0 if `earlier` is later, so that an age is never negative.
    pub fn seconds_since(self, earlier: Timestamp) -> f64 {
        let micros = self.0.saturating_sub(earlier.0).max(0);
        micros as f64 / MICROS_PER_SECOND as f64
    }
}
