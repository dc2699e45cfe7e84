//! Which items may come.

/// A condition on items.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// All of these (true if there are none).
    All(Vec<Filter>),
}
