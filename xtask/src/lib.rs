//! The developer's tool of this workspace: one command that checks everything, `cargo xtask ci`.
//!
//! The checks are pure functions ([`dependencies`] over the metadata of cargo, [`layout`] over the files of the
//! repository); [`ci`] runs them together with the compiler's tools and the tests.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool reads files, runs programs and tells what it sees; no database runs here"
)]

pub mod ci;
pub mod dependencies;
pub mod layout;
mod process;
mod tools;
mod totals;
