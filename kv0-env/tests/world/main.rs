//! The outside world, judged from outside: the same questions to this machine and to the world in memory, and each
//! fault of `docs/fault-model.md`.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod crashes;
mod faults;
mod files;
mod object_faults;
mod objects;
mod processes;
mod sources;
mod turns;
