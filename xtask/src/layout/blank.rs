//! Just enough of a lexer for Rust: finds comments and literals, so that braces and words in them are not taken for
//! code.

/// The text with every comment, string and character literal turned into spaces, save for what opens a literal. Line
/// breaks stay, and every byte keeps its offset.
pub(super) fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (hide, end) = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => (at, line_end(bytes, at)),
            b'/' if bytes[at..].starts_with(b"/*") => (at, comment_end(bytes, at)),
            b'"' => (at, string_end(bytes, at + 1)),
            b'\'' => (at + 1, character_end(text, at + 1)),
            b'r' if starts_literal(bytes, at) => match raw_string(bytes, at + 1) {
                Some((inside, end)) => (inside, end),
                None => (at + 1, at + 1),
            },
            _ => (at + 1, at + 1),
        };
        for byte in &mut code[hide..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    // Only whole characters in comments and literals were replaced, byte by byte, by ASCII.
    String::from_utf8(code).expect("blanking keeps UTF-8 whole")
}

/// Whether a character may be part of a name.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| from + length)
}

/// Block comments nest.
fn comment_end(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0;
    let mut at = from;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// The offset behind the closing quote.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The end of a character literal whose opening quote was just passed; `from` itself if it is a lifetime or a label.
fn character_end(text: &str, from: usize) -> usize {
    let mut characters = text[from..].char_indices();
    match characters.next() {
        Some((_, '\\')) => {
            // The escaped character itself may be a quote.
            characters.next();
            characters
                .find(|(_, character)| *character == '\'')
                .map_or(text.len(), |(length, _)| from + length + 1)
        }
        Some(_) => match characters.next() {
            Some((length, '\'')) => from + length + 1,
            _ => from,
        },
        None => from,
    }
}

/// Whether an `r` begins a raw string: it is no part of a longer name, save for the prefixes `b` and `c`.
fn starts_literal(bytes: &[u8], at: usize) -> bool {
    let is_name = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let before = bytes[..at].iter().rev().take_while(|byte| is_name(**byte)).count();
    before == 0 || (before == 1 && matches!(bytes[at - 1], b'b' | b'c'))
}

/// Where the inside of a raw string begins and where the string ends; `from` is just behind its `r`.
fn raw_string(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let hashes = bytes[from..].iter().take_while(|byte| **byte == b'#').count();
    let inside = from + hashes + 1;
    if bytes.get(from + hashes) != Some(&b'"') {
        return None;
    }
    let closing: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let length = bytes[inside..].windows(closing.len()).position(|window| window == closing);
    Some((inside, length.map_or(bytes.len(), |length| inside + length + closing.len())))
}
