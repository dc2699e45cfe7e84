use super::*;

#[test]
fn moments_are_written_in_utc() {
    for (seconds, text) in [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (1_764_000_000 + 1_016, "2025-11-24T16:16:56Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] {
        assert_eq!(utc(seconds * 1_000_000), text);
        assert_eq!(utc(seconds * 1_000_000 + 999_999), text, "cut off to the second");
    }
}

#[test]
fn any_clock_reading_has_a_text_and_days_follow_each_other() {
    for micros in [i64::MIN, i64::MAX] {
        assert!(utc(micros).ends_with('Z'));
    }
    let mut before = civil_from_days(-1_000_001);
    for days in -1_000_000..1_000_000 {
        let date = civil_from_days(days);
        let (year, month, day) = before;
        let follows = match date {
            (_, _, 1) if month == 12 => date == (year + 1, 1, 1),
            (_, _, 1) => date == (year, month + 1, 1),
            _ => date == (year, month, day + 1),
        };
        assert!(follows, "{date:?} after {before:?}");
        before = date;
    }
}
