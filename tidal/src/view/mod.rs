//! Views: what is derived of the log. A view notes the position in the log up to which it is made, so that it resumes
//! there after a crash, and it can be thrown away and made again.
//!
//! There are two: the state in memory ([`crate::state::State`]), of which [`checkpoint`] keeps the events' part, and the
//! text index, which keeps itself. [`load`] brings both up to the log when a database is opened.

pub(crate) mod checkpoint;
mod feed;
mod load;
mod text;

pub(crate) use load::{load, rebuild_events};
pub(crate) use text::{TextView, directory};
