//! The Bloom filter: says for sure that a key is not in a segment, without a look at its blocks.
//!
//! Each key sets [`FILTER_PROBES`] bits in one piece of 64 bytes, so that a question costs one cache line.

use xxhash_rust::xxh3::xxh3_64;

use super::format::{FILTER_BITS_PER_KEY, FILTER_PIECE_BYTES, FILTER_PROBES};
use crate::encoding::Damage;

const PIECE_BITS: u32 = 9;
const _: () = assert!(1 << PIECE_BITS == FILTER_PIECE_BYTES * 8);
/// Spreads the lower half of the hash over the probes (the 32-bit golden ratio).
const STEP: u32 = 0x9e37_79b9;

/// The hash of a stored key.
pub(crate) fn hash(stored_key: &[u8]) -> u64 {
    xxh3_64(stored_key)
}

/// The body of a filter block for these hashes.
pub(crate) fn build(hashes: &[u64]) -> Vec<u8> {
    let pieces = (hashes.len() * FILTER_BITS_PER_KEY).div_ceil(FILTER_PIECE_BYTES * 8);
    let mut bits = vec![0; pieces * FILTER_PIECE_BYTES];
    for &hash in hashes {
        let piece = piece_of(&mut bits, hash);
        for (byte, mask) in probes(hash) {
            piece[byte] |= mask;
        }
    }
    bits
}

fn piece_of(bits: &mut [u8], hash: u64) -> &mut [u8] {
    let start = piece_start(bits.len(), hash);
    &mut bits[start..start + FILTER_PIECE_BYTES]
}

/// Start of the piece of a hash in a filter of so many bytes: the upper half of the hash, scaled to the pieces.
fn piece_start(filter_bytes: usize, hash: u64) -> usize {
    let pieces = (filter_bytes / FILTER_PIECE_BYTES) as u128;
    let piece = (u128::from(hash >> 32) * pieces) >> 32;
    usize::try_from(piece).expect("less than the number of pieces") * FILTER_PIECE_BYTES
}

/// Byte and mask of each bit of a hash in its piece.
fn probes(hash: u64) -> impl Iterator<Item = (usize, u8)> {
    let mut low = u32::try_from(hash & u64::from(u32::MAX)).expect("32 bits");
    (0..FILTER_PROBES).map(move |_| {
        let bit = low >> (u32::BITS - PIECE_BITS);
        low = low.wrapping_mul(STEP);
        ((bit / 8) as usize, 1 << (bit % 8))
    })
}

/// A filter as read from a file.
#[derive(Debug)]
pub(crate) struct Filter {
    bits: Vec<u8>,
}

impl Filter {
    pub(crate) fn decode(body: Vec<u8>) -> Result<Filter, Damage> {
        if !body.len().is_multiple_of(FILTER_PIECE_BYTES) {
            return Err(format!("filter of {} bytes, not a multiple of {FILTER_PIECE_BYTES}", body.len()));
        }
        Ok(Filter { bits: body })
    }

    /// `false` means that no key with this hash is in the segment.
    pub(crate) fn may_contain(&self, hash: u64) -> bool {
        if self.bits.is_empty() {
            return false;
        }
        let start = piece_start(self.bits.len(), hash);
        let piece = &self.bits[start..start + FILTER_PIECE_BYTES];
        probes(hash).all(|(byte, mask)| piece[byte] & mask != 0)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.bits.len()
    }
}

#[cfg(test)]
mod tests;
