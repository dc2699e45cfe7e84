//! The page `docs/format/segment.md` says what the code does.

use super::*;

const PAGE: &str = include_str!("../../../../docs/format/segment.md");

#[test]
fn the_constants_of_the_page_are_those_of_the_code() {
    let expected = [
        ("FORMAT_VERSION", format::FORMAT_VERSION as usize),
        ("HEADER_BYTES", format::HEADER_BYTES),
        ("FRAME_BYTES", format::FRAME_BYTES),
        ("FOOTER_BYTES", format::FOOTER_BYTES),
        ("RESTART_INTERVAL", format::RESTART_INTERVAL),
        ("FILTER_BITS_PER_KEY", format::FILTER_BITS_PER_KEY),
        ("FILTER_PROBES", format::FILTER_PROBES as usize),
        ("FILTER_PIECE_BYTES", format::FILTER_PIECE_BYTES),
        ("COMPRESSED_AT_MOST_PERCENT", format::COMPRESSED_AT_MOST_PERCENT),
        ("COMPRESSION_LIMIT_BYTES", format::COMPRESSION_LIMIT_BYTES),
        ("INDEX_LEVELS", usize::from(format::INDEX_LEVELS)),
        ("BLOCK_BYTES", limits::BLOCK_BYTES),
        ("MAX_KEY_BYTES", limits::MAX_KEY_BYTES),
    ];
    let rows: Vec<(&str, usize)> = PAGE
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|');
            let name = cells.next()?.trim().trim_end_matches('`');
            Some((name, cells.next()?.trim().parse().ok()?))
        })
        .collect();
    assert_eq!(rows, expected);
    assert!(PAGE.contains(&format!("{:?}", std::str::from_utf8(&format::MAGIC).unwrap())));
}

#[test]
fn the_example_of_the_page_is_what_is_written() {
    let entries = vec![
        entry(1, b"run/1", 12, None),
        entry(1, b"run/1", 7, Some(b"first")),
        entry(1, b"run/2", 9, Some(b"second")),
    ];
    let fixture = Fixture::new(entries.clone(), &[range(1, b"run/3", None, 10)]);
    let (_, example) = PAGE.split_once("```hex\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let expected: Vec<u8> = example
        .lines()
        .flat_map(|line| line.split(';').next().unwrap().split_whitespace())
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    let written = fixture.bytes();
    let hex: Vec<String> = written.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(written == expected, "written: {}", hex.join(" "));
    assert_eq!(walk(fixture.segment(), true).unwrap(), entries);
}
