//! Placeholder.
mod entry;
mod error;
pub mod limits;
pub use error::{Error, ErrorKind, Result};
