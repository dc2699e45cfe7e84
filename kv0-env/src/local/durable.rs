//! Directories whose names survive a power cut.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Creates a directory and its missing parents, and makes their names durable.
pub(super) fn create_dir_all(dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|path| !path.is_dir()).collect();
    fs::create_dir_all(dir)?;
    for parent in missing.iter().rev().filter_map(|created| created.parent()) {
        sync_dir(parent)?;
    }
    if missing.is_empty()
        && let Some(parent) = dir.parent()
    {
        // A process that was killed may have created it without coming to this line.
        match sync_dir(parent) {
            // Whoever may not even read the parent did not create anything in it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            result => result?,
        }
    }
    Ok(())
}

/// Makes the names in a directory durable.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}
