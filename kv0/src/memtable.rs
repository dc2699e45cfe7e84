//! The newest writes, in memory: an ordered map of every version of every key.
//!
//! One thread inserts at a time (several may; a batch is then not visible as a whole by itself), any number read
//! meanwhile. Atomicity is not the business of this type: readers ask for versions up to a bound, and the writer
//! raises that bound only when a whole batch is in.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering as Atomic};

use crossbeam_skiplist::SkipMap;
use parking_lot::RwLock;

use crate::Direction;
use crate::edge::Edge;
use crate::entry::{Entry, KeyspaceId, RangeTombstone, Version};
use crate::limits;
use crate::tombstones::RangeTombstones;

/// What one entry costs beside its key and value: the node of the list with its tower, the two reference-counted
/// headers, and what the allocator adds.
const ENTRY_OVERHEAD_BYTES: usize = 160;

/// See the module's words.
#[derive(Debug)]
pub(crate) struct Memtable {
    entries: SkipMap<Key, Option<Arc<[u8]>>>,
    tombstones: RwLock<Arc<RangeTombstones>>,
    /// Spares lookups the lock while there is no range tombstone. Set after the tombstone is in.
    has_tombstones: AtomicBool,
    bytes: AtomicUsize,
    min_version: AtomicU64,
    max_version: AtomicU64,
}

/// A version of a key with what it holds (`None` is a tombstone).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemtableEntry {
    pub(crate) key: Arc<[u8]>,
    pub(crate) version: Version,
    pub(crate) value: Option<Arc<[u8]>>,
}

impl Memtable {
    pub(crate) fn new() -> Memtable {
        Memtable {
            entries: SkipMap::new(),
            tombstones: RwLock::default(),
            has_tombstones: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
            min_version: AtomicU64::new(u64::MAX),
            max_version: AtomicU64::new(0),
        }
    }

    /// Adds a version of a key. The same version of the same key again (a batch that writes a key twice) replaces the
    /// first one; a reader must not be allowed to see that version before both are in.
    pub(crate) fn insert(&self, entry: Entry) {
        let bytes = entry.key.len() + entry.value.as_ref().map_or(0, |value| value.len());
        self.account(entry.version, bytes);
        let Entry { keyspace, key, version, value } = entry;
        self.entries.insert(Key { keyspace, key, version }, value);
    }

    /// Adds a deletion of a range. Costs a copy of the range tombstones that are there.
    pub(crate) fn insert_range_tombstone(&self, tombstone: RangeTombstone) {
        let bytes = tombstone.start.len() + tombstone.end.as_ref().map_or(0, |end| end.len());
        self.account(tombstone.version, bytes);
        let mut tombstones = self.tombstones.write();
        *tombstones = Arc::new(tombstones.with(tombstone));
        self.has_tombstones.store(true, Atomic::Release);
    }

    /// The newest version of the key that is not newer than `at`. Range tombstones are not applied.
    pub(crate) fn get(
        &self,
        keyspace: KeyspaceId,
        key: &[u8],
        at: Version,
    ) -> Option<(Version, Option<Arc<[u8]>>)> {
        let edge = Edge { keyspace, key, at: Some(at) };
        let entry = self.entries.lower_bound::<dyn Place + '_>(Bound::Included(&edge))?;
        let found = entry.key();
        (found.keyspace == keyspace && *found.key == *key).then(|| (found.version, entry.value().clone()))
    }

    /// The newest version not after `at` at which a range over the key was deleted.
    pub(crate) fn range_tombstone_over(
        &self,
        keyspace: KeyspaceId,
        key: &[u8],
        at: Version,
    ) -> Option<Version> {
        if !self.has_tombstones.load(Atomic::Acquire) {
            return None;
        }
        self.range_tombstones().newest_over(keyspace, key, at)
    }

    /// The range tombstones so far.
    pub(crate) fn range_tombstones(&self) -> Arc<RangeTombstones> {
        Arc::clone(&self.tombstones.read())
    }

    /// Appends to `batch` up to [`limits::SCAN_BATCH_ENTRIES`] entries of one keyspace that follow `from` in the
    /// direction, with every version not newer than `at`. Nothing appended means that there are no more.
    pub(crate) fn read_batch(
        &self,
        keyspace: KeyspaceId,
        from: Bound<Edge<'_>>,
        direction: Direction,
        at: Version,
        batch: &mut Vec<MemtableEntry>,
    ) {
        let from = match &from {
            Bound::Included(edge) => Bound::Included(edge as &dyn Place),
            Bound::Excluded(edge) => Bound::Excluded(edge as &dyn Place),
            Bound::Unbounded => Bound::Unbounded,
        };
        let mut next = match direction {
            Direction::Ascending => self.entries.lower_bound::<dyn Place + '_>(from),
            Direction::Descending => self.entries.upper_bound::<dyn Place + '_>(from),
        };
        let limit = batch.len() + limits::SCAN_BATCH_ENTRIES;
        while let Some(entry) = next {
            let Key { keyspace: of, key, version } = entry.key();
            if *of != keyspace || batch.len() == limit {
                break;
            }
            if *version <= at {
                batch.push(MemtableEntry {
                    key: Arc::clone(key),
                    version: *version,
                    value: entry.value().clone(),
                });
            }
            next = match direction {
                Direction::Ascending => entry.next(),
                Direction::Descending => entry.prev(),
            };
        }
    }

    /// Every entry in order. Entries inserted meanwhile may be among them or not.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries.iter().map(|entry| Entry {
            keyspace: entry.key().keyspace,
            key: Arc::clone(&entry.key().key),
            version: entry.key().version,
            value: entry.value().clone(),
        })
    }

    /// Whether nothing was inserted, neither an entry nor a range tombstone.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && !self.has_tombstones.load(Atomic::Acquire)
    }

    /// About how much memory the contents take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Atomic::Relaxed)
    }

    /// The oldest and the newest version inserted, or `None` while there is nothing.
    #[cfg(test)]
    pub(crate) fn versions(&self) -> Option<(Version, Version)> {
        let (min, max) = (self.min_version.load(Atomic::Acquire), self.max_version.load(Atomic::Acquire));
        (min <= max).then_some((Version(min), Version(max)))
    }

    fn account(&self, version: Version, bytes: usize) {
        self.bytes.fetch_add(bytes + ENTRY_OVERHEAD_BYTES, Atomic::Relaxed);
        self.max_version.fetch_max(version.0, Atomic::AcqRel);
        self.min_version.fetch_min(version.0, Atomic::AcqRel);
    }
}

/// The key of the map. Its order is that of [`Entry::order`].
#[derive(Debug, PartialEq, Eq)]
struct Key {
    keyspace: KeyspaceId,
    key: Arc<[u8]>,
    version: Version,
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        compare(&self.edge(), &other.edge())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What the map can be searched with: an owned key or an [`Edge`], so that a lookup needs no key of its own.
trait Place {
    fn edge(&self) -> Edge<'_>;
}

impl Place for Key {
    fn edge(&self) -> Edge<'_> {
        Edge { keyspace: self.keyspace, key: &self.key, at: Some(self.version) }
    }
}

impl Place for Edge<'_> {
    fn edge(&self) -> Edge<'_> {
        *self
    }
}

fn compare(a: &Edge<'_>, b: &Edge<'_>) -> Ordering {
    // Newest first, and behind all of them an edge without a version: `None` is the least, so reversed the last.
    (a.keyspace, a.key).cmp(&(b.keyspace, b.key)).then_with(|| b.at.cmp(&a.at))
}

impl<'a> Borrow<dyn Place + 'a> for Key {
    fn borrow(&self) -> &(dyn Place + 'a) {
        self
    }
}

impl PartialEq for dyn Place + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.edge() == other.edge()
    }
}

impl Eq for dyn Place + '_ {}

impl Ord for dyn Place + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.edge(), &other.edge())
    }
}

impl PartialOrd for dyn Place + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
