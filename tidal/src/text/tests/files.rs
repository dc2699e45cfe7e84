//! A file system in memory that forgets what was not synced.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use kv0_env::{DirEntry, File, FileLock, FileSystem, LockError};
use parking_lot::Mutex;

/// One directory. A crash keeps synced bytes under synced names.
#[derive(Debug, Default)]
pub(super) struct TestFiles {
    names: Mutex<BTreeMap<String, Arc<TestFile>>>,
    durable: Mutex<BTreeMap<String, Arc<TestFile>>>,
    /// Changes that succeed before every further one fails.
    budget: Mutex<Option<u64>>,
}

#[derive(Debug, Default)]
struct TestFile {
    bytes: Mutex<Vec<u8>>,
    synced: Mutex<Vec<u8>>,
}

/// A handle knows the tree for its budget.
#[derive(Debug)]
struct Handle {
    files: Arc<TestFiles>,
    file: Arc<TestFile>,
}

#[derive(Debug)]
struct Shared(Arc<TestFiles>);

impl TestFiles {
    pub(super) fn new() -> Arc<TestFiles> {
        Arc::default()
    }

    /// What a restart finds after a power cut.
    pub(super) fn crash(&self) -> Arc<TestFiles> {
        let after = TestFiles::default();
        for (name, file) in self.durable.lock().iter() {
            let synced = file.synced.lock().clone();
            let file = TestFile { bytes: Mutex::new(synced.clone()), synced: Mutex::new(synced) };
            after.names.lock().insert(name.clone(), Arc::new(file));
        }
        after.durable.lock().clone_from(&after.names.lock());
        Arc::new(after)
    }

    /// Lets `changes` changes succeed and then none.
    pub(super) fn fail_after(&self, changes: u64) {
        *self.budget.lock() = Some(changes);
    }

    pub(super) fn heal(&self) {
        *self.budget.lock() = None;
    }

    pub(super) fn file_names(&self) -> Vec<String> {
        self.names.lock().keys().cloned().collect()
    }

    pub(super) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(&mut self.names.lock()[name].bytes.lock());
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        let file = TestFile { bytes: Mutex::new(bytes.to_vec()), ..TestFile::default() };
        self.names.lock().insert(name.to_owned(), Arc::new(file));
    }

    fn spend(&self) -> io::Result<()> {
        match &mut *self.budget.lock() {
            Some(0) => Err(io::Error::other("the disk failed")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn handle(self: &Arc<Self>, path: &str) -> io::Result<Arc<dyn File>> {
        let file = self.names.lock().get(path).cloned().ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::new(Handle { files: self.clone(), file }))
    }
}

impl FileSystem for Shared {
    fn create_dir_all(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn create_new(&self, path: &str) -> io::Result<Arc<dyn File>> {
        self.0.spend()?;
        if self.0.names.lock().contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.0.names.lock().insert(path.to_owned(), Arc::default());
        self.0.handle(path)
    }

    fn open_read(&self, path: &str) -> io::Result<Arc<dyn File>> {
        self.0.handle(path)
    }

    fn open_write(&self, path: &str) -> io::Result<Arc<dyn File>> {
        self.0.handle(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.spend()?;
        let mut names = self.0.names.lock();
        let file = names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        names.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.0.spend()?;
        self.0.names.lock().remove(path).map(|_| ()).ok_or(io::ErrorKind::NotFound.into())
    }

    fn list(&self, _: &str) -> io::Result<Vec<DirEntry>> {
        let names = self.0.names.lock();
        Ok(names.keys().map(|name| DirEntry { name: name.clone(), size: 0, is_dir: false }).collect())
    }

    fn size(&self, path: &str) -> io::Result<Option<u64>> {
        Ok(self.0.names.lock().get(path).map(|file| file.bytes.lock().len() as u64))
    }

    fn sync_dir(&self, _: &str) -> io::Result<()> {
        self.0.spend()?;
        self.0.durable.lock().clone_from(&self.0.names.lock());
        Ok(())
    }

    fn lock(&self, _: &str, _: &str) -> Result<Box<dyn FileLock>, LockError> {
        Err(LockError::Held("the index takes no lock".to_owned()))
    }

    fn subdirectory(&self, _: &str) -> io::Result<Arc<dyn FileSystem>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn describe(&self) -> String {
        "test".to_owned()
    }
}

impl File for Handle {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.file.bytes.lock();
        let start = usize::try_from(offset).unwrap().min(bytes.len());
        let length = buffer.len().min(bytes.len() - start);
        buffer[..length].copy_from_slice(&bytes[start..start + length]);
        Ok(length)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.files.spend()?;
        let mut bytes = self.file.bytes.lock();
        let start = usize::try_from(offset).unwrap();
        let length = bytes.len().max(start + data.len());
        bytes.resize(length, 0);
        bytes[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.file.bytes.lock().len() as u64)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.bytes.lock().resize(usize::try_from(size).unwrap(), 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.files.spend()?;
        self.file.synced.lock().clone_from(&self.file.bytes.lock());
        Ok(())
    }
}

/// The tree as a file system.
pub(super) fn shared(files: &Arc<TestFiles>) -> Arc<dyn FileSystem> {
    Arc::new(Shared(files.clone()))
}
