//! Time that moves when told.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use crate::Clock;

/// A clock that stands still until it is moved. Wall and monotonic readings move apart if told so.
#[derive(Debug)]
pub struct ManualClock {
    unix_micros: AtomicI64,
    monotonic_nanos: AtomicU64,
}

impl ManualClock {
    /// A clock at this wall time whose monotonic reading is 0.
    #[must_use]
    pub fn new(unix_micros: i64) -> ManualClock {
        ManualClock { unix_micros: AtomicI64::new(unix_micros), monotonic_nanos: AtomicU64::new(0) }
    }

    /// Time passes: both readings move forward. Wall time moves by whole microseconds.
    pub fn advance(&self, time: Duration) {
        self.advance_monotonic(time);
        let micros = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        let now = self.unix_micros.load(Ordering::SeqCst);
        self.unix_micros.store(now.saturating_add(micros), Ordering::SeqCst);
    }

    /// Time passes, but the wall clock stands still.
    pub fn advance_monotonic(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let now = self.monotonic_nanos.load(Ordering::SeqCst);
        self.monotonic_nanos.store(now.saturating_add(nanos), Ordering::SeqCst);
    }

    /// The wall clock jumps, in either direction; the monotonic reading stays.
    pub fn set_unix_micros(&self, unix_micros: i64) {
        self.unix_micros.store(unix_micros, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn unix_micros(&self) -> i64 {
        self.unix_micros.load(Ordering::SeqCst)
    }

    fn monotonic_nanos(&self) -> u64 {
        self.monotonic_nanos.load(Ordering::SeqCst)
    }
}
