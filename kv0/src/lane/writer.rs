//! Appending to a lane.

use std::ops::Range;
use std::sync::Arc;

use kv0_env::{File, FileSystem, Random};

use super::format::{CHUNK_HEADER_BYTES, ChunkHeader, FRAME_HEADER_BYTES, FrameHeader, FrameKind};
use super::synced_file::SyncedFile;
use super::{chunk_path, directory};
use crate::error::{Error, Result};
use crate::files::{draft_path, write_draft};

/// Bytes that are read and written at a time when a tail is written again.
const COPY_BYTES: usize = 256 << 10;

/// Appends frames to the last chunk of a lane and begins new chunks.
///
/// What holds between calls: the chunk is valid up to `bytes`, and the file ends there. A failed append restores that,
/// or else the writer is broken and refuses everything from then on.
#[derive(Debug)]
pub(crate) struct LaneWriter {
    files: Arc<dyn FileSystem>,
    random: Arc<dyn Random>,
    path: String,
    file: Arc<SyncedFile>,
    header: ChunkHeader,
    incarnation: u32,
    bytes: u64,
    durable_bytes: u64,
    broken: bool,
}

/// Where a recovered chunk ends, for the writer that goes on there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) header: ChunkHeader,
    pub(crate) incarnation: u32,
    pub(crate) bytes: u64,
    /// The last frame says that the chunk was durable up to here.
    pub(crate) durable_bytes: u64,
}

impl LaneWriter {
    /// Begins a lane with its first chunk, number 1.
    pub(crate) fn create(
        files: Arc<dyn FileSystem>,
        random: Arc<dyn Random>,
        lane: u64,
        first_sequence: u64,
    ) -> Result<LaneWriter> {
        let dir = directory(lane);
        files.create_dir_all(&dir).map_err(|error| Error::io("create", &dir, error))?;
        for parent in ["", "lanes"] {
            files.sync_dir(parent).map_err(|error| Error::io("sync the directory", parent, error))?;
        }
        let header =
            ChunkHeader { lane, number: 1, nonce: random.next_u64(), first_sequence, previous_bytes: 0 };
        let draft = write_draft(&*files, &chunk_path(lane, 1), &header.encode())?;
        let (path, file) = publish_chunk(&*files, &header, draft)?;
        let bytes = CHUNK_HEADER_BYTES as u64;
        Ok(LaneWriter {
            files,
            random,
            path,
            file,
            header,
            incarnation: 1,
            bytes,
            durable_bytes: bytes,
            broken: false,
        })
    }

    /// Goes on at the end of a chunk. What lies behind the end is cut off for good, and what lies before it is made
    /// durable, so that nothing that recovery showed can be lost and nothing that it cut can come back.
    ///
    /// A sync alone would not do: if the last process ended after a failed one, the system has forgotten what was dirty.
    /// So what is not known to be durable is written again. The name of the chunk may be new, too.
    pub(crate) fn resume(
        files: Arc<dyn FileSystem>,
        random: Arc<dyn Random>,
        tail: Tail,
    ) -> Result<LaneWriter> {
        let path = chunk_path(tail.header.lane, tail.header.number);
        let file = files.open_write(&path).map_err(|error| Error::io("open", &path, error))?;
        let size = file.size().map_err(|error| Error::io("read the size of", &path, error))?;
        if size > tail.bytes {
            file.set_size(tail.bytes).map_err(|error| Error::io("cut the torn tail of", &path, error))?;
        }
        write_again(&*file, &path, tail.durable_bytes..tail.bytes)?;
        file.sync().map_err(|error| Error::io("sync", &path, error))?;
        let dir = directory(tail.header.lane);
        files.sync_dir(&dir).map_err(|error| Error::io("sync the directory", &dir, error))?;
        Ok(LaneWriter {
            files,
            random,
            path,
            file: Arc::new(SyncedFile::new(file)),
            header: tail.header,
            incarnation: tail.incarnation + 1,
            bytes: tail.bytes,
            durable_bytes: tail.bytes,
            broken: false,
        })
    }

    /// Appends a commit. `frame` begins with room for the header. On an error nothing was appended, unless
    /// [`LaneWriter::is_broken`] says that this could not be made sure.
    pub(crate) fn append(&mut self, sequence: u64, frame: &mut [u8]) -> Result<()> {
        self.append_frame(FrameKind::Commit, sequence, frame)
    }

    /// Appends the statement that everything before it is durable.
    pub(crate) fn append_marker(&mut self, sequence: u64) -> Result<()> {
        assert_eq!(self.durable_bytes, self.bytes, "a marker comes after a sync");
        self.append_frame(FrameKind::Marker, sequence, &mut [0; FRAME_HEADER_BYTES])
    }

    fn append_frame(&mut self, kind: FrameKind, sequence: u64, frame: &mut [u8]) -> Result<()> {
        if self.broken {
            return Err(self.broken_error());
        }
        let frame_bytes = u32::try_from(frame.len()).expect("the batch was checked against its limit");
        let incarnation = self.incarnation;
        let header =
            FrameHeader { frame_bytes, kind, incarnation, sequence, durable_bytes: self.durable_bytes };
        header.seal(frame, self.header.nonce, self.bytes);
        if let Err(error) = self.file.write_at(frame, self.bytes) {
            // The cut is synced: a frame that failed must not come back in the place of the next one.
            self.broken = self.file.set_size(self.bytes).and_then(|()| self.file.sync()).is_err();
            return Err(Error::io("append to", &self.path, error));
        }
        self.bytes += u64::from(frame_bytes);
        Ok(())
    }

    /// Syncs the chunk and begins the next one. The order keeps the log without holes: a chunk exists only when all
    /// before it is durable. On an error the old chunk goes on, unless the writer is broken.
    pub(crate) fn rotate(&mut self, first_sequence: u64) -> Result<()> {
        if self.broken {
            return Err(self.broken_error());
        }
        self.sync()?;
        let header = ChunkHeader {
            number: self.header.number + 1,
            nonce: self.random.next_u64(),
            first_sequence,
            previous_bytes: self.bytes,
            ..self.header
        };
        let draft = write_draft(&*self.files, &chunk_path(header.lane, header.number), &header.encode())?;
        // From here on the new chunk may be there, or come back after a power cut, so this one must not grow any more.
        let (path, file) = publish_chunk(&*self.files, &header, draft).inspect_err(|_| self.broken = true)?;
        (self.path, self.file, self.header) = (path, file, header);
        (self.bytes, self.durable_bytes) = (CHUNK_HEADER_BYTES as u64, CHUNK_HEADER_BYTES as u64);
        Ok(())
    }

    /// Makes everything appended so far durable. After a failure the writer is broken.
    pub(crate) fn sync(&mut self) -> Result<()> {
        if self.durable_bytes == self.bytes {
            return Ok(());
        }
        if let Err(error) = self.file.sync() {
            self.broken = true;
            return Err(Error::io("sync", &self.path, error));
        }
        self.durable_bytes = self.bytes;
        Ok(())
    }

    /// The file to sync for what was appended so far, for a caller that does so without holding the writer.
    pub(crate) fn sync_target(&self) -> (Arc<SyncedFile>, u64, u64) {
        (Arc::clone(&self.file), self.header.number, self.bytes)
    }

    /// Takes note that a chunk was synced up to `bytes`.
    pub(crate) fn note_synced(&mut self, number: u64, bytes: u64) {
        if number == self.header.number {
            self.durable_bytes = self.durable_bytes.max(bytes);
        }
    }

    /// Refuses everything from now on.
    pub(crate) fn break_off(&mut self) {
        self.broken = true;
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// Size of the current chunk.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn broken_error(&self) -> Error {
        let what =
            format!("the log {} failed before and takes no more commits: reopen the database", self.path);
        Error::new(crate::ErrorKind::Unavailable, what)
    }
}

fn publish_chunk(
    files: &dyn FileSystem,
    header: &ChunkHeader,
    draft: Arc<dyn File>,
) -> Result<(String, Arc<SyncedFile>)> {
    let path = chunk_path(header.lane, header.number);
    files.rename(&draft_path(&path), &path).map_err(|error| Error::io("rename to its name", &path, error))?;
    let dir = directory(header.lane);
    files.sync_dir(&dir).map_err(|error| Error::io("sync the directory", &dir, error))?;
    Ok((path, Arc::new(SyncedFile::new(draft))))
}

/// Writes a part of a file with what it holds, so that the next sync has to write it.
fn write_again(file: &dyn File, path: &str, mut part: Range<u64>) -> Result<()> {
    let mut buffer = vec![0; COPY_BYTES];
    while !part.is_empty() {
        let count = usize::try_from(part.end - part.start).unwrap_or(usize::MAX).min(COPY_BYTES);
        let piece = &mut buffer[..count];
        file.read_exact_at(piece, part.start).map_err(|error| Error::io("read", path, error))?;
        file.write_at(piece, part.start).map_err(|error| Error::io("write again", path, error))?;
        part.start += count as u64;
    }
    Ok(())
}
