use super::*;

fn parse(text: &str) -> Option<i64> {
    rfc3339::parse(text).map(|timestamp| timestamp.0)
}

#[test]
fn moments_are_read() {
    let check = |text: &str, seconds: f64| {
        assert_eq!(parse(text).map(|micros| micros as f64), Some((seconds * 1e6).round()), "{text}");
    };
    check("1970-01-01T00:00:00Z", 0.0);
    check("1969-12-31T23:59:59.5Z", -0.5);
    check("2024-02-29T12:30:00+02:00", 1_709_202_600.0);
    check("2024-02-29T10:30:00Z", 1_709_202_600.0);
    check("2024-02-28t22:00:00-12:30", 1_709_202_600.0);
    check("2024-02-29 10:30:00.123456789z", 1_709_202_600.123_456);
    check("1995-12-17", 819_158_400.0);
    check("2016-12-31T23:59:60Z", 1_483_228_800.0);
    check("0001-01-01T00:00:00Z", -62_135_596_800.0);
    check("9999-12-31T23:59:59Z", 253_402_300_799.0);
}

#[test]
fn what_is_no_moment_is_refused() {
    let cases = [
        "",
        "2024",
        "2024-1-01",
        "2024-13-01",
        "2024-00-01",
        "2024-04-31",
        "2023-02-29",
        "1900-02-29",
        "2024-01-00",
        "2024-01-01T",
        "2024-01-01T10:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T10:60:00Z",
        "2024-01-01T10:00:61Z",
        "2024-01-01T10:00:00",
        "2024-01-01T10:00:00.Z",
        "2024-01-01T10:00:00+2:00",
        "2024-01-01T10:00:00+0200",
        "2024-01-01T10:00:00+24:00",
        "2024-01-01T10:00:00Zx",
        "-2024-01-01",
        "0000-12-31",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "２０２４-01-01",
        "2024-01-01T10:00:00Z ",
    ];
    for text in cases {
        assert_eq!(parse(text), None, "{text}");
    }
}

/// Every day of the four-digit years, counted one by one, against the arithmetic.
#[test]
fn the_calendar_is_right_on_every_day() {
    let (mut year, mut month, mut day) = (1, 1, 1);
    let mut midnight = -62_135_596_800_000_000;
    while year < 10_000 {
        let text = format!("{year:04}-{month:02}-{day:02}");
        assert_eq!(parse(&text), Some(midnight), "{text}");
        assert_eq!(rfc3339::print(Timestamp(midnight)), format!("{text}T00:00:00Z"));
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
        day += 1;
        if day > days {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
        midnight += 86_400_000_000;
    }
}

proptest::proptest! {
    #[test]
    fn a_moment_reads_back(micros in -62_135_596_800_000_000_i64..=253_402_300_799_999_999) {
        proptest::prop_assert_eq!(parse(&rfc3339::print(Timestamp(micros))), Some(micros));
    }

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        if let Some(micros) = parse(&text) {
            proptest::prop_assert_eq!(parse(&rfc3339::print(Timestamp(micros))), Some(micros));
        }
        proptest::prop_assert!(duration::parse_seconds(&text).is_err() || text.is_ascii());
    }

    #[test]
    fn a_length_of_time_reads_back(seconds: u64) {
        proptest::prop_assert_eq!(duration::parse_seconds(&duration::print_seconds(seconds)), Ok(seconds));
    }
}

#[test]
fn lengths_of_time_are_read_and_written_with_their_unit() {
    for (text, seconds) in
        [("0s", 0), ("90s", 90), ("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("1w", 604_800)]
    {
        assert_eq!(duration::parse_seconds(text), Ok(seconds));
    }
    for (seconds, text) in [(0, "0s"), (90, "90s"), (1800, "30m"), (604_800, "7d"), (86_401, "86401s")] {
        assert_eq!(duration::print_seconds(seconds), text);
    }
    for text in ["", "7", "d", "7 d", "7D", "1.5h", "1h30m", "+1h", "７d"] {
        assert!(duration::parse_seconds(text).is_err(), "{text}");
    }
}

#[test]
fn numbers_of_seconds_become_moments_and_lengths_exactly() {
    use crate::schema::FieldType;
    let timestamp = |value: Value| value.coerce(FieldType::Timestamp);
    assert_eq!(timestamp(Value::Int(-1)), Ok(Value::Timestamp(Timestamp(-1_000_000))));
    assert_eq!(timestamp(Value::Float(1.25)), Ok(Value::Timestamp(Timestamp(1_250_000))));
    assert!(timestamp(Value::Float(1e300)).is_err());
    assert!(timestamp(Value::Float(f64::NAN)).is_err());
    assert!(timestamp(Value::Bool(true)).is_err());
    let length = |value: Value| value.coerce(FieldType::Duration);
    assert_eq!(length(Value::Float(0.5)), Ok(Value::Duration(500_000)));
    assert_eq!(length(Value::Int(9_223_372_036_854)), Ok(Value::Duration(9_223_372_036_854_000_000)));
    assert!(length(Value::Int(9_223_372_036_855)).is_err());
    assert!(length(Value::Float(9_223_372_036_854.776)).is_err());
}
