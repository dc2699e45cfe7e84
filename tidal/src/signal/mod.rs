//! Signals: what happens to items, users and creators, counted with decay and in windows.
//!
//! `docs/signals.md` says what each number means and how exact it is.

mod buckets;
mod cell;
mod codec;
mod column;
mod decay;
mod table;
mod uniques;
mod window;

pub use decay::Decay;
pub use table::{MAX_WEIGHT, Measure, SignalTable};
pub use uniques::EXACT_UNIQUES;
pub use window::Window;

#[cfg(test)]
mod tests;
