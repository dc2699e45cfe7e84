//! The bytes of a segment file. Described in `docs/format/segment.md`; a test holds the two together.

use crate::encoding::{Damage, Input};
use crate::entry::KeyspaceId;
use crate::limits;

/// First bytes of the file, and last ones.
pub(crate) const MAGIC: [u8; 8] = *b"kv0segm\n";
/// The version that is written, and the newest that is read.
pub(crate) const FORMAT_VERSION: u32 = 1;
/// Magic, format version, checksum. The same in every version.
pub(crate) const HEADER_BYTES: usize = 16;
/// What stands before the body of each block.
pub(crate) const FRAME_BYTES: usize = 18;
/// Size of the footer and place of its version, checksum and magic: the same in every version.
pub(crate) const FOOTER_BYTES: usize = 96;
const FOOTER_VERSION_AT: usize = 80;
const FOOTER_CHECKSUM_AT: usize = 84;
/// Entries from one restart point of a block to the next.
pub(crate) const RESTART_INTERVAL: usize = 16;
/// Bits of the filter per key.
pub(crate) const FILTER_BITS_PER_KEY: usize = 10;
/// Bits of the filter that each key sets.
pub(crate) const FILTER_PROBES: u32 = 7;
/// The filter is made of pieces of this size; the bits of one key lie in one piece.
pub(crate) const FILTER_PIECE_BYTES: usize = 64;
/// A data block is stored compressed if that takes at most this part of its raw size; other blocks never are.
pub(crate) const COMPRESSED_AT_MOST_PERCENT: usize = 88;
/// Larger data blocks (one large value) are not compressed.
pub(crate) const COMPRESSION_LIMIT_BYTES: usize = 64 << 20;
/// LZ4 cannot make more of a byte than this. Bounds what is allocated for a block by what the file really holds.
pub(crate) const LZ4_MAX_RATIO: usize = 255;
/// Levels of the index that this version has.
pub(crate) const INDEX_LEVELS: u8 = 1;
/// A stored key is the number of the keyspace, big-endian, and the key.
pub(crate) const KEYSPACE_BYTES: usize = 4;
pub(crate) const MAX_STORED_KEY_BYTES: usize = KEYSPACE_BYTES + limits::MAX_KEY_BYTES;

const COMPRESSION_NONE: u8 = 0;
const COMPRESSION_LZ4: u8 = 1;

/// What a block holds. The numbers are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BlockType {
    Data = 1,
    Filter = 2,
    Index = 3,
    RangeTombstones = 4,
    Statistics = 5,
}

/// Where a block lies: the offset of its frame, and its length with the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BlockHandle {
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

impl BlockHandle {
    pub(crate) const BYTES: usize = 12;

    pub(crate) fn encode(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<BlockHandle, Damage> {
        let mut input = Input::new(bytes);
        let handle = BlockHandle { offset: input.u64()?, length: input.u32()? };
        input.end()?;
        Ok(handle)
    }

    pub(crate) fn end(self) -> Option<u64> {
        self.offset.checked_add(u64::from(self.length))
    }
}

/// The first bytes of the file.
pub(crate) fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..12]);
    bytes[12..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Why bytes that should be ours are not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Damage(Damage),
    /// Sound, but written by a newer version of this program, in this version of the format.
    Newer(u32),
}

impl From<Damage> for Refusal {
    fn from(damage: Damage) -> Refusal {
        Refusal::Damage(damage)
    }
}

pub(crate) fn check_header(bytes: &[u8; HEADER_BYTES]) -> Result<(), Refusal> {
    check_sealed(bytes, 12, 8, 0)
}

/// Checks magic, checksum (over everything before it) and version, at their places.
fn check_sealed(bytes: &[u8], checksum_at: usize, version_at: usize, magic_at: usize) -> Result<(), Refusal> {
    let magic = &bytes[magic_at..magic_at + MAGIC.len()];
    if magic != MAGIC {
        return Err(Refusal::Damage(format!(
            "not a segment: expected magic {MAGIC:02x?}, found {magic:02x?}"
        )));
    }
    let u32_at = |at| Input::new(&bytes[at..]).u32();
    check_checksum(u32_at(checksum_at)?, crc32fast::hash(&bytes[..checksum_at]))?;
    match u32_at(version_at)? {
        FORMAT_VERSION => Ok(()),
        0 => Err(Refusal::Damage("format version 0".into())),
        newer => Err(Refusal::Newer(newer)),
    }
}

fn check_checksum(stored: u32, computed: u32) -> Result<(), Damage> {
    if stored == computed {
        return Ok(());
    }
    Err(format!("checksum is {computed:08x}, expected {stored:08x}"))
}

/// The end of the file: where everything is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) filter: BlockHandle,
    pub(crate) index: BlockHandle,
    pub(crate) range_tombstones: BlockHandle,
    pub(crate) statistics: BlockHandle,
    pub(crate) levels: u8,
}

impl Footer {
    /// The bytes, and the checksum among them.
    pub(crate) fn encode(&self) -> ([u8; FOOTER_BYTES], u32) {
        let mut bytes = [0; FOOTER_BYTES];
        let handles = [self.filter, self.index, self.range_tombstones, self.statistics];
        for (place, handle) in bytes.chunks_exact_mut(BlockHandle::BYTES).zip(handles) {
            place.copy_from_slice(&handle.encode());
        }
        bytes[4 * BlockHandle::BYTES] = self.levels;
        bytes[FOOTER_VERSION_AT..FOOTER_CHECKSUM_AT].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..FOOTER_CHECKSUM_AT]);
        bytes[FOOTER_CHECKSUM_AT..FOOTER_CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
        bytes[FOOTER_BYTES - MAGIC.len()..].copy_from_slice(&MAGIC);
        (bytes, checksum)
    }

    /// The footer and its checksum.
    pub(crate) fn decode(bytes: &[u8; FOOTER_BYTES]) -> Result<(Footer, u32), Refusal> {
        check_sealed(bytes, FOOTER_CHECKSUM_AT, FOOTER_VERSION_AT, FOOTER_BYTES - MAGIC.len())?;
        let mut input = Input::new(bytes);
        let mut handle =
            || -> Result<BlockHandle, Damage> { BlockHandle::decode(input.bytes(BlockHandle::BYTES)?) };
        let footer = Footer {
            filter: handle()?,
            index: handle()?,
            range_tombstones: handle()?,
            statistics: handle()?,
            levels: bytes[4 * BlockHandle::BYTES],
        };
        if footer.levels != INDEX_LEVELS {
            return Err(Refusal::Damage(format!(
                "index of {} levels, expected {INDEX_LEVELS}",
                footer.levels
            )));
        }
        let checksum = Input::new(&bytes[FOOTER_CHECKSUM_AT..]).u32()?;
        Ok((footer, checksum))
    }
}

/// Appends a block to `out`, which continues the file at `offset`; `count` is the number of things in it. Returns its
/// length with the frame.
pub(crate) fn append_block(
    out: &mut Vec<u8>,
    offset: u64,
    block_type: BlockType,
    count: u32,
    raw: &[u8],
) -> u32 {
    let raw_length = u32::try_from(raw.len()).expect("a block holds one value of at most 2 GiB, or little");
    let start = out.len();
    out.resize(start + FRAME_BYTES, 0);
    let compression = append_body(out, raw, block_type == BlockType::Data);
    let stored_length = u32::try_from(out.len() - start - FRAME_BYTES).expect("not longer than the raw body");
    let frame = &mut out[start..start + FRAME_BYTES];
    frame[4..8].copy_from_slice(&stored_length.to_le_bytes());
    frame[8..12].copy_from_slice(&raw_length.to_le_bytes());
    frame[12..16].copy_from_slice(&count.to_le_bytes());
    frame[16] = block_type as u8;
    frame[17] = compression;
    let checksum = block_checksum(offset, &out[start..]);
    out[start..start + 4].copy_from_slice(&checksum.to_le_bytes());
    u32::try_from(out.len() - start).expect("raw length and a frame stay below 4 GiB")
}

fn append_body(out: &mut Vec<u8>, raw: &[u8], compress: bool) -> u8 {
    let start = out.len();
    if compress && raw.len() <= COMPRESSION_LIMIT_BYTES {
        out.resize(start + lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let length = lz4_flex::block::compress_into(raw, &mut out[start..])
            .expect("the room is what the compressor asked for");
        if length * 100 <= raw.len() * COMPRESSED_AT_MOST_PERCENT {
            out.truncate(start + length);
            return COMPRESSION_LZ4;
        }
        out.truncate(start);
    }
    out.extend_from_slice(raw);
    COMPRESSION_NONE
}

/// Over the offset too, so that a sound block in the wrong place is found out.
pub(super) fn block_checksum(offset: u64, block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(&block[4..]);
    hasher.finalize()
}

/// The raw body of the block that was read from `offset`, and its count.
pub(crate) fn open_block(
    mut block: Vec<u8>,
    offset: u64,
    expected: BlockType,
) -> Result<(Vec<u8>, u32), Damage> {
    let mut input = Input::new(&block);
    let checksum = input.u32()?;
    let (stored, raw, count) = (input.u32()? as usize, input.u32()? as usize, input.u32()?);
    let (block_type, compression) = (input.u8()?, input.u8()?);
    check_checksum(checksum, block_checksum(offset, &block))?;
    if block_type != expected as u8 {
        return Err(format!("block of type {block_type}, expected {}", expected as u8));
    }
    if stored != block.len() - FRAME_BYTES {
        return Err(format!("block of {stored} stored bytes in a place of {}", block.len() - FRAME_BYTES));
    }
    match compression {
        COMPRESSION_NONE if raw == stored => {
            block.drain(..FRAME_BYTES);
            Ok((block, count))
        }
        COMPRESSION_LZ4 if raw <= stored.saturating_mul(LZ4_MAX_RATIO) => {
            let mut body = vec![0; raw];
            let length = lz4_flex::block::decompress_into(&block[FRAME_BYTES..], &mut body)
                .map_err(|error| format!("cannot decompress: {error}"))?;
            if length != raw {
                return Err(format!("decompressed to {length} bytes, expected {raw}"));
            }
            Ok((body, count))
        }
        _ => Err(format!("compression {compression} of {raw} bytes to {stored}")),
    }
}

/// The bytes of a stored key.
pub(crate) fn stored_key(keyspace: KeyspaceId, key: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(KEYSPACE_BYTES + key.len());
    append_stored_key(&mut bytes, keyspace, key);
    bytes
}

pub(crate) fn append_stored_key(out: &mut Vec<u8>, keyspace: KeyspaceId, key: &[u8]) {
    out.extend_from_slice(&keyspace.0.to_be_bytes());
    out.extend_from_slice(key);
}

/// Keyspace and key of a stored key, or `None` if it is too short or too long to be one.
pub(crate) fn split_stored_key(stored: &[u8]) -> Option<(KeyspaceId, &[u8])> {
    let (keyspace, key) = stored.split_first_chunk::<KEYSPACE_BYTES>()?;
    (key.len() <= limits::MAX_KEY_BYTES).then_some((KeyspaceId(u32::from_be_bytes(*keyspace)), key))
}

#[cfg(test)]
mod tests;
