//! Words of formulas.

use crate::error::{Error, Result};

use super::MAX_FORMULA_BYTES;

/// A word and the byte where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    /// A name, bare or between quotes.
    Name(String),
    /// A number with a unit: `7d`.
    Duration(String),
    /// One of the signs.
    Sign(&'static str),
    End,
}

impl TokenKind {
    /// As an error message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            TokenKind::Number(number) => format!("`{number}`"),
            TokenKind::Name(name) | TokenKind::Duration(name) => format!("`{name}`"),
            TokenKind::Sign(sign) => format!("`{sign}`"),
            TokenKind::End => "the end".to_owned(),
        }
    }
}

/// Longer signs before their beginnings.
const SIGNS: [&str; 16] =
    ["<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/", "(", ")", ",", "?", "%"];

/// An error at a byte of a formula.
pub(super) fn error(at: usize, message: &str) -> Error {
    Error::invalid("formula", format!("{message} at byte {at}"))
}

/// The words of a formula; the last is the end.
pub(super) fn lex(text: &str) -> Result<Vec<Token>> {
    if text.len() > MAX_FORMULA_BYTES {
        return Err(Error::invalid("formula", format!("{} bytes, at most {MAX_FORMULA_BYTES}", text.len())));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if first.is_ascii_digit() || first == '.' {
            number(text, at)?
        } else if first.is_alphabetic() || first == '_' {
            let length = run(&text[at..], |c| c.is_alphanumeric() || c == '_');
            (TokenKind::Name(text[at..at + length].to_owned()), length)
        } else if first == '"' {
            let Some(length) = text[at + 1..].find('"') else {
                return Err(error(at, "a quote without its end"));
            };
            (TokenKind::Name(text[at + 1..at + 1 + length].to_owned()), length + 2)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| text[at..].starts_with(sign)) {
            (TokenKind::Sign(sign), sign.len())
        } else {
            return Err(error(at, &format!("unexpected `{first}`")));
        };
        tokens.push(Token { kind, at });
        at += length;
    }
    tokens.push(Token { kind: TokenKind::End, at });
    Ok(tokens)
}

/// A number such as `1`, `.5`, `2e-3`, or a duration such as `24h`.
fn number(text: &str, at: usize) -> Result<(TokenKind, usize)> {
    let rest = &text[at..];
    let mut length = run(rest, |c| c.is_ascii_digit() || c == '.');
    let exponent = rest[length..].strip_prefix(['e', 'E']).map(|after| {
        let sign = usize::from(after.starts_with(['+', '-']));
        (1 + sign, run(&after[sign..], |c| c.is_ascii_digit()))
    });
    if let Some((before, digits @ 1..)) = exponent {
        length += before + digits;
    }
    let unit = run(&rest[length..], |c| c.is_alphanumeric() || c == '_');
    if unit > 0 {
        return Ok((TokenKind::Duration(rest[..length + unit].to_owned()), length + unit));
    }
    match rest[..length].parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((TokenKind::Number(number), length)),
        _ => Err(error(at, &format!("`{}` is not a number", &rest[..length]))),
    }
}

/// How many bytes from the start are characters of a kind.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}
