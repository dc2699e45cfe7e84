//! A whole world in memory, by its parts.

use std::sync::Arc;

use super::{ManualClock, ManualTurns, MemoryFileSystem, MemoryObjectStore, SeededRandom};
use crate::{Clock, Env};

/// Where every world's wall clock begins: 2020-01-01T00:00:00Z, an ordinary day.
const START_UNIX_MICROS: i64 = 1_577_836_800_000_000;

/// The controls of a world whose processes live in [`Env`]s. Cloning shares it.
#[derive(Debug, Clone)]
pub struct World {
    /// The disk.
    pub files: Arc<MemoryFileSystem>,
    /// The clock.
    pub clock: Arc<ManualClock>,
    /// The randomness.
    pub random: Arc<SeededRandom>,
    /// The background work.
    pub turns: Arc<ManualTurns>,
    /// An object store, which no crash of a process or its machine touches.
    pub objects: Arc<MemoryObjectStore>,
}

/// A new world and the environment of its first process. Everything in it is a function of the seed and of the calls.
#[must_use]
pub fn env(seed: u64) -> (Env, World) {
    let world = World::with_files(MemoryFileSystem::new(), seed);
    (world.env(), world)
}

impl World {
    /// A world around a disk that is there already, such as a fork of another one.
    #[must_use]
    pub fn with_files(files: Arc<MemoryFileSystem>, seed: u64) -> World {
        let clock = Arc::new(ManualClock::new(START_UNIX_MICROS));
        let turns = Arc::new(ManualTurns::new(Arc::clone(&clock) as Arc<dyn Clock>));
        let random = Arc::new(SeededRandom::new(seed));
        World { files, clock, random, turns, objects: Arc::new(MemoryObjectStore::new()) }
    }

    /// The environment of the process that runs now. After [`World::kill`] or [`World::power_cut`] its files fail, and
    /// the next process gets another one.
    #[must_use]
    pub fn env(&self) -> Env {
        Env {
            files: self.files.process(),
            clock: Arc::clone(&self.clock) as _,
            random: Arc::clone(&self.random) as _,
            turns: Arc::clone(&self.turns) as _,
        }
    }

    /// The process dies: its handles fail, its locks and background work are gone, what it wrote stays.
    pub fn kill(&self) {
        self.files.kill();
        self.turns.kill();
    }

    /// The machine dies: see [`MemoryFileSystem::power_cut`]. Background work is gone.
    pub fn power_cut(&self, seed: u64) {
        self.files.power_cut(seed);
        self.turns.kill();
    }
}
