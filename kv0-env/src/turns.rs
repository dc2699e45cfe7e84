//! Background work. A piece of work is a function that somebody calls again and again; who calls it, and when,
//! is decided here: a thread in production, the simulator in a simulation.

use std::fmt;
use std::time::Duration;

/// What a piece of background work says after one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// There is more to do now.
    Again,
    /// Nothing to do until [`TurnHandle::wake`] is called.
    Idle,
    /// Nothing to do until woken or until the time has passed, whichever comes first.
    IdleFor(Duration),
    /// Never call again.
    Done,
}

/// A piece of background work. One call does a bounded step and returns.
pub trait Background: Send {
    /// Does the next step.
    fn turn(&mut self) -> Turn;
}

/// Gives turns to background work.
pub trait Turns: Send + Sync + fmt::Debug {
    /// Takes the work on under a name (for thread names and traces). Dropping the handle ends it: a running turn is
    /// finished and waited for, no other begins.
    fn spawn(&self, name: &str, work: Box<dyn Background>) -> Box<dyn TurnHandle>;

    /// Whether the caller of [`TurnHandle::wake`] may block for the work to make progress. True for threads; false
    /// where turns are given by the very thread that would block.
    fn runs_by_itself(&self) -> bool;
}

/// A hold on background work that was spawned.
pub trait TurnHandle: Send + Sync + fmt::Debug {
    /// Asks for a turn soon. Cheap; many calls may lead to one turn.
    fn wake(&self);
}
