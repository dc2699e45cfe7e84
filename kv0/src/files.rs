//! Names of files, and writing a file before it has its name.

use std::sync::Arc;

use kv0_env::{File, FileSystem};

use crate::error::{Error, Result};

/// What a draft has behind the name that it is to get. Names that end so do not count.
pub(crate) const DRAFT_SUFFIX: &str = ".tmp";

/// The name of a file until it is whole.
pub(crate) fn draft_path(path: &str) -> String {
    format!("{path}{DRAFT_SUFFIX}")
}

/// Writes and syncs the file that is to be renamed to `path`, so that this name never stands for less than the whole,
/// not even after a power cut. A draft that a crash left is replaced.
pub(crate) fn write_draft(files: &dyn FileSystem, path: &str, bytes: &[u8]) -> Result<Arc<dyn File>> {
    let draft = draft_path(path);
    remove_left_over(files, &draft)?;
    let file = files.create_new(&draft).map_err(|error| Error::io("create", &draft, error))?;
    file.write_at(bytes, 0).map_err(|error| Error::io("write", &draft, error))?;
    file.sync().map_err(|error| Error::io("sync", &draft, error))?;
    Ok(file)
}

/// Removes what a failed step or a crash left in the place of a new file.
pub(crate) fn remove_left_over(files: &dyn FileSystem, path: &str) -> Result<()> {
    if files.size(path).map_err(|error| Error::io("look for", path, error))?.is_some() {
        files.remove(path).map_err(|error| Error::io("remove", path, error))?;
    }
    Ok(())
}

/// The number in the name of a chunk or segment: 16 digits before the suffix. `None` for any other name.
pub(crate) fn number_in(name: &str, suffix: &str) -> Option<u64> {
    let digits = name.strip_suffix(suffix)?;
    let is_number = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}
