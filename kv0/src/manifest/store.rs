//! Replacing the manifest.
//!
//! 1. The new manifest is written under a name that does not count, synced, and renamed to `MANIFEST-<n>`; the
//!    directory is synced, so that `CURRENT` never names what is not there.
//! 2. `CURRENT`, which names it, is replaced the same way; the directory is synced.
//! 3. The manifest before it is removed.
//!
//! A crash before the rename of `CURRENT` leaves the old manifest in force, one after it the new one.

use std::sync::Arc;

use kv0_env::FileSystem;

use super::Manifest;
use super::format::{decode, decode_current, encode, encode_current, manifest_name};
use crate::error::{Error, Result};
use crate::files::{draft_path, write_draft};

const CURRENT: &str = "CURRENT";

/// The manifest in force, and the way to replace it.
#[derive(Debug)]
pub(crate) struct ManifestStore {
    files: Arc<dyn FileSystem>,
    manifest: Manifest,
    /// The highest number that may be in use on disk. A failed replacement may still have taken effect.
    last_number: u64,
}

impl ManifestStore {
    /// Reads the manifest in force; `None` if the directory holds no database.
    pub(crate) fn load(files: &Arc<dyn FileSystem>) -> Result<Option<ManifestStore>> {
        let Some(current) = read_whole(&**files, CURRENT)? else {
            return no_database(&**files).map(|()| None);
        };
        let number = decode_current(&current)?;
        let name = manifest_name(number);
        let bytes = read_whole(&**files, &name)?
            .ok_or_else(|| Error::corrupt(&name, 0, "the manifest that CURRENT names is missing"))?;
        let manifest = decode(&bytes, &name)?;
        if manifest.number != number {
            let what = format!("expected manifest {number}, found manifest {}", manifest.number);
            return Err(Error::corrupt(&name, 0, what));
        }
        Ok(Some(ManifestStore { files: Arc::clone(files), manifest, last_number: number }))
    }

    /// Writes the first manifest of a database.
    pub(crate) fn create(files: &Arc<dyn FileSystem>, database: u64) -> Result<ManifestStore> {
        let manifest = Manifest::empty(database);
        let mut store = ManifestStore { files: Arc::clone(files), manifest, last_number: 0 };
        store.replace(|_| ())?;
        Ok(store)
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Makes the names in the database's directory durable: `CURRENT`, and what it names. Whoever goes on from a
    /// manifest that a dead process left does this before it removes what only an older one names.
    pub(crate) fn sync_names(&self) -> Result<()> {
        self.files.sync_dir("").map_err(|error| Error::io("sync the directory of", CURRENT, error))
    }

    /// Changes the manifest. On an error the old one stays in force here, while on disk it may be either: so files that
    /// only the old one names may be removed only after a later change succeeded.
    pub(crate) fn replace(&mut self, change: impl FnOnce(&mut Manifest)) -> Result<()> {
        let mut next = self.manifest.clone();
        change(&mut next);
        next.number = self.last_number + 1;
        if let Err(what) = next.check_invariants() {
            unreachable!("a change broke the manifest: {what}");
        }
        self.last_number = next.number;
        let name = manifest_name(next.number);
        replace_file(&*self.files, &name, &encode(&next))?;
        self.sync_names()?;
        // From here on the new manifest may come into force on disk, whatever the calls below return: its segments
        // must stay as they are, so their numbers are taken.
        self.manifest.next_segment = next.next_segment;
        replace_file(&*self.files, CURRENT, encode_current(next.number).as_bytes())?;
        self.sync_names()?;
        let old = std::mem::replace(&mut self.manifest, next);
        if old.number > 0 {
            // Left over if this fails; the next open removes it.
            drop(self.files.remove(&manifest_name(old.number)));
        }
        Ok(())
    }
}

/// Whether a file of the database directory is a manifest that is not in force, or a draft.
pub(crate) fn is_stale(name: &str, in_force: u64) -> bool {
    let is_manifest = name.starts_with("MANIFEST-") && name != manifest_name(in_force);
    is_manifest || name == draft_path(CURRENT)
}

/// Refuses a directory without `CURRENT` that holds parts of a database.
fn no_database(files: &dyn FileSystem) -> Result<()> {
    for dir in ["segments", "lanes"] {
        let found = match files.list(dir) {
            Ok(entries) => !entries.is_empty(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => return Err(Error::io("list", dir, error)),
        };
        if found {
            let what = format!("the file is missing, but {dir} holds parts of a database");
            return Err(Error::corrupt(CURRENT, 0, what));
        }
    }
    Ok(())
}

fn replace_file(files: &dyn FileSystem, path: &str, bytes: &[u8]) -> Result<()> {
    write_draft(files, path, bytes)?;
    files.rename(&draft_path(path), path).map_err(|error| Error::io("replace", path, error))
}

fn read_whole(files: &dyn FileSystem, path: &str) -> Result<Option<Vec<u8>>> {
    let file = match files.open_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("open", path, error)),
    };
    let size = file.size().map_err(|error| Error::io("read the size of", path, error))?;
    let size =
        usize::try_from(size).map_err(|_| Error::corrupt(path, 0, "too large to be what it should be"))?;
    let mut bytes = vec![0; size];
    file.read_exact_at(&mut bytes, 0).map_err(|error| Error::io("read", path, error))?;
    Ok(Some(bytes))
}
