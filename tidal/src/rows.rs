//! From rows to places, where few rows have one.

/// A map from rows to places: pages of 4,096 rows, of which only those with a place exist.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowMap {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    len: usize,
}

const PAGE: usize = 4_096;
const NONE: u32 = u32::MAX;

impl RowMap {
    pub(crate) fn get(&self, row: u32) -> Option<usize> {
        let page = self.pages.get(row as usize / PAGE)?.as_ref()?;
        let place = page[row as usize % PAGE];
        (place != NONE).then_some(place as usize)
    }

    /// `place` is below 2^32 - 1.
    pub(crate) fn set(&mut self, row: u32, place: usize) {
        let number = row as usize / PAGE;
        if self.pages.len() <= number {
            self.pages.resize(number + 1, None);
        }
        let page = self.pages[number].get_or_insert_with(|| Box::new([NONE; PAGE]));
        let entry = &mut page[row as usize % PAGE];
        self.len += usize::from(*entry == NONE);
        *entry = u32::try_from(place).expect("there are no more places than rows");
    }

    pub(crate) fn clear(&mut self, row: u32) {
        if let Some(Some(page)) = self.pages.get_mut(row as usize / PAGE) {
            let entry = &mut page[row as usize % PAGE];
            self.len -= usize::from(*entry != NONE);
            *entry = NONE;
        }
    }

    /// How many rows have a place.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let pages = self.pages.iter().flatten().count();
        self.pages.capacity() * size_of::<Option<Box<[u32; PAGE]>>>() + pages * PAGE * size_of::<u32>()
    }
}
