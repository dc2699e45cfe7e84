//! All of the outside world in one value.

use std::sync::Arc;

use crate::{Clock, FileSystem, Random, Turns};

/// What a database is given to reach the outside world. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Env {
    /// Where its files are.
    pub files: Arc<dyn FileSystem>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where names and samples come from.
    pub random: Arc<dyn Random>,
    /// Who runs its background work.
    pub turns: Arc<dyn Turns>,
}
