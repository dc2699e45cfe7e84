//! Consistent reads.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::changes::Position;
use crate::db::Keyspace;
use crate::engine::Hold;
use crate::entry::{KeyspaceId, Version};
use crate::error::{Error, Result};
use crate::read_path::{MergeScan, ReadView};

/// The database as it was at one position, for as long as this value lives. Blocks nobody and copies nothing; it holds
/// on to the memtables that it was taken of. So each snapshot that is kept over flushes may cost up to half the memory
/// budget, beyond the budget; those taken between the same two flushes share it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    engine: Hold,
    view: Arc<ReadView>,
    version: Version,
}

impl Snapshot {
    pub(crate) fn new(engine: &Hold) -> Result<Snapshot> {
        let (view, version) = engine.read_point()?;
        Ok(Snapshot { engine: engine.clone(), view, version })
    }

    /// The value of a key.
    pub fn get(&self, keyspace: &Keyspace, key: impl AsRef<[u8]>) -> Result<Option<Arc<[u8]>>> {
        self.view.get(self.id_of(keyspace)?, key.as_ref(), self.version)
    }

    /// The values of several keys, in the order asked.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keyspace: &Keyspace,
        keys: &[K],
    ) -> Result<Vec<Option<Arc<[u8]>>>> {
        let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
        self.view.multi_get(self.id_of(keyspace)?, &keys, self.version)
    }

    /// The keys in a range, in either direction.
    pub fn scan<K: AsRef<[u8]>>(
        &self,
        keyspace: &Keyspace,
        range: impl RangeBounds<K>,
        direction: Direction,
    ) -> Result<Scan> {
        let id = self.id_of(keyspace)?;
        let (lower, upper) = (owned(range.start_bound()), owned(range.end_bound()));
        let merge = self.view.scan(id, lower, upper, direction, self.version);
        Ok(Scan { engine: self.engine.clone(), merge })
    }

    /// The newest commit that this snapshot shows.
    pub fn position(&self) -> Position {
        Position(self.version.0)
    }

    fn id_of(&self, keyspace: &Keyspace) -> Result<KeyspaceId> {
        self.engine.check_open()?;
        if keyspace.database() != self.engine.database {
            return Err(Error::invalid(format!(
                "keyspace {:?} belongs to another database",
                keyspace.name()
            )));
        }
        Ok(keyspace.id())
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

/// A key and its value.
pub type Pair = (Arc<[u8]>, Arc<[u8]>);

/// Keys and values in order, as of one position. After an error every further call fails the same way: nothing is
/// skipped.
#[derive(Debug)]
pub struct Scan {
    engine: Hold,
    merge: MergeScan,
}

impl Scan {
    /// Goes on at `key`, forwards or backwards: the next entry is the first at or after it in the scan's direction,
    /// within the scan's range.
    pub fn seek(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        self.engine.check_open()?;
        self.merge.seek(key.as_ref())
    }

    /// The next entries, at most `count`; fewer only at the end.
    pub fn next_many(&mut self, count: usize) -> Result<Vec<Pair>> {
        self.engine.check_open()?;
        self.merge.next_many(count)
    }
}

impl Iterator for Scan {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.engine.check_open() {
            return Some(Err(error));
        }
        self.merge.next().transpose()
    }
}

fn owned<K: AsRef<[u8]>>(bound: Bound<&K>) -> Bound<Arc<[u8]>> {
    bound.map(|key| Arc::from(key.as_ref()))
}
