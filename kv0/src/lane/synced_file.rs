//! A file that several threads sync.

use std::io;
use std::sync::Arc;

use kv0_env::File;
use parking_lot::Mutex;

/// The file of a chunk. Syncs go one after the other, and the first that fails is the last that is tried: the system
/// reports a failure once and may then say yes to what it has forgotten, even to another thread that waits for the same
/// commits.
#[derive(Debug)]
pub(crate) struct SyncedFile {
    file: Arc<dyn File>,
    /// Whether a sync failed. Held during a sync.
    failed: Mutex<bool>,
}

impl SyncedFile {
    pub(crate) fn new(file: Arc<dyn File>) -> SyncedFile {
        SyncedFile { file, failed: Mutex::new(false) }
    }

    pub(crate) fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(data, offset)
    }

    pub(crate) fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_size(size)
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        let mut failed = self.failed.lock();
        if *failed {
            return Err(io::Error::other("a sync of this file failed before"));
        }
        self.file.sync().inspect_err(|_| *failed = true)
    }
}
