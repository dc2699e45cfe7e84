//! Obviously correct models to compare with.

pub mod signal;
