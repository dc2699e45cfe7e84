//! Calls that are told to fail.

use std::io;

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    pub(super) kind: io::ErrorKind,
    pub(super) lasts: bool,
    pub(super) effect: Effect,
}

/// What a failing call did before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// So many bytes of a write; nothing for any other call.
    Prefix(usize),
    Full,
}

impl Failure {
    /// This one call returns the error and has no effect. A sync that fails so drops what was unsynced.
    #[must_use]
    pub fn once(kind: io::ErrorKind) -> Failure {
        Failure { kind, lasts: false, effect: Effect::None }
    }

    /// This call and all after it return the error and have no effect, until [`super::MemoryFileSystem::clear_failures`].
    #[must_use]
    pub fn from_then_on(kind: io::ErrorKind) -> Failure {
        Failure { lasts: true, ..Failure::once(kind) }
    }

    /// The failing call, if it is a write, leaves up to so many bytes of its data. Calls after it leave nothing.
    #[must_use]
    pub fn after_writing(self, bytes: usize) -> Failure {
        Failure { effect: Effect::Prefix(bytes), ..self }
    }

    /// The failing call does all of its work and then returns the error. Calls after it do nothing.
    #[must_use]
    pub fn after_full_effect(self) -> Failure {
        Failure { effect: Effect::Full, ..self }
    }
}

/// The failures that are planned, and the count of calls that they refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Failures {
    calls: u64,
    planned: Vec<(u64, Failure)>,
}

impl Failures {
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    pub(super) fn plan(&mut self, call: u64, failure: Failure) {
        self.planned.push((call, failure));
    }

    pub(super) fn clear(&mut self) {
        self.planned.clear();
    }

    /// Counts one call and says how it fails, if it does. A failure planned for this very call goes before one that
    /// lasts from an earlier call.
    pub(super) fn count(&mut self) -> Option<Failure> {
        self.calls += 1;
        let here = self.planned.iter().find(|(call, _)| *call == self.calls).map(|(_, failure)| *failure);
        here.or_else(|| {
            let lasting = self.planned.iter().find(|(call, failure)| failure.lasts && *call < self.calls);
            lasting.map(|(_, failure)| Failure { effect: Effect::None, ..*failure })
        })
    }

    /// The error of the call that was counted last.
    pub(super) fn error(&self, failure: Failure) -> io::Error {
        io::Error::new(failure.kind, format!("call {} was told to fail: {}", self.calls, failure.kind))
    }
}
