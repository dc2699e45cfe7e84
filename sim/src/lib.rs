//! Deterministic simulation of kv0: one seed makes the options, a list of steps, the faults and the schedule; every
//! answer of the database is compared with a model that cannot be wrong.
//!
//! ```
//! let outcome = sim::run(7, &sim::Plan::default());
//! assert_eq!(outcome.failure, None);
//! assert_eq!(outcome.trace, sim::run(7, &sim::Plan::default()).trace);
//! ```
//!
//! What is checked after every crash and every reopening: the database opens; what survived is a prefix of the commits
//! that reaches at least to the newest one acknowledged at the level that the crash leaves; commits are whole; the
//! change feed, the records, the scans and the check agree with the model; recovering once more changes nothing.

mod driver;
mod faults;
mod readers;
mod run;
mod steps;
mod trace;
mod verify;

pub use run::{Outcome, run};
pub use steps::{Plan, Step};
