//! Headers of chunks and frames. Described in `docs/format/lane.md`; a test holds the two together.

use crate::error::{Error, Result};

/// First bytes of a chunk.
pub(crate) const CHUNK_MAGIC: [u8; 8] = *b"kv0lane\0";
/// Version of the chunk format that is written.
pub(crate) const CHUNK_VERSION: u32 = 1;
/// Bytes of a chunk header.
pub(crate) const CHUNK_HEADER_BYTES: usize = 64;
/// Bytes of a frame header.
pub(crate) const FRAME_HEADER_BYTES: usize = 32;
/// Largest frame: header and body.
pub(crate) const MAX_FRAME_BYTES: usize = FRAME_HEADER_BYTES + crate::limits::MAX_BATCH_BYTES;

/// What a frame holds. The numbers are on disk and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The operations of one commit.
    Commit = 1,
    /// Nothing but the statement that everything before it was synced; written at a clean close.
    Marker = 2,
}

impl FrameKind {
    fn from_byte(byte: u8) -> Option<FrameKind> {
        match byte {
            1 => Some(FrameKind::Commit),
            2 => Some(FrameKind::Marker),
            _ => None,
        }
    }
}

/// The first bytes of every chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkHeader {
    pub(crate) lane: u64,
    pub(crate) number: u64,
    /// Random; part of every checksum, so that a frame is valid in its own chunk only.
    pub(crate) nonce: u64,
    /// Every commit of the chunk has at least this version.
    pub(crate) first_sequence: u64,
    /// Final size of the chunk before this one; 0 for the first chunk of a lane.
    pub(crate) previous_bytes: u64,
}

impl ChunkHeader {
    pub(crate) fn encode(&self) -> [u8; CHUNK_HEADER_BYTES] {
        let mut bytes = [0; CHUNK_HEADER_BYTES];
        bytes[0..8].copy_from_slice(&CHUNK_MAGIC);
        bytes[8..12].copy_from_slice(&CHUNK_VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.lane.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.number.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.nonce.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.first_sequence.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.previous_bytes.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..60]);
        bytes[60..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header; `file` is named in errors.
    pub(crate) fn decode(bytes: &[u8; CHUNK_HEADER_BYTES], file: &str) -> Result<ChunkHeader> {
        if bytes[0..8] != CHUNK_MAGIC {
            return Err(Error::corrupt(file, 0, "this is not a log chunk: its first bytes are wrong"));
        }
        let expected = u32_at(bytes, 60);
        let found = crc32fast::hash(&bytes[..60]);
        if expected != found {
            let what = format!("checksum of the chunk header: expected {expected:08x}, found {found:08x}");
            return Err(Error::corrupt(file, 60, what));
        }
        let version = u32_at(bytes, 8);
        if version != CHUNK_VERSION {
            return Err(Error::invalid(format!(
                "{file} has format version {version}; this build reads version {CHUNK_VERSION}: use a newer build"
            )));
        }
        Ok(ChunkHeader {
            lane: u64_at(bytes, 16),
            number: u64_at(bytes, 24),
            nonce: u64_at(bytes, 32),
            first_sequence: u64_at(bytes, 40),
            previous_bytes: u64_at(bytes, 48),
        })
    }
}

/// The first bytes of every frame, without the checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    /// Header and body.
    pub(crate) frame_bytes: u32,
    pub(crate) kind: FrameKind,
    /// Grows by one whenever a process takes the chunk over to append to it.
    pub(crate) incarnation: u32,
    /// Version of the commit; for a marker, of the newest commit before it.
    pub(crate) sequence: u64,
    /// The chunk was durable up to here when the frame was written.
    pub(crate) durable_bytes: u64,
}

impl FrameHeader {
    /// Fills in the first bytes of `frame`, which holds room for the header and then the body, for a place in a chunk.
    pub(crate) fn seal(&self, frame: &mut [u8], nonce: u64, offset: u64) {
        assert_eq!(frame.len(), self.frame_bytes as usize, "the frame must be as long as its header says");
        frame[0..4].copy_from_slice(&self.frame_bytes.to_le_bytes());
        frame[8] = self.kind as u8;
        frame[9..12].fill(0);
        frame[12..16].copy_from_slice(&self.incarnation.to_le_bytes());
        frame[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        frame[24..32].copy_from_slice(&self.durable_bytes.to_le_bytes());
        let checksum = frame_checksum(frame, nonce, offset);
        frame[4..8].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Reads a header without looking at the checksum; `None` if it cannot be one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<FrameHeader> {
        let bytes = bytes.get(..FRAME_HEADER_BYTES)?;
        let frame_bytes = u32_at(bytes, 0);
        let fits = (FRAME_HEADER_BYTES..=MAX_FRAME_BYTES).contains(&(frame_bytes as usize));
        if !fits || bytes[9..12] != [0; 3] {
            return None;
        }
        Some(FrameHeader {
            frame_bytes,
            kind: FrameKind::from_byte(bytes[8])?,
            incarnation: u32_at(bytes, 12),
            sequence: u64_at(bytes, 16),
            durable_bytes: u64_at(bytes, 24),
        })
    }
}

/// The length of a frame that [`FrameHeader::decode`] does not understand, if it can be one of a newer build.
pub(crate) fn length_of_unknown(bytes: &[u8]) -> Option<usize> {
    let frame_bytes = u32_at(bytes.get(..FRAME_HEADER_BYTES)?, 0) as usize;
    (FRAME_HEADER_BYTES..=MAX_FRAME_BYTES).contains(&frame_bytes).then_some(frame_bytes)
}

/// Whether the stored checksum of a frame is right for this place in this chunk.
pub(crate) fn frame_is_sound(frame: &[u8], nonce: u64, offset: u64) -> bool {
    u32_at(frame, 4) == frame_checksum(frame, nonce, offset)
}

fn frame_checksum(frame: &[u8], nonce: u64, offset: u64) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&nonce.to_le_bytes());
    hasher.update(&offset.to_le_bytes());
    hasher.update(&frame[0..4]);
    hasher.update(&frame[8..]);
    hasher.finalize()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
