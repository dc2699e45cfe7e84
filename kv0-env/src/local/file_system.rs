//! A directory of this machine as a tree of files.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::durable;
use crate::path::{check_dir, check_file};
use crate::{DirEntry, File, FileLock, FileSystem, LockError};

/// The longest text of a lock's holder that is read back.
const MAX_OWNER_BYTES: u64 = 4096;

/// The files below one directory.
#[derive(Debug)]
pub struct LocalFileSystem {
    root: PathBuf,
}

impl LocalFileSystem {
    /// Opens the tree below a directory. What is missing of it is created, durably. A relative path is resolved now,
    /// so that the process may change its directory later.
    ///
    /// # Errors
    /// What the system says when the directory cannot be created, or is not one.
    pub fn open(root: impl AsRef<Path>) -> io::Result<Arc<LocalFileSystem>> {
        let root = std::path::absolute(root)?;
        durable::create_dir_all(&root).map_err(|error| naming(error, &root))?;
        Ok(Arc::new(LocalFileSystem { root }))
    }

    fn file_path(&self, path: &str) -> io::Result<PathBuf> {
        check_file(path)?;
        Ok(self.root.join(path))
    }

    fn dir_path(&self, dir: &str) -> io::Result<PathBuf> {
        check_dir(dir)?;
        Ok(if dir.is_empty() { self.root.clone() } else { self.root.join(dir) })
    }

    fn open_with(&self, options: &OpenOptions, path: &str, writable: bool) -> io::Result<Arc<dyn File>> {
        let full = self.file_path(path)?;
        let file = options.open(&full).map_err(|error| naming(error, &full))?;
        if file.metadata()?.is_dir() {
            return Err(is_a_directory(&full));
        }
        Ok(Arc::new(LocalFile { file, path: full, writable }))
    }
}

impl FileSystem for LocalFileSystem {
    fn create_dir_all(&self, dir: &str) -> io::Result<()> {
        let full = self.dir_path(dir)?;
        fs::create_dir_all(&full).map_err(|error| naming(error, &full))
    }

    fn create_new(&self, path: &str) -> io::Result<Arc<dyn File>> {
        self.open_with(OpenOptions::new().read(true).write(true).create_new(true), path, true)
    }

    fn open_read(&self, path: &str) -> io::Result<Arc<dyn File>> {
        self.open_with(OpenOptions::new().read(true), path, false)
    }

    fn open_write(&self, path: &str) -> io::Result<Arc<dyn File>> {
        self.open_with(OpenOptions::new().read(true).write(true), path, true)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (self.file_path(from)?, self.file_path(to)?);
        if fs::symlink_metadata(&from).map_err(|error| naming(error, &from))?.is_dir() {
            return Err(is_a_directory(&from));
        }
        fs::rename(&from, &to).map_err(|error| naming(error, &to))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        let full = self.file_path(path)?;
        fs::remove_file(&full).map_err(|error| naming(error, &full))
    }

    fn list(&self, dir: &str) -> io::Result<Vec<DirEntry>> {
        let full = self.dir_path(dir)?;
        let mut entries = Vec::new();
        for entry in fs::read_dir(&full).map_err(|error| naming(error, &full))? {
            let entry = entry.map_err(|error| naming(error, &full))?;
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                // Removed since the directory was read: it is not there.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(naming(error, &entry.path())),
            };
            let name = entry.file_name().into_string().map_err(|name| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("{}: the name {name:?} is not UTF-8", full.display()),
                )
            })?;
            let is_dir = metadata.is_dir();
            entries.push(DirEntry { name, size: if is_dir { 0 } else { metadata.len() }, is_dir });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn size(&self, path: &str) -> io::Result<Option<u64>> {
        let full = self.file_path(path)?;
        match fs::metadata(&full) {
            Ok(metadata) => Ok((!metadata.is_dir()).then_some(metadata.len())),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(naming(error, &full)),
        }
    }

    fn sync_dir(&self, dir: &str) -> io::Result<()> {
        let full = self.dir_path(dir)?;
        if !fs::metadata(&full).map_err(|error| naming(error, &full))?.is_dir() {
            return Err(naming(io::ErrorKind::NotADirectory.into(), &full));
        }
        durable::sync_dir(&full).map_err(|error| naming(error, &full))
    }

    fn lock(&self, path: &str, owner: &str) -> Result<Box<dyn FileLock>, LockError> {
        let full = self.file_path(path).map_err(LockError::Io)?;
        lock_file(&full, owner).map_err(|error| match error {
            LockError::Io(error) => LockError::Io(naming(error, &full)),
            held @ LockError::Held(_) => held,
        })
    }

    fn subdirectory(&self, dir: &str) -> io::Result<Arc<dyn FileSystem>> {
        Ok(LocalFileSystem::open(self.dir_path(dir)?)?)
    }

    fn describe(&self) -> String {
        self.root.display().to_string()
    }
}

fn lock_file(full: &Path, owner: &str) -> Result<Box<dyn FileLock>, LockError> {
    // Not truncated here: until the lock is ours the text is somebody else's.
    let mut options = OpenOptions::new();
    let file =
        options.read(true).write(true).create(true).truncate(false).open(full).map_err(LockError::Io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = Vec::new();
            (&file).take(MAX_OWNER_BYTES).read_to_end(&mut text).map_err(LockError::Io)?;
            return Err(LockError::Held(String::from_utf8_lossy(&text).into_owned()));
        }
        Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
    }
    match file.set_len(0).and_then(|()| file.write_all_at(owner.as_bytes(), 0)) {
        // The lock is what counts: a database on a full disk must still open.
        Err(error) if error.kind() != io::ErrorKind::StorageFull => return Err(LockError::Io(error)),
        _ => {}
    }
    Ok(Box::new(LocalLock { _file: file }))
}

/// The lock belongs to the open file and ends with it.
#[derive(Debug)]
struct LocalLock {
    _file: fs::File,
}

impl FileLock for LocalLock {}

#[derive(Debug)]
struct LocalFile {
    file: fs::File,
    path: PathBuf,
    writable: bool,
}

impl LocalFile {
    fn check_writable(&self) -> io::Result<()> {
        if self.writable { Ok(()) } else { Err(naming(io::ErrorKind::PermissionDenied.into(), &self.path)) }
    }
}

impl File for LocalFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            let Some(position) = offset.checked_add(read as u64) else {
                break;
            };
            match self.file.read_at(&mut buffer[read..], position) {
                Ok(0) => break,
                Ok(count) => read += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(naming(error, &self.path)),
            }
        }
        Ok(read)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.check_writable()?;
        self.file.write_all_at(data, offset).map_err(|error| naming(error, &self.path))
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata().map_err(|error| naming(error, &self.path))?.len())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.check_writable()?;
        self.file.set_len(size).map_err(|error| naming(error, &self.path))
    }

    /// `fdatasync`, which leaves out times but not what is needed to find the data again: size changes are durable.
    fn sync(&self) -> io::Result<()> {
        self.file.sync_data().map_err(|error| naming(error, &self.path))
    }
}

fn is_a_directory(path: &Path) -> io::Error {
    naming(io::ErrorKind::IsADirectory.into(), path)
}

/// The same error with the path in its message.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn naming(error: io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
