//! tidaldb: which items, in which order, for this user in this context.

mod best;
mod columns;
mod database;
mod entity;
mod error;
pub mod filter;
mod id;
mod keys;
pub mod limits;
mod mutation;
mod names;
mod profile;
mod query;
#[cfg(doctest)]
mod readme;
mod record;
mod relation;
mod retrieve;
mod root;
mod rows;
pub mod schema;
pub mod signal;
mod state;
mod store;
mod table;
mod text;
mod time;
mod user;
mod value;
pub mod vector;
mod view;
pub mod wire;
mod write;

pub use database::{Database, OpenReport, Options, Receipt};
pub use entity::Entity;
pub use error::{Error, ErrorKind, Result};
pub use filter::Filter;
pub use id::{Id, Kind, Row};
pub use mutation::{Batch, Mutation, Relation, RelationKind, Signal};
pub use query::{Answer, Diversity, Explain, Hit, Retrieve, Search, SourceHit, Stats, Term};
pub use schema::Schema;
pub use signal::Window;
pub use time::{MICROS_PER_SECOND, Timestamp};
pub use value::Value;
