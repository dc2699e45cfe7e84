//! The outside world, behind traits: files, object stores, clocks, randomness and background turns.
//!
//! Everything above this crate is a pure function of what these traits return. Production hands in
//! [`local`] implementations, tests and the simulator hand in [`memory`] ones, whose faults are described in
//! `docs/fault-model.md`. Only this crate touches a file, a socket, a clock or a random source.

mod clock;
mod env;
mod file;
mod generator;
pub mod local;
pub mod memory;
mod object;
mod path;
mod random;
mod turns;

pub use clock::Clock;
pub use env::Env;
pub use file::{DirEntry, File, FileLock, FileSystem, LockError};
pub use object::{ETag, MAX_OBJECT_KEY_BYTES, ObjectError, ObjectMeta, ObjectStore, PutCondition};
pub use random::Random;
pub use turns::{Background, Turn, TurnHandle, Turns};
