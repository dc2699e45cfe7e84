//! Looking for damage.

use std::sync::atomic::Ordering;

use crate::engine::{Chunk, Engine};
use crate::error::{Error, Result};
use crate::lane::body::Operations;
use crate::lane::{ChunkReader, chunk_path};

/// What a check found. See [`crate::Db::check`].
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Files that were read in full.
    pub files: usize,
    /// Every damage found, each with file and offset. Empty if all is well.
    pub damage: Vec<Error>,
}

impl CheckReport {
    /// Whether no damage was found.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }

    fn add(&mut self, result: Result<()>) {
        self.files += 1;
        self.damage.extend(result.err());
    }
}

impl Engine {
    /// Reads everything.
    pub(crate) fn check(&self) -> Result<CheckReport> {
        self.check_open()?;
        let mut report = CheckReport::default();
        let (view, _) = self.read_point()?;
        for segment in view.segments() {
            report.files += 1;
            report.damage.extend(segment.check());
        }
        // Collection would remove chunks under the check; that of a writer beside this handle still does.
        let manifest = self.manifest.lock();
        let what = manifest.manifest().check_invariants();
        report.add(what.map_err(|what| Error::corrupt("CURRENT", 0, what)));
        let (lane, sequence, chunks) = {
            let log = self.log.lock();
            (log.lane, log.sequence, log.chunks.clone())
        };
        for (index, chunk) in chunks.iter().enumerate() {
            let next = chunks.get(index + 1);
            let result = self.check_chunk(lane, *chunk, next);
            let newest = next.map_or(sequence, |next| next.first_sequence - 1);
            if result.is_ok() || !self.was_collected(newest) {
                report.add(result);
            }
        }
        drop(view);
        Ok(report)
    }

    /// Whether the chunk that ends with this commit was collected by a writer beside this handle: no damage.
    fn was_collected(&self, newest: u64) -> bool {
        // If the manifest cannot be read, what was found stands.
        self.refresh_trimmed().is_ok() && newest <= self.trimmed.load(Ordering::Acquire)
    }

    fn check_chunk(&self, lane: u64, chunk: Chunk, next: Option<&Chunk>) -> Result<()> {
        let path = chunk_path(lane, chunk.number);
        let mut reader = ChunkReader::open(&*self.env.files, &path, Some(chunk.bytes))?;
        let mut newest = chunk.first_sequence.saturating_sub(1);
        while let Some(frame) = reader.next_frame()? {
            newest = frame.header.sequence;
            for operation in Operations::new(frame.body) {
                operation.map_err(|what| Error::corrupt(&path, frame.offset, what))?;
            }
        }
        if reader.offset() != chunk.bytes {
            let what =
                format!("expected frames up to offset {}, found bytes that fail their checksum", chunk.bytes);
            return Err(Error::corrupt(&path, reader.offset(), what));
        }
        match next {
            Some(next) if newest + 1 != next.first_sequence => {
                let what =
                    format!("expected commits up to {}, found them up to {newest}", next.first_sequence - 1);
                Err(Error::corrupt(&path, chunk.bytes, what))
            }
            _ => Ok(()),
        }
    }
}
