//! Files and directories.

use std::fmt;
use std::io;
use std::sync::Arc;

/// A tree of files below one root.
///
/// Paths are relative to the root, `/`-separated, without `.` or `..`; an absolute path or one with such a part
/// is `InvalidInput`. The empty path is the root directory itself.
///
/// What survives a power cut: the bytes of a file up to its last successful [`File::sync`]; a name (created,
/// renamed or removed) up to the last successful [`FileSystem::sync_dir`] of its directory. Everything else may
/// be there, be gone, or be there in part.
pub trait FileSystem: Send + Sync + fmt::Debug {
    /// Creates a directory and its missing parents; succeeds if it exists.
    fn create_dir_all(&self, dir: &str) -> io::Result<()>;

    /// Creates a file for reading and writing. `AlreadyExists` if the name is taken.
    fn create_new(&self, path: &str) -> io::Result<Arc<dyn File>>;

    /// Opens an existing file for reading. `NotFound` if there is none.
    fn open_read(&self, path: &str) -> io::Result<Arc<dyn File>>;

    /// Opens an existing file for reading and writing. `NotFound` if there is none.
    fn open_write(&self, path: &str) -> io::Result<Arc<dyn File>>;

    /// Renames a file, never a directory, replacing the target at once: an observer sees the old target or the new one.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. Handles that are open keep working.
    fn remove(&self, path: &str) -> io::Result<()>;

    /// The entries of a directory, sorted by name. `NotFound` if it does not exist.
    fn list(&self, dir: &str) -> io::Result<Vec<DirEntry>>;

    /// The size of a file in bytes, or `None` if there is no such file (a directory is none).
    fn size(&self, path: &str) -> io::Result<Option<u64>>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &str) -> io::Result<()>;

    /// Takes the exclusive advisory lock on a file, creating the file if need be, and writes `owner` into it.
    ///
    /// Never waits. The lock is held for the life of the returned value and is dropped by the system when the
    /// process dies, however it dies. The file stays: its name is not the lock. On a full disk the text may be missing.
    ///
    /// # Errors
    /// [`LockError::Held`] with the text that the holder wrote, or the I/O error.
    fn lock(&self, path: &str, owner: &str) -> Result<Box<dyn FileLock>, LockError>;

    /// The tree below a directory of this one. What is missing of it is created, durably: who is given the tree cannot
    /// reach the directory that holds its name.
    fn subdirectory(&self, dir: &str) -> io::Result<Arc<dyn FileSystem>>;

    /// Where this tree is, for messages: a path, or a made-up name for a tree in memory.
    fn describe(&self) -> String;
}

/// An open file. All methods may be called from several threads; positions are absolute.
pub trait File: Send + Sync + fmt::Debug {
    /// Reads up to `buffer.len()` bytes at `offset`; fewer only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of `data` at `offset`, extending the file (with zeros before `offset` if it was shorter).
    /// After an error any part of it may have been written. `PermissionDenied` if opened for reading only.
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// The current size in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Cuts or extends (with zeros) to `size` bytes. `PermissionDenied` if opened for reading only.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Makes content and size durable. After an error nothing may be assumed about any byte written since the last
    /// successful sync, and calling again proves nothing.
    fn sync(&self) -> io::Result<()>;

    /// Reads exactly `buffer.len()` bytes at `offset`; `UnexpectedEof` if the file is shorter.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let read = self.read_at(buffer, offset)?;
        if read == buffer.len() {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("wanted {} bytes at offset {offset}, found {read}", buffer.len()),
        ))
    }
}

/// Holding this value is holding the lock.
pub trait FileLock: Send + Sync + fmt::Debug {}

/// Why a lock was not taken.
#[derive(Debug)]
pub enum LockError {
    /// Somebody holds it; the text is what they wrote when they took it.
    Held(String),
    /// The lock file could not be used at all.
    Io(io::Error),
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// The last part of the path.
    pub name: String,
    /// Size in bytes; 0 for a directory.
    pub size: u64,
    /// Whether it is a directory.
    pub is_dir: bool,
}
