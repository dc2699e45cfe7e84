//! Ranking profiles.
