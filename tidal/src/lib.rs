//! tidaldb: which items, in which order, for this user in this context.

mod error;
mod id;
mod text;
mod time;

pub use error::{Error, ErrorKind, Result};
pub use id::{Id, Kind, Row};
pub use time::{MICROS_PER_SECOND, Timestamp};
