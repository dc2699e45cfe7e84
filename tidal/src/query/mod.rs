//! Questions and answers.

mod answer;
mod request;

pub use answer::{Answer, Explain, Hit, SourceHit, Stats, Term};
pub use request::{Diversity, Retrieve, Search};
