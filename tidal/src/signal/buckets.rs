//! The window buckets of one cell: sparse, sorted, pruned by the newest event.
//!
//! 1. One vector holds three sections, days then hours then minutes, each with the oldest bucket first and only buckets
//!    that have events.
//! 2. A bucket is known by the low 16 bits of its number. Within a section all numbers lie within 365 of the newest, so
//!    the whole number follows from the newest event's.
//! 3. While every weight is 1 and no bucket counts beyond 65,535, a bucket takes 4 bytes; then all take 16.
//! 4. When the newest event moves on, buckets beyond the longest window are dropped. So what is held depends on which
//!    events there were, never on their order.

use super::window::Resolution;

/// Buckets of all resolutions.
#[derive(Debug, Clone)]
pub(crate) struct Buckets {
    form: Form,
    hours: u8,
    minutes: u8,
}

#[derive(Debug, Clone)]
enum Form {
    Narrow(Vec<Narrow>),
    // Behind a second pointer so that the enum is as small as the vector: few cells are wide.
    #[expect(clippy::box_collection, reason = "keeps the cell at 24 bytes for its buckets")]
    Wide(Box<Vec<Wide>>),
}

/// A bucket as it is read and encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bucket {
    /// Low 16 bits of the bucket's number.
    pub(crate) key: u16,
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

/// Largest count of a wide bucket: its upper 16 bits hold the key.
const MAX_COUNT: u64 = (1 << 48) - 1;

trait Entry: Copy {
    fn new(key: u16) -> Self;
    fn bucket(self) -> Bucket;
    fn key(self) -> u16;
    fn add(&mut self, weight: f64);
}

#[derive(Debug, Clone, Copy)]
struct Narrow {
    key: u16,
    count: u16,
}

impl Entry for Narrow {
    fn new(key: u16) -> Narrow {
        Narrow { key, count: 0 }
    }

    fn bucket(self) -> Bucket {
        Bucket { key: self.key, count: u64::from(self.count), sum: f64::from(self.count) }
    }

    fn key(self) -> u16 {
        self.key
    }

    fn add(&mut self, _weight: f64) {
        self.count += 1;
    }
}

#[derive(Debug, Clone, Copy)]
struct Wide {
    key_and_count: u64,
    sum: f64,
}

impl Wide {
    fn from_bucket(bucket: Bucket) -> Wide {
        Wide { key_and_count: (u64::from(bucket.key) << 48) | bucket.count, sum: bucket.sum }
    }
}

impl Entry for Wide {
    fn new(key: u16) -> Wide {
        Wide { key_and_count: u64::from(key) << 48, sum: 0.0 }
    }

    fn bucket(self) -> Bucket {
        Bucket { key: self.key(), count: self.key_and_count & MAX_COUNT, sum: self.sum }
    }

    fn key(self) -> u16 {
        (self.key_and_count >> 48) as u16
    }

    fn add(&mut self, weight: f64) {
        debug_assert!(self.key_and_count & MAX_COUNT < MAX_COUNT, "2^48 events in one bucket");
        self.key_and_count += 1;
        self.sum += weight;
    }
}

/// How many buckets before `newest` the bucket `key` is.
fn age(newest: i64, key: u16) -> u16 {
    low(newest).wrapping_sub(key)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the low 16 bits are what is meant"
)]
fn low(index: i64) -> u16 {
    index as u16
}

impl Buckets {
    pub(crate) fn new() -> Buckets {
        Buckets { form: Form::Narrow(Vec::new()), hours: 0, minutes: 0 }
    }

    /// Counts an event at `at`. `newest` is the time of the newest event, this one included.
    pub(crate) fn add(&mut self, at: i64, newest: i64, weight: f64) {
        if let Form::Narrow(entries) = &self.form
            && (weight != 1.0 || self.day_is_full(entries, at, newest))
        {
            let wide = entries.iter().map(|entry| Wide::from_bucket(entry.bucket())).collect();
            self.form = Form::Wide(Box::new(wide));
        }
        for resolution in Resolution::ALL {
            let newest = resolution.index(newest);
            let index = resolution.index(at);
            if newest - index > i64::from(resolution.kept()) {
                continue;
            }
            let (start, end) = self.section(resolution);
            let inserted = match &mut self.form {
                Form::Narrow(entries) => add_to(entries, start, end, low(index), newest, weight),
                Form::Wide(entries) => add_to(entries, start, end, low(index), newest, weight),
            };
            if inserted {
                self.resize(resolution, 1);
            }
        }
    }

    /// Drops what is too old now that the newest event is at `newest`; before it was at `before`.
    pub(crate) fn advance(&mut self, before: i64, newest: i64) {
        for resolution in Resolution::ALL {
            let from = resolution.index(before);
            let to = resolution.index(newest);
            if from == to {
                continue;
            }
            let kept = i64::from(resolution.kept());
            let (start, end) = self.section(resolution);
            let stale = match &mut self.form {
                Form::Narrow(entries) => drop_stale(entries, start, end, from, to, kept),
                Form::Wide(entries) => drop_stale(entries, start, end, from, to, kept),
            };
            self.resize(resolution, -stale);
        }
    }

    /// Count and sum of the buckets from `whole` buckets before the one of `now` up to that one.
    pub(crate) fn read(&self, resolution: Resolution, whole: u16, now: i64, newest: i64) -> (u64, f64) {
        let newest = resolution.index(newest);
        let now = resolution.index(now);
        let (start, end) = self.section(resolution);
        match &self.form {
            Form::Narrow(entries) => read_from(&entries[start..end], now, newest, i64::from(whole)),
            Form::Wide(entries) => read_from(&entries[start..end], now, newest, i64::from(whole)),
        }
    }

    /// The buckets of one resolution, oldest first.
    pub(crate) fn section_buckets(&self, resolution: Resolution) -> Vec<Bucket> {
        let (start, end) = self.section(resolution);
        match &self.form {
            Form::Narrow(entries) => entries[start..end].iter().map(|entry| entry.bucket()).collect(),
            Form::Wide(entries) => entries[start..end].iter().map(|entry| entry.bucket()).collect(),
        }
    }

    /// Buckets from what [`Buckets::section_buckets`] gave for days, hours and minutes. `None` if they break a rule of
    /// the form; `newest` is the time of the newest event, `total` the number of all events.
    pub(crate) fn from_sections(sections: &[Vec<Bucket>; 3], newest: i64, total: u64) -> Option<Buckets> {
        for (resolution, section) in Resolution::ALL.into_iter().zip(sections) {
            let newest = resolution.index(newest);
            let mut counted = 0_u64;
            for bucket in section {
                counted = counted.checked_add(bucket.count)?;
                if age(newest, bucket.key) > resolution.kept() || bucket.count == 0 || counted > total {
                    return None;
                }
            }
            let sorted = section.windows(2).all(|pair| age(newest, pair[0].key) > age(newest, pair[1].key));
            // The newest event has a bucket of each length.
            if !sorted || section.last().is_none_or(|bucket| bucket.key != low(newest)) {
                return None;
            }
        }
        let [_, hours, minutes] = sections.each_ref().map(Vec::len);
        let all = sections.concat();
        let narrow = |bucket: &Bucket| {
            let count = u16::try_from(bucket.count).ok().filter(|count| f64::from(*count) == bucket.sum)?;
            Some(Narrow { key: bucket.key, count })
        };
        let form = match all.iter().map(narrow).collect() {
            Some(entries) => Form::Narrow(entries),
            None => Form::Wide(Box::new(all.into_iter().map(Wide::from_bucket).collect())),
        };
        Some(Buckets { form, hours: u8::try_from(hours).ok()?, minutes: u8::try_from(minutes).ok()? })
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match &self.form {
            Form::Narrow(entries) => entries.capacity() * size_of::<Narrow>(),
            Form::Wide(entries) => entries.capacity() * size_of::<Wide>() + size_of::<Vec<Wide>>(),
        }
    }

    /// Whether the narrow day bucket of `at` can count no further. The hours and minutes in it count no more than it.
    fn day_is_full(&self, entries: &[Narrow], at: i64, newest: i64) -> bool {
        let (start, end) = self.section(Resolution::Day);
        let key = low(Resolution::Day.index(at));
        let is_full = |entry: &Narrow| entry.key == key && entry.count == u16::MAX;
        let newest = Resolution::Day.index(newest);
        let days = &entries[start..end];
        match days.last() {
            None => false,
            Some(last) if last.key == key => is_full(last),
            Some(_) => days
                .binary_search_by(|entry| age(newest, key).cmp(&age(newest, entry.key)))
                .is_ok_and(|place| is_full(&days[place])),
        }
    }

    fn len(&self) -> usize {
        match &self.form {
            Form::Narrow(entries) => entries.len(),
            Form::Wide(entries) => entries.len(),
        }
    }

    fn section(&self, resolution: Resolution) -> (usize, usize) {
        let minutes = self.len() - usize::from(self.minutes);
        let hours = minutes - usize::from(self.hours);
        match resolution {
            Resolution::Day => (0, hours),
            Resolution::Hour => (hours, minutes),
            Resolution::Minute => (minutes, self.len()),
        }
    }

    fn resize(&mut self, resolution: Resolution, by: i16) {
        let resized = |count: u8| {
            u8::try_from(i16::from(count) + by).expect("a section holds at most 169 hours or 61 minutes")
        };
        match resolution {
            // The days are what the other two leave.
            Resolution::Day => {}
            Resolution::Hour => self.hours = resized(self.hours),
            Resolution::Minute => self.minutes = resized(self.minutes),
        }
    }
}

/// Adds to the bucket `key` of the section `start..end`; true if the bucket is new.
fn add_to<E: Entry>(
    entries: &mut Vec<E>,
    start: usize,
    end: usize,
    key: u16,
    newest: i64,
    weight: f64,
) -> bool {
    // Nearly every event belongs to the newest bucket.
    if start < end && entries[end - 1].key() == key {
        entries[end - 1].add(weight);
        return false;
    }
    let wanted = age(newest, key);
    let place = start + entries[start..end].partition_point(|entry| age(newest, entry.key()) > wanted);
    let inserted = place == end || entries[place].key() != key;
    if inserted {
        if entries.len() == entries.capacity() {
            // Doubling would leave the many small cells half empty.
            entries.reserve_exact((entries.len() / 4).max(3));
        }
        entries.insert(place, E::new(key));
    }
    entries[place].add(weight);
    inserted
}

/// Drops the buckets of a section that are more than `kept` before `to`; ages are known relative to `from`.
fn drop_stale<E: Entry>(
    entries: &mut Vec<E>,
    start: usize,
    end: usize,
    from: i64,
    to: i64,
    kept: i64,
) -> i16 {
    let stale =
        entries[start..end].partition_point(|entry| i64::from(age(from, entry.key())) + (to - from) > kept);
    entries.drain(start..start + stale);
    i16::try_from(stale).expect("a section holds at most 366 buckets")
}

fn read_from<E: Entry>(section: &[E], now: i64, newest: i64, whole: i64) -> (u64, f64) {
    let mut count = 0;
    let mut sum = 0.0;
    for entry in section.iter().rev() {
        let bucket = entry.bucket();
        let index = newest - i64::from(age(newest, bucket.key));
        if index < now - whole {
            break;
        }
        if index <= now {
            count += bucket.count;
            sum += bucket.sum;
        }
    }
    (count, sum)
}
