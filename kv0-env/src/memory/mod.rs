//! A world in memory: deterministic, countable, and able to fail in every way of `docs/fault-model.md`.
//!
//! ```
//! use kv0_env::memory::{self, Failure};
//!
//! let (env, world) = memory::env(42);
//! let file = env.files.create_new("log")?;
//! file.write_at(b"kept", 0)?;
//! file.sync()?;
//! env.files.sync_dir("")?;
//! file.write_at(b"perhaps", 4)?;
//!
//! world.files.fail_at(world.files.operations() + 1, Failure::once(std::io::ErrorKind::Other));
//! assert!(file.sync().is_err());
//!
//! world.power_cut(7);
//! assert!(file.size().is_err(), "the process that held it is dead");
//! assert!(world.files.read_all("log")?.starts_with(b"kept"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod clock;
mod content;
mod disk;
mod failure;
mod file_system;
mod names;
mod objects;
mod random;
mod turns;
mod world;

pub use clock::ManualClock;
pub use failure::Failure;
pub use file_system::MemoryFileSystem;
pub use objects::{MemoryObjectStore, ObjectFault, ObjectRequests};
pub use random::SeededRandom;
pub use turns::ManualTurns;
pub use world::{World, env};
