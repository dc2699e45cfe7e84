//! Places between entries, where lookups and scans start.

use crate::entry::{KeyspaceId, Version};

/// A place in the order of entries (keyspace, key, newest version first): just before the entries of `key` that are
/// not newer than `at`, or behind all of its entries if `at` is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge<'a> {
    pub(crate) keyspace: KeyspaceId,
    pub(crate) key: &'a [u8],
    pub(crate) at: Option<Version>,
}

impl<'a> Edge<'a> {
    /// Before every version of a key.
    pub(crate) fn before(keyspace: KeyspaceId, key: &'a [u8]) -> Edge<'a> {
        Edge { keyspace, key, at: Some(Version::MAX) }
    }

    /// Behind every version of a key.
    pub(crate) fn behind(keyspace: KeyspaceId, key: &'a [u8]) -> Edge<'a> {
        Edge { keyspace, key, at: None }
    }

    /// Behind every key of a keyspace.
    pub(crate) fn end_of(keyspace: KeyspaceId) -> Edge<'static> {
        let next = keyspace.0.checked_add(1).expect("keyspaces are numbered up to MAX_NAMES");
        Edge { keyspace: KeyspaceId(next), key: &[], at: Some(Version::MAX) }
    }
}
