//! Background work that moves only when the caller gives it a turn.

use std::fmt;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use parking_lot::{Condvar, Mutex};

use crate::{Background, Clock, Turn, TurnHandle, Turns};

/// After so many turns without rest [`ManualTurns::run_until_idle`] concludes that the work never rests.
const MAX_TURNS_UNTIL_IDLE: u64 = 10_000_000;

/// Gives turns one by one, in an order that the caller chooses. All turns run on the thread of the caller.
#[derive(Clone)]
pub struct ManualTurns {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
}

struct Shared {
    state: Mutex<State>,
    /// Told when a turn ends.
    turn_ended: Condvar,
}

#[derive(Default)]
struct State {
    /// In the order in which they were spawned.
    pieces: Vec<Piece>,
    next_id: u64,
}

struct Piece {
    id: u64,
    name: String,
    work: Work,
    rest: Rest,
}

enum Work {
    Waiting(Box<dyn Background>),
    /// Its turn is running on this thread.
    Running(ThreadId),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    None,
    UntilWoken,
    /// Until woken or until the clock shows so many nanoseconds.
    Until(u64),
}

impl ManualTurns {
    /// No work yet; idle times are measured with this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> ManualTurns {
        let shared = Shared { state: Mutex::new(State::default()), turn_ended: Condvar::new() };
        ManualTurns { shared: Arc::new(shared), clock }
    }

    /// Gives one turn to one of the pieces of work that can run. `pick` is told how many there are, which is at least
    /// one, and returns the number of one of them, counted from 0 in the order in which they were spawned.
    /// Returns false, without asking, if none can run.
    ///
    /// # Panics
    /// If `pick` returns a number that is not below the count, and when the turn panics; that piece of work is over
    /// then.
    pub fn run_one(&self, pick: &mut dyn FnMut(usize) -> usize) -> bool {
        let now = self.clock.monotonic_nanos();
        let mut state = self.shared.state.lock();
        let runnable: Vec<usize> =
            (0..state.pieces.len()).filter(|&at| state.pieces[at].can_run(now)).collect();
        if runnable.is_empty() {
            return false;
        }
        let picked = pick(runnable.len());
        assert!(picked < runnable.len(), "picked {picked} of {} that can run", runnable.len());
        let piece = &mut state.pieces[runnable[picked]];
        let id = piece.id;
        // A wake during the turn sets this again, and then the turn's own wish to rest does not count.
        piece.rest = Rest::UntilWoken;
        let Work::Waiting(work) = std::mem::replace(&mut piece.work, Work::Running(thread::current().id()))
        else {
            unreachable!("work whose turn is running cannot run");
        };
        drop(state);
        let mut turn = RunningTurn { shared: &self.shared, id, work: Some(work) };
        let wish = turn.work.as_mut().expect("set just now").turn();
        turn.end(wish, self.clock.monotonic_nanos());
        true
    }

    /// Gives turns, going round, until no work can run at the present time. Returns how many were given.
    ///
    /// # Panics
    /// When a turn panics, and when there is no end of them.
    pub fn run_until_idle(&self) -> u64 {
        let mut turns = 0;
        let mut next = 0;
        while self.run_one(&mut |count| {
            next += 1;
            (next - 1) % count
        }) {
            turns += 1;
            assert!(turns < MAX_TURNS_UNTIL_IDLE, "background work never rests: {self:?}");
        }
        turns
    }

    /// The names of the pieces of work that can run now, in the order in which [`ManualTurns::run_one`] counts them.
    #[must_use]
    pub fn runnable(&self) -> Vec<String> {
        let now = self.clock.monotonic_nanos();
        let state = self.shared.state.lock();
        state.pieces.iter().filter(|piece| piece.can_run(now)).map(|piece| piece.name.clone()).collect()
    }

    /// The earliest monotonic time, in nanoseconds, at which resting work wants a turn without being woken.
    #[must_use]
    pub fn next_deadline_nanos(&self) -> Option<u64> {
        let state = self.shared.state.lock();
        let deadlines = state.pieces.iter().filter_map(|piece| match piece.rest {
            Rest::Until(nanos) => Some(nanos),
            Rest::None | Rest::UntilWoken => None,
        });
        deadlines.min()
    }

    /// Drops all work, as the death of its process does. Handles that are left do nothing. Not to be called in a turn.
    pub fn kill(&self) {
        let pieces = std::mem::take(&mut self.shared.state.lock().pieces);
        // Outside of the lock: work may own handles of other work.
        drop(pieces);
    }
}

impl Turns for ManualTurns {
    fn spawn(&self, name: &str, work: Box<dyn Background>) -> Box<dyn TurnHandle> {
        let mut state = self.shared.state.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.pieces.push(Piece { id, name: name.to_owned(), work: Work::Waiting(work), rest: Rest::None });
        Box::new(ManualHandle { shared: Arc::clone(&self.shared), id, name: name.to_owned() })
    }

    fn runs_by_itself(&self) -> bool {
        false
    }
}

impl fmt::Debug for ManualTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualTurns").field("runnable", &self.runnable()).finish_non_exhaustive()
    }
}

impl Piece {
    fn can_run(&self, now: u64) -> bool {
        let rested = match self.rest {
            Rest::None => true,
            Rest::UntilWoken => false,
            Rest::Until(nanos) => nanos <= now,
        };
        rested && matches!(self.work, Work::Waiting(_))
    }
}

impl State {
    fn position(&self, id: u64) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.id == id)
    }
}

/// Sees to it that a turn ends for those who wait for it, even by a panic.
struct RunningTurn<'a> {
    shared: &'a Shared,
    id: u64,
    work: Option<Box<dyn Background>>,
}

impl RunningTurn<'_> {
    /// Puts the work back, unless it is over or was given up during the turn.
    fn end(mut self, wish: Turn, now: u64) {
        let rest = match wish {
            Turn::Done => return,
            Turn::Again => Rest::None,
            Turn::Idle => Rest::UntilWoken,
            Turn::IdleFor(time) => {
                Rest::Until(now.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
            }
        };
        let mut state = self.shared.state.lock();
        if let Some(at) = state.position(self.id)
            && let Some(work) = self.work.take()
        {
            let piece = &mut state.pieces[at];
            if piece.rest != Rest::None {
                piece.rest = rest;
            }
            piece.work = Work::Waiting(work);
        }
    }
}

impl Drop for RunningTurn<'_> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            // The work is over. It goes before those who wait for its end go on, and outside of the lock.
            drop(work);
            let mut state = self.shared.state.lock();
            if let Some(at) = state.position(self.id) {
                state.pieces.remove(at);
            }
        }
        self.shared.turn_ended.notify_all();
    }
}

struct ManualHandle {
    shared: Arc<Shared>,
    id: u64,
    name: String,
}

impl TurnHandle for ManualHandle {
    fn wake(&self) {
        let mut state = self.shared.state.lock();
        if let Some(at) = state.position(self.id) {
            state.pieces[at].rest = Rest::None;
        }
    }
}

impl Drop for ManualHandle {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        // Another thread may be in a turn of this work: that one is finished first. The work itself may drop its own
        // handle, and then it ends with this turn.
        let ended = loop {
            let Some(at) = state.position(self.id) else {
                break None;
            };
            match state.pieces[at].work {
                Work::Running(thread) if thread != thread::current().id() => {
                    self.shared.turn_ended.wait(&mut state);
                }
                Work::Running(_) | Work::Waiting(_) => break Some(state.pieces.remove(at)),
            }
        };
        drop(state);
        drop(ended);
    }
}

impl fmt::Debug for ManualHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualHandle").field(&self.name).finish()
    }
}
