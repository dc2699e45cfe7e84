//! What the tests of the program share: the program itself, and a browser.

#![allow(dead_code, reason = "each test binary uses its part")]

pub(crate) mod browser;
pub(crate) mod server;

use std::time::{Duration, Instant};

/// Longest time that anything may take before a test gives up.
const DEADLINE: Duration = Duration::from_secs(120);

/// Asks again and again until there is something.
///
/// # Panics
/// If there is nothing by the deadline.
pub(crate) fn poll<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    poll_or(ask, || what.to_owned())
}

/// The same, with a description that is made only when it is needed.
pub(crate) fn poll_or<T>(mut ask: impl FnMut() -> Option<T>, what: impl FnOnce() -> String) -> T {
    let start = Instant::now();
    while start.elapsed() < DEADLINE {
        if let Some(found) = ask() {
            return found;
        }
        std::thread::yield_now();
    }
    panic!("waited in vain for {}", what());
}
