//! Looking up single keys.

use std::sync::Arc;

use super::ReadView;
use super::source::Value;
use crate::entry::{KeyspaceId, Version};
use crate::error::Result;
use crate::segment::LookupKey;

/// What was last done to a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) version: Version,
    /// `None`: it was deleted, by itself or with a range.
    pub(crate) value: Option<Arc<[u8]>>,
}

/// The newest version seen so far of what a lookup is after.
#[derive(Default)]
struct Newest {
    entry: Option<(Version, Option<Value>)>,
    range_tombstone: Option<Version>,
}

impl Newest {
    fn entry(&mut self, found: Option<(Version, Option<Value>)>) {
        if let Some((version, value)) = found
            && self.entry.as_ref().is_none_or(|(newest, _)| version > *newest)
        {
            self.entry = Some((version, value));
        }
    }

    fn range_tombstone(&mut self, found: Option<Version>) {
        self.range_tombstone = self.range_tombstone.max(found);
    }

    /// Whether nothing of a source that ends with this version can change the answer: an entry of the very version
    /// of a range tombstone stays, so that must be newer.
    fn is_settled_against(&self, max_version: Version) -> bool {
        self.entry.as_ref().is_some_and(|(version, _)| *version >= max_version)
            || self.range_tombstone.is_some_and(|version| version > max_version)
    }

    fn into_found(self) -> Option<Found> {
        match self.entry {
            // A range tombstone deletes what is older than it; of the same batch the entry is the later.
            Some((version, value)) if self.range_tombstone.is_none_or(|deleted| version >= deleted) => {
                Some(Found { version, value: value.map(Value::into_shared) })
            }
            _ => self.range_tombstone.map(|version| Found { version, value: None }),
        }
    }
}

impl ReadView {
    /// The value of the key as of version `at`.
    pub(crate) fn get(&self, keyspace: KeyspaceId, key: &[u8], at: Version) -> Result<Option<Arc<[u8]>>> {
        Ok(self.find(keyspace, key, at)?.and_then(|found| found.value))
    }

    /// What was last done to the key up to version `at`; `None` if nothing ever, or nothing that is still stored.
    pub(crate) fn find(&self, keyspace: KeyspaceId, key: &[u8], at: Version) -> Result<Option<Found>> {
        let mut newest = Newest::default();
        for memtable in &*self.memtables {
            let found = memtable.get(keyspace, key, at);
            newest.entry(found.map(|(version, value)| (version, value.map(Value::Shared))));
            newest.range_tombstone(memtable.range_tombstone_over(keyspace, key, at));
        }
        let mut lookup = None;
        for segment in &*self.segments {
            // Sorted by their newest version: nothing that follows has a newer one.
            if newest.is_settled_against(segment.info().max_version) {
                break;
            }
            if segment.info().min_version > at || !segment.info().covers(keyspace, key) {
                continue;
            }
            let lookup = lookup.get_or_insert_with(|| LookupKey::new(keyspace, key));
            let found = segment.get(lookup, at)?;
            newest.entry(found.map(|(version, value)| (version, value.map(Value::InBlock))));
            newest.range_tombstone(segment.range_tombstone_over(keyspace, key, at)?);
        }
        Ok(newest.into_found())
    }

    /// The values of many keys, in the order of the keys. Looks them up sorted, so that keys of one block share it.
    pub(crate) fn multi_get(
        &self,
        keyspace: KeyspaceId,
        keys: &[&[u8]],
        at: Version,
    ) -> Result<Vec<Option<Arc<[u8]>>>> {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by_key(|&index| keys[index]);
        let mut values = vec![None; keys.len()];
        for index in order {
            values[index] = self.get(keyspace, keys[index], at)?;
        }
        Ok(values)
    }
}
