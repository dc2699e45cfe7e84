//! The bytes of a file in memory, as read now and as a power cut may leave them.
//!
//! 1. `bytes` is what reads see.
//! 2. Before a sector of `bytes` changes, its content is remembered as a version. The first version of a sector is
//!    what the last sync made durable.
//! 3. A sync forgets the versions: what is read is what is durable.
//! 4. A failed sync keeps the versions and marks their sectors: later syncs skip them, until a write makes them dirty
//!    again.
//! 5. A power cut chooses a size, and for each sector that has versions one of them or the present content.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::generator::Generator;

/// The unit that a disk writes whole.
const SECTOR_BYTES: usize = 512;

/// How many old contents of a sector are remembered: the durable one and the latest of those after it.
const MAX_VERSIONS: usize = 4;

/// The largest file. Files here are held in memory, and a wrong size must be an error, not an exhausted machine.
const MAX_FILE_BYTES: usize = 1 << 30;

/// One file. Cloning is cheap until one of the two is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    bytes: Arc<Vec<u8>>,
    unsynced: BTreeMap<usize, Sector>,
    durable_size: usize,
    /// The smallest and largest size since the last sync.
    smallest: usize,
    largest: usize,
}

#[derive(Debug, Clone)]
struct Sector {
    /// Cut at the size that the file had at the time. Never empty.
    versions: Vec<Vec<u8>>,
    dropped: bool,
}

/// How much a power cut keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tendency {
    LoseAll,
    KeepAll,
    /// Keeps so many of 8.
    Mixed(u64),
}

impl Tendency {
    pub(super) fn choose(generator: &mut Generator) -> Tendency {
        match generator.below(8) {
            0 => Tendency::LoseAll,
            1 => Tendency::KeepAll,
            eighths => Tendency::Mixed(eighths - 1),
        }
    }

    pub(super) fn keeps(self, generator: &mut Generator) -> bool {
        match self {
            Tendency::LoseAll => false,
            Tendency::KeepAll => true,
            Tendency::Mixed(eighths) => generator.below(8) < eighths,
        }
    }
}

impl Content {
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> usize {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.size());
        let count = buffer.len().min(self.size() - start);
        buffer[..count].copy_from_slice(&self.bytes[start..start + count]);
        count
    }

    pub(super) fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let end = checked_size(offset.saturating_add(data.len() as u64))?;
        let start = end - data.len();
        for sector in start / SECTOR_BYTES..end.div_ceil(SECTOR_BYTES) {
            self.remember(sector);
        }
        let bytes = Arc::make_mut(&mut self.bytes);
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(data);
        self.largest = self.largest.max(end);
        Ok(())
    }

    pub(super) fn set_size(&mut self, size: u64) -> io::Result<()> {
        let size = checked_size(size)?;
        for sector in size / SECTOR_BYTES..self.size().div_ceil(SECTOR_BYTES) {
            self.remember(sector);
        }
        Arc::make_mut(&mut self.bytes).resize(size, 0);
        self.smallest = self.smallest.min(size);
        self.largest = self.largest.max(size);
        Ok(())
    }

    pub(super) fn sync(&mut self) {
        self.unsynced.retain(|_, sector| sector.dropped);
        self.durable_size = self.size();
        self.smallest = self.size();
        self.largest = self.size();
        self.check_invariants();
    }

    /// What a failed sync does: the system forgets that these sectors are dirty.
    pub(super) fn drop_unsynced(&mut self) {
        let dirty = self.unsynced.iter().filter(|(_, sector)| !sector.dropped);
        let dirty: Vec<usize> = dirty.map(|(&index, _)| index).collect();
        for index in dirty {
            self.remember(index);
            self.unsynced.get_mut(&index).expect("remembered just now").dropped = true;
        }
    }

    /// Changes one byte in what is read and in what any power cut can leave.
    pub(super) fn flip(&mut self, offset: usize, mask: u8) {
        Arc::make_mut(&mut self.bytes)[offset] ^= mask;
        let versions = self.unsynced.get_mut(&(offset / SECTOR_BYTES)).map(|sector| &mut sector.versions);
        for byte in
            versions.into_iter().flatten().filter_map(|version| version.get_mut(offset % SECTOR_BYTES))
        {
            *byte ^= mask;
        }
    }

    /// Becomes one of the states in which a power cut may leave the file. Everything is durable then.
    pub(super) fn power_cut(&mut self, generator: &mut Generator, tendency: Tendency) {
        let size = self.size_after_cut(generator, tendency);
        let grown_shows_noise = tendency != Tendency::KeepAll && generator.below(2) == 0;
        let mut after = (*self.bytes).clone();
        after.resize(size, 0);
        let unsynced = std::mem::take(&mut self.unsynced);
        for (index, sector) in unsynced {
            let start = index * SECTOR_BYTES;
            let present = sector_of(&self.bytes, index);
            let chosen = sector.after_cut(present, generator, tendency);
            if start >= size {
                continue;
            }
            let end = size.min(start + SECTOR_BYTES);
            let arrived = chosen.len().min(end - start);
            after[start..start + arrived].copy_from_slice(&chosen[..arrived]);
            for byte in &mut after[start + arrived..end] {
                *byte = if grown_shows_noise { generator.next_u64().to_le_bytes()[0] } else { 0 };
            }
        }
        self.bytes = Arc::new(after);
        self.sync();
        assert!(self.unsynced.is_empty(), "after a power cut what is read is what is durable");
    }

    fn size_after_cut(&self, generator: &mut Generator, tendency: Tendency) -> usize {
        if tendency == Tendency::LoseAll {
            return self.durable_size;
        }
        let between = (self.largest - self.smallest) as u64;
        if tendency.keeps(generator) || between == 0 {
            return self.size();
        }
        match generator.below(3) {
            0 => self.durable_size,
            1 => self.smallest,
            _ => {
                let above =
                    usize::try_from(generator.below(between + 1)).expect("no more than a size in memory");
                self.smallest + above
            }
        }
    }

    /// Keeps the present content of a sector that is about to change.
    fn remember(&mut self, index: usize) {
        let present = sector_of(&self.bytes, index);
        let sector =
            self.unsynced.entry(index).or_insert_with(|| Sector { versions: Vec::new(), dropped: false });
        sector.dropped = false;
        if sector.versions.last().is_none_or(|last| last.as_slice() != present) {
            if sector.versions.len() == MAX_VERSIONS {
                sector.versions.remove(1);
            }
            sector.versions.push(present.to_vec());
        }
    }

    fn check_invariants(&self) {
        assert!(
            self.smallest <= self.durable_size && self.durable_size <= self.largest,
            "sizes out of order"
        );
        assert!(self.smallest <= self.size() && self.size() <= self.largest, "the size escaped its bounds");
        assert!(
            self.unsynced.values().all(|sector| !sector.versions.is_empty()),
            "a sector without a version"
        );
    }
}

impl Sector {
    fn after_cut(&self, present: &[u8], generator: &mut Generator, tendency: Tendency) -> Vec<u8> {
        let newest = if self.dropped { self.versions.last().map_or(present, Vec::as_slice) } else { present };
        if tendency.keeps(generator) {
            return newest.to_vec();
        }
        let back = match tendency {
            Tendency::Mixed(_) if generator.below(2) == 0 => generator.below(self.versions.len() as u64),
            _ => 0,
        };
        self.versions[usize::try_from(back).expect("no more than MAX_VERSIONS")].clone()
    }
}

fn sector_of(bytes: &[u8], index: usize) -> &[u8] {
    let start = (index * SECTOR_BYTES).min(bytes.len());
    &bytes[start..bytes.len().min(start + SECTOR_BYTES)]
}

fn checked_size(size: u64) -> io::Result<usize> {
    usize::try_from(size).ok().filter(|&size| size <= MAX_FILE_BYTES).ok_or_else(|| {
        let message = format!("{size} bytes, but a file in memory has at most {MAX_FILE_BYTES}");
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    })
}

#[cfg(test)]
mod tests;
