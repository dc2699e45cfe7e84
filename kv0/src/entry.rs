//! What memtables and segments hold: versions of keys, and deletions of ranges.

use std::sync::Arc;

/// The number of a keyspace. Part of every stored key, and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyspaceId(pub(crate) u32);

/// The number of a stream. Never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub(crate) u32);

/// The commit that wrote something. Greater is newer; all of one batch has one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Version(pub(crate) u64);

impl Version {
    /// Newer than every commit.
    pub(crate) const MAX: Version = Version(u64::MAX);
}

/// One version of one key. Sorted by keyspace, then key, then the newest version first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) keyspace: KeyspaceId,
    pub(crate) key: Arc<[u8]>,
    pub(crate) version: Version,
    /// `None` is a tombstone.
    pub(crate) value: Option<Arc<[u8]>>,
}

#[cfg(test)]
impl Entry {
    /// The order of entries everywhere.
    pub(crate) fn order(&self, other: &Entry) -> std::cmp::Ordering {
        (self.keyspace, &self.key).cmp(&(other.keyspace, &other.key)).then(other.version.cmp(&self.version))
    }
}

/// The deletion of every key of a keyspace in `start..end` that is older than `version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RangeTombstone {
    pub(crate) keyspace: KeyspaceId,
    pub(crate) start: Arc<[u8]>,
    /// `None` reaches to the end of the keyspace.
    pub(crate) end: Option<Arc<[u8]>>,
    pub(crate) version: Version,
}

impl RangeTombstone {
    /// Whether the key lies in the range.
    pub(crate) fn covers(&self, keyspace: KeyspaceId, key: &[u8]) -> bool {
        self.keyspace == keyspace && *self.start <= *key && self.end.as_ref().is_none_or(|end| *key < **end)
    }
}
