//! A bit per row, in words of 64.

use roaring::RoaringBitmap;

/// Which rows have something. Reading a bit is an array access, unlike in a compressed bitmap.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
}

fn word_of(row: u32) -> usize {
    row as usize / 64
}

fn bit_of(row: u32) -> u64 {
    1 << (row % 64)
}

impl Bits {
    pub(super) fn set(&mut self, row: u32) {
        let at = word_of(row);
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= bit_of(row);
    }

    pub(super) fn clear(&mut self, row: u32) {
        if let Some(word) = self.words.get_mut(word_of(row)) {
            *word &= !bit_of(row);
        }
    }

    pub(super) fn contains(&self, row: u32) -> bool {
        self.words.get(word_of(row)).is_some_and(|word| word & bit_of(row) != 0)
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn to_bitmap(&self) -> RoaringBitmap {
        bitmap_of_words(self.words.iter().copied())
    }
}

/// The rows whose bits are set, the first word being rows 0 to 63.
pub(super) fn bitmap_of_words(words: impl ExactSizeIterator<Item = u64>) -> RoaringBitmap {
    let mut bytes = Vec::with_capacity(words.len() * 8);
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    // Rows are u32, so there are at most 2^29 bytes, and no row is out of the bitmap's range.
    RoaringBitmap::from_lsb0_bytes(0, &bytes)
}
