//! Lengths of time as text: a whole number and a unit, `90s`, `30m`, `12h`, `7d`, `1w`.

/// Units, longest first, in seconds.
const UNITS: [(&str, u64); 5] = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

/// Reads a length of time in seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<u64, String> {
    let bad = || format!("bad duration {text:?}; expected a whole number and s, m, h, d or w, such as 12h");
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
    let (number, unit) = text.split_at(unit_at);
    let (_, seconds) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or_else(bad)?;
    if number.is_empty() {
        return Err(bad());
    }
    // Only digits: the one thing that can go wrong is the size.
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(seconds))
        .ok_or_else(|| format!("duration {text:?} is too long"))
}

/// Writes a length of time with the longest unit up to a day that divides it.
pub(crate) fn print_seconds(seconds: u64) -> String {
    let (unit, size) = UNITS[1..]
        .iter()
        .find(|(_, size)| seconds != 0 && seconds.is_multiple_of(*size))
        .unwrap_or(&("s", 1));
    format!("{}{unit}", seconds / size)
}
