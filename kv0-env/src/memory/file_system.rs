//! The disk in memory behind the traits, and the controls of its faults.

use std::io;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::disk::{Disk, Process, error};
use super::failure::Failure;
use super::names::{Entry, Inode};
use crate::path::{ancestors, check_dir, check_file, join, parent};
use crate::{DirEntry, File, FileLock, FileSystem, LockError};

/// A disk in memory, with all faults of `docs/fault-model.md`.
///
/// The value itself stands for the machine: it goes on working after a crash, for the process that comes next. What it
/// gave out before (files, locks, sub-trees) fails then. Controls are not I/O: they are neither counted nor failed, and
/// their paths start at the root of the disk.
#[derive(Debug)]
pub struct MemoryFileSystem {
    disk: Arc<Mutex<Disk>>,
    /// The directory that this tree shows; the root is empty.
    root: String,
    /// Whose tree it is; `None` is the machine, which never dies.
    process: Option<Process>,
}

impl MemoryFileSystem {
    /// An empty disk.
    #[must_use]
    pub fn new() -> Arc<MemoryFileSystem> {
        MemoryFileSystem::of(Disk::default())
    }

    fn of(disk: Disk) -> Arc<MemoryFileSystem> {
        Arc::new(MemoryFileSystem { disk: Arc::new(Mutex::new(disk)), root: String::new(), process: None })
    }

    /// The same disk as the process that runs now sees it: it fails when the process is killed.
    #[must_use]
    pub fn process(&self) -> Arc<dyn FileSystem> {
        Arc::new(self.tree(String::new(), self.disk.lock().process()))
    }

    /// A copy of the whole disk, unsynced state, planned failures and count included. Nobody has a file of it open.
    #[must_use]
    pub fn fork(&self) -> Arc<MemoryFileSystem> {
        let mut disk = self.disk.lock().clone();
        disk.kill();
        MemoryFileSystem::of(disk)
    }

    /// How many calls were made on files and trees so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.disk.lock().failures.calls()
    }

    /// Lets the call with this number fail; the first call ever has number 1, the next one `operations() + 1`.
    /// Several failures may be planned.
    pub fn fail_at(&self, operation: u64, failure: Failure) {
        self.disk.lock().failures.plan(operation, failure);
    }

    /// Forgets all failures that were planned.
    pub fn clear_failures(&self) {
        self.disk.lock().failures.clear();
    }

    /// Lets the disk hold so many bytes of files; names cost nothing, but cannot be created on a full disk.
    pub fn set_capacity(&self, bytes: Option<u64>) {
        self.disk.lock().capacity = bytes;
    }

    /// The bytes of all files that have a name or an open handle.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.disk.lock().used_bytes()
    }

    /// Lets all syncs return success and do nothing.
    pub fn set_lying_syncs(&self, lie: bool) {
        self.disk.lock().syncs_lie = lie;
    }

    /// Kills the process: its files, locks and trees fail from now on, what it wrote stays, synced or not.
    pub fn kill(&self) {
        self.disk.lock().kill();
    }

    /// Cuts the power: one of the states that the fault model allows stays, chosen by the seed, and the process is dead.
    pub fn power_cut(&self, seed: u64) {
        self.disk.lock().power_cut(seed);
    }

    /// Changes a byte at rest by `mask` (exclusive or), in what is read and in what any crash leaves.
    ///
    /// # Errors
    /// `NotFound` without such a file, `InvalidInput` behind its end.
    pub fn flip(&self, path: &str, offset: u64, mask: u8) -> io::Result<()> {
        let mut disk = self.disk.lock();
        let inode = disk.file(path)?;
        let size = disk.content(inode).size();
        let Some(offset) = usize::try_from(offset).ok().filter(|&offset| offset < size) else {
            let message = format!("{path}: no byte at offset {offset}, the file has {size}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        };
        disk.content_mut(inode).flip(offset, mask);
        Ok(())
    }

    /// All files with their sizes, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> Vec<(String, u64)> {
        let disk = self.disk.lock();
        disk.names.files().map(|(name, inode)| (name.clone(), disk.content(inode).size() as u64)).collect()
    }

    /// What a read of the whole file shows.
    ///
    /// # Errors
    /// `NotFound` without such a file.
    pub fn read_all(&self, path: &str) -> io::Result<Vec<u8>> {
        let disk = self.disk.lock();
        let inode = disk.file(path)?;
        Ok(disk.content(inode).bytes().to_vec())
    }

    /// Gives a file this content. It is created with the directories above if need be, and synced with all names in
    /// them.
    ///
    /// # Errors
    /// Those of [`FileSystem::create_new`], except that the file may exist.
    pub fn write_all(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        check_file(path)?;
        let mut disk = self.disk.lock();
        disk.create_dir_all(parent(path))?;
        let inode = match disk.names.get(path) {
            None => disk.create_new(path)?,
            Some(_) => disk.file(path)?,
        };
        let content = disk.content_mut(inode);
        content.set_size(0)?;
        content.write_at(bytes, 0)?;
        content.sync();
        sync_names_of(&mut disk, path);
        Ok(())
    }

    fn tree(&self, root: String, process: Process) -> MemoryFileSystem {
        MemoryFileSystem { disk: Arc::clone(&self.disk), root, process: Some(process) }
    }

    /// The disk, locked, and the process that this tree belongs to.
    fn enter(&self) -> (MutexGuard<'_, Disk>, Process) {
        let disk = self.disk.lock();
        let process = self.process.unwrap_or_else(|| disk.process());
        (disk, process)
    }

    /// One call: counted, failed if planned, done.
    fn call<T>(&self, work: impl FnOnce(&mut Disk) -> io::Result<T>) -> io::Result<T> {
        let (mut disk, process) = self.enter();
        disk.call(process, work)
    }

    fn file_path(&self, path: &str) -> io::Result<String> {
        check_file(path)?;
        Ok(join(&self.root, path))
    }

    fn dir_path(&self, dir: &str) -> io::Result<String> {
        check_dir(dir)?;
        Ok(join(&self.root, dir))
    }

    /// One call that ends in an open file.
    fn open(
        &self,
        writable: bool,
        find: impl FnOnce(&mut Disk) -> io::Result<Inode>,
    ) -> io::Result<Arc<dyn File>> {
        let (mut disk, process) = self.enter();
        let inode = disk.call(process, find)?;
        // Not before: a call that fails after its full effect leaves the file, but no handle that will be dropped.
        disk.opened(inode);
        Ok(Arc::new(MemoryFile { disk: Arc::clone(&self.disk), inode, process, writable }))
    }
}

impl FileSystem for MemoryFileSystem {
    fn create_dir_all(&self, dir: &str) -> io::Result<()> {
        let dir = self.dir_path(dir)?;
        self.call(|disk| disk.create_dir_all(&dir))
    }

    fn create_new(&self, path: &str) -> io::Result<Arc<dyn File>> {
        let path = self.file_path(path)?;
        self.open(true, |disk| disk.create_new(&path))
    }

    fn open_read(&self, path: &str) -> io::Result<Arc<dyn File>> {
        let path = self.file_path(path)?;
        self.open(false, |disk| disk.file(&path))
    }

    fn open_write(&self, path: &str) -> io::Result<Arc<dyn File>> {
        let path = self.file_path(path)?;
        self.open(true, |disk| disk.file(&path))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (self.file_path(from)?, self.file_path(to)?);
        self.call(|disk| disk.rename(&from, &to))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        let path = self.file_path(path)?;
        self.call(|disk| disk.remove(&path))
    }

    fn list(&self, dir: &str) -> io::Result<Vec<DirEntry>> {
        let dir = self.dir_path(dir)?;
        self.call(|disk| {
            disk.check_dir(&dir)?;
            let entry = |(name, entry): (&str, Entry)| {
                let (size, is_dir) = match entry {
                    Entry::File(inode) => (disk.content(inode).size() as u64, false),
                    Entry::Dir => (0, true),
                };
                DirEntry { name: name.to_owned(), size, is_dir }
            };
            Ok(disk.names.children(&dir).map(entry).collect())
        })
    }

    fn size(&self, path: &str) -> io::Result<Option<u64>> {
        let path = self.file_path(path)?;
        self.call(|disk| Ok(disk.file(&path).ok().map(|inode| disk.content(inode).size() as u64)))
    }

    fn sync_dir(&self, dir: &str) -> io::Result<()> {
        let dir = self.dir_path(dir)?;
        self.call(|disk| disk.sync_dir(&dir))
    }

    fn lock(&self, path: &str, owner: &str) -> Result<Box<dyn FileLock>, LockError> {
        let path = self.file_path(path).map_err(LockError::Io)?;
        let find = |disk: &mut Disk| match disk.names.get(&path) {
            None => disk.create_new(&path),
            Some(_) => disk.file(&path),
        };
        let (mut disk, process) = self.enter();
        let inode = disk.call(process, find).map_err(LockError::Io)?;
        if let Some(holder) = disk.lock(inode, owner).map_err(LockError::Io)? {
            return Err(LockError::Held(holder));
        }
        disk.opened(inode);
        Ok(Box::new(MemoryLock { disk: Arc::clone(&self.disk), inode, process }))
    }

    fn subdirectory(&self, dir: &str) -> io::Result<Arc<dyn FileSystem>> {
        let dir = self.dir_path(dir)?;
        let process = self.call(|disk| {
            disk.create_dir_all(&dir)?;
            if !disk.syncs_lie {
                sync_names_of(disk, &dir);
            }
            Ok(disk.process())
        })?;
        Ok(Arc::new(self.tree(dir, process)))
    }

    fn describe(&self) -> String {
        format!("memory:{}", self.root)
    }
}

/// Makes a name and those of the directories above it durable.
fn sync_names_of(disk: &mut Disk, path: &str) {
    for name in ancestors(path).chain(std::iter::once(path)) {
        disk.names.sync(parent(name));
    }
}

#[derive(Debug)]
struct MemoryFile {
    disk: Arc<Mutex<Disk>>,
    inode: Inode,
    process: Process,
    writable: bool,
}

impl MemoryFile {
    fn check_writable(&self) -> io::Result<()> {
        if self.writable {
            Ok(())
        } else {
            Err(error(io::ErrorKind::PermissionDenied, "a file opened for reading"))
        }
    }
}

impl File for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.disk.lock().call(self.process, |disk| Ok(disk.content(self.inode).read_at(buffer, offset)))
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.check_writable()?;
        self.disk.lock().write_call(self.process, self.inode, data, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.disk.lock().call(self.process, |disk| Ok(disk.content(self.inode).size() as u64))
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.check_writable()?;
        self.disk.lock().call(self.process, |disk| disk.set_size(self.inode, size))
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.lock().sync_call(self.process, self.inode)
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        self.disk.lock().closed(self.process, self.inode);
    }
}

#[derive(Debug)]
struct MemoryLock {
    disk: Arc<Mutex<Disk>>,
    inode: Inode,
    process: Process,
}

impl FileLock for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut disk = self.disk.lock();
        disk.unlock(self.process, self.inode);
        disk.closed(self.process, self.inode);
    }
}
