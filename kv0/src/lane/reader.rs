//! Reading a chunk.
//!
//! A frame counts only if everything before it does:
//! 1. its header is well-formed and the frame ends within the readable part of the chunk;
//! 2. its incarnation is not below, and its sequence above, the frame's before (a marker repeats the sequence);
//! 3. its checksum is right for this chunk and this offset.
//!
//! The first place where that fails is the end of the log, if nothing says that more had been safe; see
//! [`ChunkReader::classify_end`].

use std::sync::Arc;

use kv0_env::{File, FileSystem};

use super::format::{self, CHUNK_HEADER_BYTES, ChunkHeader, FRAME_HEADER_BYTES, FrameHeader, FrameKind};
use crate::error::{Error, Result};

/// Bytes read from the file at a time.
const WINDOW_BYTES: usize = 256 << 10;

/// Reads the frames of one chunk in order.
#[derive(Debug)]
pub(crate) struct ChunkReader {
    path: String,
    file: Arc<dyn File>,
    header: ChunkHeader,
    /// Where the next frame begins.
    offset: u64,
    /// Bytes of the file that may be read: the final size of a sealed chunk, what was published of a live one.
    limit: u64,
    incarnation: u32,
    sequence: u64,
    durable_bytes: u64,
    window: Vec<u8>,
    window_offset: u64,
}

/// A frame, with its body borrowed from the reader.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) header: FrameHeader,
    pub(crate) offset: u64,
    pub(crate) body: &'a [u8],
}

impl ChunkReader {
    /// Opens a chunk and reads its header. `limit` as in [`ChunkReader::set_limit`]; `None` is the size of the file.
    pub(crate) fn open(files: &dyn FileSystem, path: &str, limit: Option<u64>) -> Result<ChunkReader> {
        let file = files.open_read(path).map_err(|error| Error::io("open", path, error))?;
        let size = file.size().map_err(|error| Error::io("read the size of", path, error))?;
        let mut bytes = [0; CHUNK_HEADER_BYTES];
        file.read_exact_at(&mut bytes, 0).map_err(|error| Error::io("read the header of", path, error))?;
        let header = ChunkHeader::decode(&bytes, path)?;
        Ok(ChunkReader {
            path: path.to_owned(),
            file,
            header,
            offset: CHUNK_HEADER_BYTES as u64,
            limit: limit.unwrap_or(size),
            incarnation: 0,
            sequence: 0,
            durable_bytes: CHUNK_HEADER_BYTES as u64,
            window: Vec::new(),
            window_offset: 0,
        })
    }

    pub(crate) fn header(&self) -> &ChunkHeader {
        &self.header
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Where the next frame begins; after the last one, where the valid part ends.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Incarnation of the last frame, 0 before the first.
    pub(crate) fn incarnation(&self) -> u32 {
        self.incarnation
    }

    /// Up to where the frames so far say that the chunk was durable.
    pub(crate) fn durable_bytes(&self) -> u64 {
        self.durable_bytes
    }

    /// Says that the chunk may be read up to here now.
    pub(crate) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// The next frame, or `None` where the valid part ends. Says nothing about why it ends there.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Frame<'_>>> {
        if !self.fill(FRAME_HEADER_BYTES)? {
            return Ok(None);
        }
        let Some(header) = FrameHeader::decode(self.bytes(FRAME_HEADER_BYTES)) else {
            return self.refuse_newer_frame().map(|()| None);
        };
        if !self.follows(&header) || !self.fill(header.frame_bytes as usize)? {
            return Ok(None);
        }
        let offset = self.offset;
        if !format::frame_is_sound(self.bytes(header.frame_bytes as usize), self.header.nonce, offset) {
            return Ok(None);
        }
        self.offset += u64::from(header.frame_bytes);
        self.incarnation = header.incarnation;
        self.sequence = header.sequence;
        self.durable_bytes = self.durable_bytes.max(header.durable_bytes);
        let start = usize::try_from(offset - self.window_offset).expect("the window is in memory");
        let body = &self.window[start + FRAME_HEADER_BYTES..start + header.frame_bytes as usize];
        Ok(Some(Frame { header, offset, body }))
    }

    /// A frame that this build does not understand, but whose checksum is right, is no torn tail that may be cut.
    fn refuse_newer_frame(&mut self) -> Result<()> {
        let Some(length) = format::length_of_unknown(self.bytes(FRAME_HEADER_BYTES)) else { return Ok(()) };
        if !self.fill(length)? || !format::frame_is_sound(self.bytes(length), self.header.nonce, self.offset)
        {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{}, offset {}: a frame of kind {}, which this build does not know: use a newer build",
            self.path,
            self.offset,
            self.bytes(FRAME_HEADER_BYTES)[8]
        )))
    }

    /// Whether a header can come next.
    fn follows(&self, header: &FrameHeader) -> bool {
        let in_order = match header.kind {
            FrameKind::Commit => {
                header.sequence > self.sequence && header.sequence >= self.header.first_sequence
            }
            FrameKind::Marker => header.sequence >= self.sequence,
        };
        in_order && header.incarnation >= self.incarnation && header.durable_bytes <= self.offset
    }

    /// Called where [`ChunkReader::next_frame`] found the end of the valid part of the last chunk of a lane: is it a
    /// torn tail, which is cut, or damage to what had been safe?
    ///
    /// Every frame says up to where the chunk was durable when it was written. If a sound frame further on says so of
    /// a place behind this one, then bytes were lost that had been durable.
    ///
    /// # Errors
    /// `Corrupt`, naming the place, if it is damage.
    pub(crate) fn classify_end(&self) -> Result<()> {
        let length = usize::try_from(self.limit.saturating_sub(self.offset))
            .map_err(|_| Error::corrupt(&self.path, self.offset, "the chunk is too large to be one"))?;
        let mut rest = vec![0; length];
        let read = self.file.read_at(&mut rest, self.offset).map_err(|error| self.read_error(error))?;
        rest.truncate(read);
        for at in 1..rest.len().saturating_sub(FRAME_HEADER_BYTES - 1) {
            let Some(header) = FrameHeader::decode(&rest[at..]) else { continue };
            let offset = self.offset + at as u64;
            let claims_more = header.durable_bytes > self.offset && header.durable_bytes <= offset;
            if !claims_more || header.sequence < self.sequence {
                continue;
            }
            let Some(frame) = rest.get(at..at + header.frame_bytes as usize) else { continue };
            if format::frame_is_sound(frame, self.header.nonce, offset) {
                let what = format!(
                    "a damaged frame: expected the commit after number {}, found bytes that fail their checksum, \
                     while the frame at offset {offset} says that the log was safe up to offset {}",
                    self.sequence, header.durable_bytes
                );
                return Err(Error::corrupt(&self.path, self.offset, what));
            }
        }
        Ok(())
    }

    /// Makes the next `count` bytes of the chunk available in the window; false if the readable part ends before.
    fn fill(&mut self, count: usize) -> Result<bool> {
        let end = self.offset + count as u64;
        if end > self.limit {
            return Ok(false);
        }
        let window_end = self.window_offset + self.window.len() as u64;
        if self.offset >= self.window_offset && end <= window_end {
            return Ok(true);
        }
        // A large length is believed only if the file is that long.
        if count > WINDOW_BYTES && end > self.file.size().map_err(|error| self.read_error(error))? {
            return Ok(false);
        }
        let available = usize::try_from(self.limit - self.offset).unwrap_or(usize::MAX);
        let wanted = count.max(WINDOW_BYTES).min(available);
        self.window.clear();
        // One large commit must not cost its memory for as long as the reader lives.
        self.window.shrink_to(wanted.max(WINDOW_BYTES));
        self.window.resize(wanted, 0);
        self.window_offset = self.offset;
        let read = self.file.read_at(&mut self.window, self.offset).map_err(|error| self.read_error(error));
        let read = read.inspect_err(|_| self.window.clear())?;
        self.window.truncate(read);
        Ok(read >= count)
    }

    fn bytes(&self, count: usize) -> &[u8] {
        let start = usize::try_from(self.offset - self.window_offset).expect("the window is in memory");
        &self.window[start..start + count]
    }

    fn read_error(&self, error: std::io::Error) -> Error {
        Error::io(&format!("read at offset {} of", self.offset), &self.path, error)
    }
}
