//! How a database is opened.

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the handle may do, and who may be there at the same time.
    pub mode: Mode,
    /// What a commit survives once its call has returned, unless the commit says otherwise.
    pub durability: Durability,
    /// Bytes for memtables and block cache together.
    pub memory_budget: usize,
    /// Bytes of log that are kept for [`crate::Db::changes`] after their keys were flushed to segments. Log with
    /// records of streams that were not trimmed is kept whatever this says. `u64::MAX` keeps everything.
    pub changes_retention_bytes: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Exclusive,
            durability: Durability::Os,
            memory_budget: 256 << 20,
            changes_retention_bytes: 1 << 30,
        }
    }
}

/// What a handle may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Reads what was committed when it was opened; writes nothing, takes no lock.
    Read,
    /// Reads and writes; another writer is refused with [`crate::ErrorKind::Busy`] and the holder's process id.
    Exclusive,
}

/// What a commit survives once its call has returned. Each level includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// The end of the process, whatever ends it: the commit was handed to the operating system.
    Os,
    /// A power cut: the commit was synced to the disk.
    Disk,
}
