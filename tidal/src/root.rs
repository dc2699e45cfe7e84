//! The directory of a database: what is in it, and whether it is one.

use kv0_env::FileSystem;

use crate::error::{Error, ErrorKind, Result};

/// The database in kv0.
pub(crate) const STORE: &str = "store";
/// The checkpoint of the events' view.
pub(crate) const VIEWS: &str = "views";
/// The text index.
pub(crate) const TEXT: &str = "text";

/// Files of kv0: the second is there as soon as a store was opened for the first time, the first for good since then. A
/// copy may lack the second.
const MARKS: [&str; 2] = ["store/CURRENT", "store/LOCK"];
/// Made by file systems in the root of a volume.
const LOST_AND_FOUND: &str = "lost+found";

/// Refuses a directory that holds what is not ours and no database, so that a wrong path does not scatter files among
/// somebody else's. A crash while a database is created leaves nothing but directories of ours, or a mark.
///
/// # Errors
/// `Invalid`, naming the directory and what is in it; `Unavailable` if it cannot be read.
pub(crate) fn check(files: &dyn FileSystem) -> Result<()> {
    for mark in MARKS {
        if files.size(mark).map_err(|error| unreadable(files, &error))?.is_some() {
            return Ok(());
        }
    }
    let entries = files.list("").map_err(|error| unreadable(files, &error))?;
    let is_ours = |name: &str| [STORE, VIEWS, TEXT, LOST_AND_FOUND].contains(&name);
    match entries.iter().find(|entry| !is_ours(&entry.name)) {
        None => Ok(()),
        Some(entry) => {
            let (directory, name) = (files.describe(), &entry.name);
            let message = format!(
                "{directory} holds no database and is not empty: there is {name:?}, which is not of a database; name \
                 an empty directory or a new one"
            );
            Err(Error::new(ErrorKind::Invalid, message))
        }
    }
}

fn unreadable(files: &dyn FileSystem, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("cannot look into {}: {error}", files.describe()))
}
