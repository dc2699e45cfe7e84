//! Moments as text, after RFC 3339: `2024-02-29T12:30:00.25+02:00`. A date alone means its midnight in UTC.
//!
//! Days are counted in the proleptic Gregorian calendar with years from March on, so that the leap day is the last day
//! of a year (Howard Hinnant, "chrono-compatible low-level date algorithms").

use crate::time::{MICROS_PER_SECOND, Timestamp};

const SECONDS_PER_DAY: i64 = 86_400;
/// 0001-01-01T00:00:00Z.
const FIRST: i64 = -62_135_596_800 * MICROS_PER_SECOND;
/// 9999-12-31T23:59:59.999999Z.
const LAST: i64 = 253_402_300_800 * MICROS_PER_SECOND - 1;

/// Whether a moment has a four-digit year, so that it can be written.
pub(crate) fn in_range(timestamp: Timestamp) -> bool {
    (FIRST..=LAST).contains(&timestamp.0)
}

/// Reads a moment; `None` if it is not well-formed, not a date of the calendar, or outside the years 1 to 9999.
/// Digits beyond microseconds are cut off. A leap second counts as the first second of the next minute.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    let year = cursor.digits(4)?;
    cursor.take(b"-")?;
    let month = cursor.digits(2)?;
    cursor.take(b"-")?;
    let day = cursor.digits(2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let mut micros = days_from_civil(year, month, day) * SECONDS_PER_DAY * MICROS_PER_SECOND;
    if !cursor.rest.is_empty() {
        cursor.take(b"Tt ")?;
        micros += cursor.time_of_day()?;
        micros -= cursor.offset_minutes()? * 60 * MICROS_PER_SECOND;
    }
    let timestamp = Timestamp(micros);
    (cursor.rest.is_empty() && in_range(timestamp)).then_some(timestamp)
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    /// The next byte, if it is one of these.
    fn take(&mut self, any_of: &[u8]) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        if !any_of.contains(&first) {
            return None;
        }
        self.rest = rest;
        Some(first)
    }

    /// A number of exactly this many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + i64::from(self.take(b"0123456789")? - b'0')))
    }

    /// `HH:MM:SS` with an optional fraction, in microseconds.
    fn time_of_day(&mut self) -> Option<i64> {
        let hour = self.digits(2)?;
        self.take(b":")?;
        let minute = self.digits(2)?;
        self.take(b":")?;
        let second = self.digits(2)?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let mut micros = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND;
        if self.take(b".").is_some() {
            let mut unit = MICROS_PER_SECOND / 10;
            micros += self.digits(1)? * unit;
            while let Some(digit) = self.take(b"0123456789") {
                unit /= 10;
                micros += i64::from(digit - b'0') * unit;
            }
        }
        Some(micros)
    }

    /// `Z` or `+HH:MM`.
    fn offset_minutes(&mut self) -> Option<i64> {
        let sign = match self.take(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2)?;
        self.take(b":")?;
        let minutes = self.digits(2)?;
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
    }
}

/// Writes a moment in UTC, with a fraction only if it has one. Outside the years 1 to 9999, which [`parse`] refuses and
/// a declared field cannot hold, it writes the nearest moment inside.
pub(crate) fn print(timestamp: Timestamp) -> String {
    let micros = timestamp.0.clamp(FIRST, LAST);
    let (seconds, fraction) = (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    let (year, month, day) = civil_from_days(seconds.div_euclid(SECONDS_PER_DAY));
    let second_of_day = seconds.rem_euclid(SECONDS_PER_DAY);
    let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction != 0 {
        let digits = format!(".{fraction:06}");
        text.push_str(digits.trim_end_matches('0'));
    }
    text.push('Z');
    text
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
