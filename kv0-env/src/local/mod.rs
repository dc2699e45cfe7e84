//! The machine that this process runs on.
//!
//! What is assumed of it is written in `docs/fault-model.md`.

// The one place where production touches files, clocks, randomness and threads; everybody else asks the traits.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod clock;
mod durable;
mod file_system;
mod key_path;
mod objects;
mod random;
mod turns;

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::Env;

pub use clock::SystemClock;
pub use file_system::LocalFileSystem;
pub use objects::LocalObjectStore;
pub use random::SystemRandom;
pub use turns::ThreadTurns;

/// The environment of a database in a directory of this machine, which is created if missing.
///
/// # Errors
/// Those of [`LocalFileSystem::open`].
pub fn env(root: impl AsRef<Path>) -> io::Result<Env> {
    Ok(Env {
        files: LocalFileSystem::open(root)?,
        clock: Arc::new(SystemClock::new()),
        random: Arc::new(SystemRandom::new()),
        turns: Arc::new(ThreadTurns::new()),
    })
}
