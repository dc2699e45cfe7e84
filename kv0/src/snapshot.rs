//! Consistent reads.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::changes::Position;
use crate::db::Keyspace;
use crate::error::Result;

/// The database as it was at one position, for as long as this value lives. Blocks nobody and copies nothing.
#[derive(Debug, Clone)]
pub struct Snapshot;

impl Snapshot {
    /// The value of a key.
    pub fn get(&self, keyspace: &Keyspace, key: impl AsRef<[u8]>) -> Result<Option<Arc<[u8]>>> {
        let _ = (keyspace, key.as_ref());
        unimplemented!()
    }

    /// The values of several keys, in the order asked.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keyspace: &Keyspace,
        keys: &[K],
    ) -> Result<Vec<Option<Arc<[u8]>>>> {
        let _ = (keyspace, keys);
        unimplemented!()
    }

    /// The keys in a range, ascending or descending.
    pub fn scan<K: AsRef<[u8]>>(
        &self,
        keyspace: &Keyspace,
        range: impl RangeBounds<K>,
        direction: Direction,
    ) -> Result<Scan> {
        let _: (&Keyspace, Bound<&K>, Direction) = (keyspace, range.start_bound(), direction);
        unimplemented!()
    }

    /// The newest commit that this snapshot shows.
    pub fn position(&self) -> Position {
        unimplemented!()
    }
}

/// Which way a scan goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the smallest key up.
    Ascending,
    /// From the greatest key down.
    Descending,
}

/// Keys and values in order. After an error every further call fails the same way: nothing is skipped.
#[derive(Debug)]
pub struct Scan;

impl Iterator for Scan {
    type Item = Result<(Arc<[u8]>, Arc<[u8]>)>;

    fn next(&mut self) -> Option<Self::Item> {
        unimplemented!()
    }
}
