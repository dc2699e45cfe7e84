//! Removing what is no longer needed: chunks of the log, and what a crash left behind.

use std::collections::BTreeSet;

use crate::engine::{Chunk, Engine};
use crate::error::{Error, Result};
use crate::files::DRAFT_SUFFIX;
use crate::lane::{self, ChunkReader, body::Operation, body::Operations};
use crate::manifest::{Manifest, ManifestStore, is_stale};
use crate::segment::segment_number;

impl Engine {
    /// Removes the oldest chunks as long as all of their keys are in segments, none of their stream records is kept, and
    /// the rest of the log is still as large as it should be. The manifest goes first: a chunk that it names exists.
    pub(crate) fn collect_chunks(&self, manifest: &mut ManifestStore) -> Result<()> {
        let lane = manifest.manifest().lanes[0];
        let chunks = self.log.lock().chunks.clone();
        let mut kept_bytes: u64 = chunks.iter().map(|chunk| chunk.bytes).sum();
        let mut doomed = Vec::new();
        for pair in chunks.windows(2) {
            let (chunk, next) = (pair[0], pair[1]);
            let is_flushed = next.first_sequence <= lane.flushed + 1;
            let is_spare = kept_bytes - chunk.bytes >= self.options.changes_retention_bytes;
            if !is_flushed || !is_spare || self.holds_records(lane.id, chunk, manifest.manifest())? {
                break;
            }
            kept_bytes -= chunk.bytes;
            doomed.push((chunk, next.first_sequence - 1));
        }
        let Some(&(last, trimmed)) = doomed.last() else { return Ok(()) };
        manifest.replace(|next| {
            next.lanes[0].first_chunk = last.number + 1;
            next.trimmed = trimmed;
        })?;
        self.trimmed.store(trimmed, std::sync::atomic::Ordering::Release);
        self.log.lock().chunks.retain(|chunk| chunk.number > last.number);
        for (chunk, _) in doomed {
            let path = lane::chunk_path(lane.id, chunk.number);
            self.env.files.remove(&path).map_err(|error| Error::io("remove", &path, error))?;
        }
        Ok(())
    }

    /// Whether a chunk holds a record of a stream that was not trimmed.
    fn holds_records(&self, lane: u64, chunk: Chunk, manifest: &Manifest) -> Result<bool> {
        if manifest.streams.is_empty() {
            return Ok(false);
        }
        let path = lane::chunk_path(lane, chunk.number);
        let mut reader = ChunkReader::open(&*self.env.files, &path, Some(chunk.bytes))?;
        while let Some(frame) = reader.next_frame()? {
            for operation in Operations::new(frame.body) {
                let operation = operation.map_err(|what| Error::corrupt(&path, frame.offset, what))?;
                let Operation::Append { stream, .. } = operation else { continue };
                let trimmed = manifest.streams.get(&stream.0).map_or(0, |state| state.trimmed);
                if frame.header.sequence > trimmed {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Removes what a crash or a failed step left: files that the manifest does not name. Called when the database was
    /// opened for writing, before anything can be under way.
    pub(crate) fn remove_leftovers(&self, manifest: &Manifest) -> Result<()> {
        let segments: BTreeSet<u64> = manifest.segments.iter().map(|segment| segment.info.id).collect();
        self.remove_from("", |name| is_stale(name, manifest.number))?;
        self.remove_from("segments", |name| segment_number(name).is_some_and(|id| !segments.contains(&id)))?;
        for lane in &manifest.lanes {
            self.remove_from(&lane::directory(lane.id), |name| {
                name.strip_suffix(DRAFT_SUFFIX).is_some_and(|name| lane::chunk_number(name).is_some())
                    || lane::chunk_number(name).is_some_and(|number| number < lane.first_chunk)
            })?;
        }
        Ok(())
    }

    fn remove_from(&self, dir: &str, is_left_over: impl Fn(&str) -> bool) -> Result<()> {
        let files = &*self.env.files;
        let entries = match files.list(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("list", dir, error)),
        };
        for entry in entries.iter().filter(|entry| !entry.is_dir && is_left_over(&entry.name)) {
            let path = if dir.is_empty() { entry.name.clone() } else { format!("{dir}/{}", entry.name) };
            files.remove(&path).map_err(|error| Error::io("remove", &path, error))?;
        }
        Ok(())
    }
}
