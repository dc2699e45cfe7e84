//! How far an import is, for those who wait for it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

/// The state of an import, shared between the one that does it and those who ask. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    state: Arc<Mutex<ImportState>>,
}

/// What an import is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportState {
    /// The step it is at.
    pub phase: Phase,
    /// Where the data is from, once that is known.
    pub source: Option<String>,
    /// Writes done, of `total`.
    pub done: usize,
    /// Writes to be done; 0 as long as that is not known.
    pub total: usize,
    /// For people: what is happening, or why it failed.
    pub detail: String,
}

/// The steps of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Getting the data.
    #[default]
    Fetching,
    /// Learning item vectors from it.
    Learning,
    /// Writing it.
    Writing,
    /// All is written.
    Done,
    /// It was given up; `detail` says why.
    Failed,
}

impl ImportState {
    /// Whether everything is written.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }
}

impl Progress {
    /// What the import is doing now.
    pub fn state(&self) -> ImportState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut ImportState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn enter(&self, phase: Phase, detail: impl Into<String>) {
        let detail = detail.into();
        self.update(|state| {
            state.phase = phase;
            state.detail = detail;
        });
    }
}
