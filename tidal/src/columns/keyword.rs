//! Keywords and tags by row, and the rows of each.

use std::collections::BTreeMap;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::bits::bitmap_of_words;

/// The different values of a field, each with a number and its rows. A value without rows is forgotten and its number
/// given to the next new one.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary {
    numbers: BTreeMap<Arc<str>, u32>,
    /// By number; `None` where the number is free.
    values: Vec<Option<Entry>>,
    free: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Entry {
    text: Arc<str>,
    rows: RoaringBitmap,
}

impl Dictionary {
    /// Adds a row to a value and says the value's number.
    fn add(&mut self, text: &str, row: u32) -> u32 {
        let number = match self.numbers.get(text) {
            Some(&number) => number,
            None => self.enter(text.into()),
        };
        if let Some(entry) = &mut self.values[number as usize] {
            entry.rows.insert(row);
        }
        number
    }

    fn enter(&mut self, text: Arc<str>) -> u32 {
        let entry = Some(Entry { text: text.clone(), rows: RoaringBitmap::new() });
        let number = match self.free.pop() {
            Some(number) => {
                self.values[number as usize] = entry;
                number
            }
            None => {
                self.values.push(entry);
                u32::try_from(self.values.len() - 1).expect("rows are u32, and a row has at most 1024 values")
            }
        };
        self.numbers.insert(text, number);
        number
    }

    fn remove(&mut self, number: u32, row: u32) {
        let place = &mut self.values[number as usize];
        let Some(entry) = place else { return };
        entry.rows.remove(row);
        if entry.rows.is_empty() {
            self.numbers.remove(&entry.text);
            *place = None;
            self.free.push(number);
        }
    }

    fn text(&self, number: u32) -> Option<&str> {
        self.values.get(number as usize)?.as_ref().map(|entry| &*entry.text)
    }

    /// The rows of a value.
    pub(super) fn rows(&self, text: &str) -> Option<&RoaringBitmap> {
        let number = *self.numbers.get(text)?;
        self.values[number as usize].as_ref().map(|entry| &entry.rows)
    }

    /// All values and their rows, by value.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.numbers.iter().filter_map(|(text, &number)| {
            self.values[number as usize].as_ref().map(|entry| (&**text, &entry.rows))
        })
    }

    /// Numbers in use and free ones.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.values.len()
    }

    /// `has` says whether a row has a value by the column; `pairs` is how many values all rows have.
    fn check(&self, pairs: u64, has: impl Fn(u32, u32) -> bool) -> Result<(), String> {
        if self.numbers.len() + self.free.len() != self.values.len() {
            return Err(format!(
                "{} values and {} free numbers of {}",
                self.numbers.len(),
                self.free.len(),
                self.values.len()
            ));
        }
        let mut seen = 0;
        for (text, &number) in &self.numbers {
            let Some(entry) = &self.values[number as usize] else {
                return Err(format!("{text:?} has the free number {number}"));
            };
            if entry.text != *text || entry.rows.is_empty() {
                return Err(format!(
                    "{text:?} has number {number} of {:?}, {} rows",
                    entry.text,
                    entry.rows.len()
                ));
            }
            if let Some(row) = entry.rows.iter().find(|&row| !has(row, number)) {
                return Err(format!("{text:?} lists row {row}, which does not have it"));
            }
            seen += entry.rows.len();
        }
        match seen == pairs {
            true => Ok(()),
            false => Err(format!("rows have {pairs} values, values have {seen} rows")),
        }
    }
}

/// One keyword a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Keywords {
    dictionary: Dictionary,
    /// The number of the keyword plus one; 0 where there is none.
    rows: Vec<u32>,
}

impl Keywords {
    pub(super) fn set(&mut self, row: u32, text: &str) {
        let at = row as usize;
        if self.rows.len() <= at {
            self.rows.resize(at + 1, 0);
        }
        if self.get(row) == Some(text) {
            return;
        }
        self.clear(row);
        self.rows[at] = self.dictionary.add(text, row) + 1;
    }

    pub(super) fn clear(&mut self, row: u32) {
        let Some(place) = self.rows.get_mut(row as usize) else {
            return;
        };
        if let Some(number) = std::mem::take(place).checked_sub(1) {
            self.dictionary.remove(number, row);
        }
    }

    pub(super) fn get(&self, row: u32) -> Option<&str> {
        let number = self.rows.get(row as usize)?.checked_sub(1)?;
        self.dictionary.text(number)
    }

    pub(super) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    pub(super) fn present(&self) -> RoaringBitmap {
        rows_that(&self.rows, |number| *number != 0)
    }

    pub(super) fn check_invariants(&self) -> Result<(), String> {
        let pairs = self.rows.iter().filter(|&&number| number != 0).count() as u64;
        self.dictionary.check(pairs, |row, number| self.rows.get(row as usize) == Some(&(number + 1)))
    }
}

/// The rows whose entry passes a test.
fn rows_that<T>(rows: &[T], test: impl Fn(&T) -> bool) -> RoaringBitmap {
    let word =
        |rows: &[T]| rows.iter().enumerate().fold(0, |word, (at, entry)| word | u64::from(test(entry)) << at);
    bitmap_of_words(rows.chunks(64).map(word))
}

/// Several keywords a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Tags {
    dictionary: Dictionary,
    /// Numbers of the tags, sorted, each once.
    rows: Vec<Box<[u32]>>,
}

impl Tags {
    pub(super) fn set(&mut self, row: u32, tags: &[String]) {
        let at = row as usize;
        if self.rows.len() <= at {
            self.rows.resize(at + 1, Box::default());
        }
        self.clear(row);
        let mut numbers: Vec<u32> = tags.iter().map(|tag| self.dictionary.add(tag, row)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        self.rows[at] = numbers.into();
    }

    pub(super) fn clear(&mut self, row: u32) {
        let Some(place) = self.rows.get_mut(row as usize) else {
            return;
        };
        for &number in &std::mem::take(place) {
            self.dictionary.remove(number, row);
        }
    }

    pub(super) fn get(&self, row: u32) -> impl Iterator<Item = &str> {
        let numbers: &[u32] = self.rows.get(row as usize).map_or(&[], |numbers| numbers);
        numbers.iter().filter_map(|&number| self.dictionary.text(number))
    }

    pub(super) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    pub(super) fn present(&self) -> RoaringBitmap {
        rows_that(&self.rows, |numbers| !numbers.is_empty())
    }

    pub(super) fn check_invariants(&self) -> Result<(), String> {
        let pairs = self.rows.iter().map(|numbers| numbers.len() as u64).sum();
        let has = |row: u32, number: u32| {
            self.rows.get(row as usize).is_some_and(|numbers| numbers.binary_search(&number).is_ok())
        };
        self.dictionary.check(pairs, has)
    }
}
