//! What a path may look like. Every implementation of [`crate::FileSystem`] asks here, so that they refuse the same.

use std::io;

/// Checks a path that may name the root directory.
pub(crate) fn check_dir(path: &str) -> io::Result<()> {
    if path.is_empty() { Ok(()) } else { check_file(path) }
}

/// Checks a path that names something below the root.
pub(crate) fn check_file(path: &str) -> io::Result<()> {
    let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
    if path.contains('\0') || path.split('/').any(bad_part) {
        let message =
            format!("the path {path:?} is not relative to the root without `.`, `..` and empty parts");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}

/// The directory that holds the name; the root is the empty path.
pub(crate) fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// The directories above a path from the outermost to its parent, without the root.
pub(crate) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(slash, _)| &path[..slash])
}

/// A path below a directory.
pub(crate) fn join(dir: &str, path: &str) -> String {
    match (dir, path) {
        ("", _) => path.to_owned(),
        (_, "") => dir.to_owned(),
        _ => format!("{dir}/{path}"),
    }
}

#[cfg(test)]
mod tests;
