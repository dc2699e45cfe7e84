//! Models: the plainest correct form of what the other crates do, for tests to compare with. They depend on none of the
//! crates that they judge.

pub mod signal;
pub mod store;
