//! Steps of a query.

pub mod diversify;
pub mod score;

#[cfg(test)]
mod tests;
