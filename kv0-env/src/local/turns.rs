//! Background work on threads: one thread for each piece.

use std::fmt;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::{Background, Turn, TurnHandle, Turns};

/// Gives every piece of background work a thread of its own, which bears its name.
#[derive(Debug, Clone, Default)]
pub struct ThreadTurns {
    _private: (),
}

impl ThreadTurns {
    /// Ready to spawn.
    #[must_use]
    pub fn new() -> ThreadTurns {
        ThreadTurns::default()
    }
}

impl Turns for ThreadTurns {
    /// The first turn begins at once. Work whose turn panics is dropped and gets no more turns.
    ///
    /// # Panics
    /// If the system refuses a thread, as [`std::thread::spawn`] does.
    fn spawn(&self, name: &str, work: Box<dyn Background>) -> Box<dyn TurnHandle> {
        let signal = Arc::new(Signal::default());
        let seen_by_thread = Arc::clone(&signal);
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || run(work, &seen_by_thread))
            .unwrap_or_else(|error| panic!("no thread for the background work {name}: {error}"));
        Box::new(ThreadHandle { signal, thread: Some(thread) })
    }

    fn runs_by_itself(&self) -> bool {
        true
    }
}

/// What the handle tells the thread. The thread alone clears `woken`, and does so before the turn that answers it, so
/// that a wake during a turn leads to another one.
#[derive(Default)]
struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    woken: bool,
    stopped: bool,
}

impl Signal {
    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock());
        self.changed.notify_one();
    }

    /// Waits for a wake, the end of the time, or the stop, and says whether a turn shall follow.
    fn wait(&self, longest: Option<Duration>) -> bool {
        // A time beyond what the clock can hold is no limit.
        let deadline = longest.and_then(|longest| Instant::now().checked_add(longest));
        let mut state = self.state.lock();
        while !state.woken && !state.stopped {
            match deadline {
                None => self.changed.wait(&mut state),
                Some(deadline) => {
                    if self.changed.wait_until(&mut state, deadline).timed_out() {
                        break;
                    }
                }
            }
        }
        state.woken = false;
        !state.stopped
    }
}

fn run(mut work: Box<dyn Background>, signal: &Signal) {
    let mut idle = Some(Duration::ZERO);
    while signal.wait(idle) {
        idle = match work.turn() {
            Turn::Again => Some(Duration::ZERO),
            Turn::IdleFor(time) => Some(time),
            Turn::Idle => None,
            Turn::Done => return,
        };
    }
}

struct ThreadHandle {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl TurnHandle for ThreadHandle {
    fn wake(&self) {
        self.signal.set(|state| state.woken = true);
    }
}

impl Drop for ThreadHandle {
    fn drop(&mut self) {
        self.signal.set(|state| state.stopped = true);
        let Some(thread) = self.thread.take() else { return };
        // The work itself may hold the last reference to its owner and so drop its own handle: it cannot wait for
        // itself, and it ends when this turn returns.
        if thread.thread().id() != thread::current().id() {
            // A panic of the work was reported by the panic hook when it happened.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for ThreadHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.thread.as_ref().and_then(|thread| thread.thread().name()).unwrap_or("ended");
        f.debug_tuple("ThreadHandle").field(&name).finish()
    }
}
