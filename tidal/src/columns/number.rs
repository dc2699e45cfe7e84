//! Numbers by row.

use roaring::RoaringBitmap;

use super::bits::{Bits, bitmap_of_words};

/// An array of numbers and who has one. Rows without one hold the default, so that a comparison need not branch on them;
/// what it says about them is masked out.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers<T> {
    numbers: Vec<T>,
    present: Bits,
}

impl<T: Copy + Default + PartialOrd> Numbers<T> {
    pub(super) fn set(&mut self, row: u32, number: T) {
        let at = row as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, T::default());
        }
        self.numbers[at] = number;
        self.present.set(row);
    }

    pub(super) fn clear(&mut self, row: u32) {
        if let Some(number) = self.numbers.get_mut(row as usize) {
            *number = T::default();
            self.present.clear(row);
        }
    }

    pub(super) fn get(&self, row: u32) -> Option<T> {
        self.present.contains(row).then(|| self.numbers[row as usize])
    }

    pub(super) fn present(&self) -> &Bits {
        &self.present
    }

    /// Rows whose number lies in one of the ranges: both ends included, sorted, disjoint.
    pub(super) fn rows_in(&self, ranges: &[(T, T)]) -> RoaringBitmap {
        match ranges {
            [] => RoaringBitmap::new(),
            [(low, high)] => self.rows_that(|number| (*low <= number) & (number <= *high)),
            ranges => self.rows_that(|number| in_ranges(ranges, number)),
        }
    }

    fn rows_that(&self, test: impl Fn(T) -> bool) -> RoaringBitmap {
        let words = self.numbers.chunks(64).zip(self.present.words()).map(|(numbers, present)| {
            let matches = numbers
                .iter()
                .enumerate()
                .fold(0, |word, (at, &number)| word | u64::from(test(number)) << at);
            matches & present
        });
        bitmap_of_words(words)
    }

    pub(super) fn check_invariants(&self) -> Result<(), String> {
        match self.present.words().len() == self.numbers.len().div_ceil(64) {
            true => Ok(()),
            false => Err(format!(
                "{} numbers, {} words of presence",
                self.numbers.len(),
                self.present.words().len()
            )),
        }
    }
}

/// Whether a number lies in one of the ranges: both ends included, sorted, disjoint.
pub(crate) fn in_ranges<T: Copy + PartialOrd>(ranges: &[(T, T)], number: T) -> bool {
    let at = ranges.partition_point(|(_, high)| *high < number);
    ranges.get(at).is_some_and(|(low, _)| *low <= number)
}
