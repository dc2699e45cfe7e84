//! Object keys as paths: any key becomes a safe path, and no two keys meet.
//!
//! 1. The key is split at `/`; every part but the last becomes a directory, the last one a file.
//! 2. In a part, `a-z`, `0-9`, `-`, `_` and `.` stand for themselves; every other byte becomes `%` and two lower-case
//!    hex digits. Capitals too, so that a file system that ignores case keeps keys apart.
//! 3. The empty part becomes `%`; in the parts `.` and `..` the dots are escaped.
//! 4. A part that is too long for a file name is cut into directories that end in `+`.
//! 5. A file ends in `=`. So the objects `a` and `a/b` are the file `a=` and the directory `a`.

use std::path::{Path, PathBuf};

/// The longest name on every common file system is 255 bytes; one more is needed for the mark at the end.
const MAX_NAME_BYTES: usize = 240;

/// The path of an object's file, relative to the directory of all objects.
pub(super) fn file_of(key: &str) -> PathBuf {
    let mut path = directory_of(key);
    push_part(&mut path, key.rsplit('/').next().unwrap_or(key), "=");
    path
}

/// The directory that holds every object whose key begins with this prefix (and others).
pub(super) fn directory_of(prefix: &str) -> PathBuf {
    let mut path = PathBuf::new();
    if let Some((parents, _)) = prefix.rsplit_once('/') {
        for part in parents.split('/') {
            push_part(&mut path, part, "");
        }
    }
    path
}

/// The key whose file this is, or `None` if it is not the file of any key.
pub(super) fn key_of(path: &Path) -> Option<String> {
    let mut key = Vec::new();
    let mut names = path.to_str()?.split('/').peekable();
    while let Some(name) = names.next() {
        let is_last = names.peek().is_none();
        let (name, ends_part) = match name.strip_suffix('+') {
            Some(name) => (name, false),
            None => (name, true),
        };
        let name = if is_last { name.strip_suffix('=')? } else { name };
        unescape(name, &mut key)?;
        if ends_part && !is_last {
            key.push(b'/');
        }
    }
    let key = String::from_utf8(key).ok()?;
    // Only the one path that the key is given counts, not another spelling of it.
    (file_of(&key) == path).then_some(key)
}

fn push_part(path: &mut PathBuf, part: &str, mark: &str) {
    let escaped = escape(part);
    let mut rest = escaped.as_str();
    while rest.len() > MAX_NAME_BYTES {
        // Escaped text is ASCII, so any place is a boundary; but an escape stays in one name.
        let cut =
            rest[..MAX_NAME_BYTES].rfind('%').filter(|&at| at + 3 > MAX_NAME_BYTES).unwrap_or(MAX_NAME_BYTES);
        path.push(format!("{}+", &rest[..cut]));
        rest = &rest[cut..];
    }
    path.push(format!("{rest}{mark}"));
}

fn escape(part: &str) -> String {
    if part.is_empty() {
        return "%".to_owned();
    }
    let only_dots = part == "." || part == "..";
    let mut escaped = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => escaped.push(char::from(byte)),
            b'.' if !only_dots => escaped.push('.'),
            _ => escaped.push_str(&format!("%{byte:02x}")),
        }
    }
    escaped
}

fn unescape(name: &str, key: &mut Vec<u8>) -> Option<()> {
    if name == "%" {
        return Some(());
    }
    let mut bytes = name.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            key.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            key.push(byte);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
