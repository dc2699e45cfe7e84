//! The clocks of the machine.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::Clock;

/// The wall clock and the monotonic clock of this machine.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic reading begins at 0 now.
    #[must_use]
    pub fn new() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn unix_micros(&self) -> i64 {
        // A reading that 64 bits cannot hold is a broken clock; the nearest value is as good as any.
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |micros| -micros),
        }
    }

    fn monotonic_nanos(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).expect("a process runs for less than 584 years")
    }
}
