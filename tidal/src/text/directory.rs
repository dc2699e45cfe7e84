//! The files of the index as tantivy sees them.
//!
//! 1. What tantivy writes stays in memory (up to [`PENDING_BYTES_MAX`]; beyond it goes to disk at once), so that a
//!    commit that only makes a document visible costs no disk access and no sync.
//! 2. [`SegmentDirectory::persist`] writes the files that the latest commit needs and are not on disk yet, syncs them
//!    and the directory, then replaces the checkpoint file, then removes what no checkpoint needs any more.
//!
//! So the disk always holds exactly the index of the last successful checkpoint, whole, plus files that nobody names;
//! those are swept when the index is opened. tantivy's two small files of its own (`meta.json`, `.managed.json`) live
//! in memory and in the checkpoint only.
//!
//! The database's own lock keeps other processes out, so tantivy's locks are no-ops here. There is no watching: the
//! only writer reloads its reader itself.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kv0_env::{File, FileSystem};
use parking_lot::Mutex;
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, OwnedBytes, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

use super::checkpoint::{CHECKPOINT_FILE, Checkpoint, FileStamp, create_anew, read_whole, write_file};
use super::limits::{PENDING_BYTES_MAX, RESIDENT_FILE_BYTES_MAX};

/// tantivy's description of the committed segments.
const META_FILE: &str = "meta.json";
/// tantivy's list of the files that are its own.
const MANAGED_FILE: &str = ".managed.json";
/// Bytes that are read at once to verify a file that is not kept.
const VERIFY_CHUNK_BYTES: usize = 1 << 20;

/// A tantivy directory over a [`FileSystem`]; clones are the same directory.
#[derive(Clone)]
pub(super) struct SegmentDirectory {
    shared: Arc<Shared>,
}

struct Shared {
    files: Arc<dyn FileSystem>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    segment_files: BTreeMap<String, Entry>,
    small_files: BTreeMap<String, Vec<u8>>,
    /// On disk, deleted by tantivy, but perhaps still named by the checkpoint on disk.
    obsolete: Vec<String>,
    /// Bytes in memory that are not on disk.
    pending_bytes: u64,
    /// Numbers the files in the order of their creation, which is the order in which they are persisted.
    created: u64,
}

struct Entry {
    content: Content,
    crc32: u32,
    on_disk: bool,
    number: u64,
}

#[derive(Clone)]
enum Content {
    Resident(OwnedBytes),
    OnDisk(Arc<dyn File>, usize),
}

impl Content {
    fn size(&self) -> usize {
        match self {
            Content::Resident(bytes) => bytes.len(),
            Content::OnDisk(_, size) => *size,
        }
    }
}

impl SegmentDirectory {
    /// An empty directory. Whatever is on disk stays there until the first [`SegmentDirectory::persist`] or
    /// [`SegmentDirectory::sweep`].
    pub(super) fn empty(files: Arc<dyn FileSystem>) -> SegmentDirectory {
        SegmentDirectory { shared: Arc::new(Shared { files, state: Mutex::default() }) }
    }

    /// The directory as a checkpoint describes it. Every file is read once and compared with its size and checksum,
    /// so that tantivy never sees a byte that was not written.
    ///
    /// # Errors
    /// Outside: the disk failed. Inside: which file is not what the checkpoint says.
    pub(super) fn load(
        files: Arc<dyn FileSystem>,
        checkpoint: &Checkpoint,
    ) -> io::Result<Result<SegmentDirectory, String>> {
        let mut state = State::default();
        let mut names = vec![META_FILE.to_owned()];
        for stamp in &checkpoint.files {
            let content = match load_file(&*files, stamp)? {
                Ok(content) => content,
                Err(damage) => return Ok(Err(format!("{}: {damage}", stamp.name))),
            };
            state.created += 1;
            let entry = Entry { content, crc32: stamp.crc32, on_disk: true, number: state.created };
            state.segment_files.insert(stamp.name.clone(), entry);
            names.push(stamp.name.clone());
        }
        let managed = serde_json::to_vec(&names).map_err(io::Error::other)?;
        state.small_files.insert(META_FILE.to_owned(), checkpoint.segments.clone());
        state.small_files.insert(MANAGED_FILE.to_owned(), managed);
        Ok(Ok(SegmentDirectory { shared: Arc::new(Shared { files, state: Mutex::new(state) }) }))
    }

    /// Removes the files on disk that are not part of this directory: what a crash left behind. The checkpoint must
    /// have been written or removed before.
    pub(super) fn sweep(&self) -> io::Result<()> {
        let state = self.shared.state.lock();
        for found in self.shared.files.list("")? {
            let known = found.name == CHECKPOINT_FILE
                || state.segment_files.get(&found.name).is_some_and(|entry| entry.on_disk);
            if !known && !found.is_dir {
                self.shared.files.remove(&found.name)?;
            }
        }
        Ok(())
    }

    /// Makes the latest commit durable, together with `position`; `live` are the files that it needs.
    ///
    /// After an error the disk still holds the last checkpoint or, if the error came late, this one; calling again
    /// writes every file that was not synced anew.
    pub(super) fn persist(&self, position: u64, built_for: &str, live: &[String]) -> io::Result<()> {
        let files = &*self.shared.files;
        let mut pending = Vec::new();
        {
            let state = self.shared.state.lock();
            for name in live {
                let entry = state.segment_files.get(name).ok_or_else(|| missing(name))?;
                if let (Content::Resident(bytes), false) = (&entry.content, entry.on_disk) {
                    pending.push((entry.number, name.clone(), bytes.clone()));
                }
            }
        }
        pending.sort_by_key(|&(number, ..)| number);
        for (_, name, bytes) in &pending {
            write_file(files, name, bytes)?;
        }
        files.sync_dir("")?;
        let checkpoint = {
            let mut state = self.shared.state.lock();
            for (_, name, bytes) in &pending {
                state.pending_bytes = state.pending_bytes.saturating_sub(bytes.len() as u64);
                if let Some(entry) = state.segment_files.get_mut(name) {
                    entry.on_disk = true;
                }
            }
            state.checkpoint(position, built_for, live)?
        };
        checkpoint.write(files)?;
        self.remove_obsolete();
        Ok(())
    }

    /// Removes what no checkpoint names. A file that cannot be removed stays for the next time: it is only waste.
    fn remove_obsolete(&self) {
        let obsolete = std::mem::take(&mut self.shared.state.lock().obsolete);
        let failed = obsolete.into_iter().filter(|name| {
            self.shared.files.remove(name).is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        });
        let failed: Vec<String> = failed.collect();
        self.shared.state.lock().obsolete.extend(failed);
    }
}

impl State {
    fn checkpoint(&self, position: u64, built_for: &str, live: &[String]) -> io::Result<Checkpoint> {
        let segments = self.small_files.get(META_FILE).ok_or_else(|| missing(META_FILE))?.clone();
        let mut stamps = Vec::with_capacity(live.len());
        for name in live {
            let entry = self.segment_files.get(name).ok_or_else(|| missing(name))?;
            stamps.push(FileStamp {
                name: name.clone(),
                size_bytes: entry.content.size() as u64,
                crc32: entry.crc32,
            });
        }
        stamps.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Checkpoint { position, built_for: built_for.to_owned(), segments, files: stamps })
    }

    fn insert(&mut self, name: String, content: Content, crc32: u32, on_disk: bool) {
        if !on_disk {
            self.pending_bytes += content.size() as u64;
        }
        self.created += 1;
        self.segment_files.insert(name, Entry { content, crc32, on_disk, number: self.created });
    }
}

fn missing(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{name} is not part of the text index"))
}

fn load_file(files: &dyn FileSystem, stamp: &FileStamp) -> io::Result<Result<Content, String>> {
    let file = match files.open_read(&stamp.name) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => {
            return Ok(Err("the file is missing".to_owned()));
        }
        Err(error) => return Err(error),
    };
    let size = file.size()?;
    if size != stamp.size_bytes {
        return Ok(Err(format!("{size} bytes, expected {}", stamp.size_bytes)));
    }
    let length = usize::try_from(size).map_err(io::Error::other)?;
    let (content, found) = if size <= RESIDENT_FILE_BYTES_MAX {
        let bytes = read_whole(&*file, size)?;
        let crc = crc32fast::hash(&bytes);
        (Content::Resident(OwnedBytes::new(bytes)), crc)
    } else {
        let crc = checksum(&*file, size)?;
        (Content::OnDisk(file, length), crc)
    };
    if found != stamp.crc32 {
        return Ok(Err(format!("checksum {found:08x}, expected {:08x}", stamp.crc32)));
    }
    Ok(Ok(content))
}

fn checksum(file: &dyn File, size: u64) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    let mut chunk = vec![0; VERIFY_CHUNK_BYTES];
    let mut offset = 0;
    while offset < size {
        let read = file.read_at(&mut chunk, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        hasher.update(&chunk[..read]);
        offset += read as u64;
    }
    Ok(hasher.finalize())
}

fn name_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl fmt::Debug for SegmentDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentDirectory({})", self.shared.files.describe())
    }
}

impl Directory for SegmentDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        match self.shared.state.lock().segment_files.get(&name_of(path)) {
            Some(entry) => Ok(Arc::new(SegmentFile { content: entry.content.clone() })),
            None => Err(OpenReadError::FileDoesNotExist(path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut state = self.shared.state.lock();
        let name = name_of(path);
        if state.small_files.remove(&name).is_some() {
            return Ok(());
        }
        let Some(entry) = state.segment_files.remove(&name) else {
            return Err(DeleteError::FileDoesNotExist(path.to_owned()));
        };
        if entry.on_disk {
            state.obsolete.push(name);
        } else {
            state.pending_bytes = state.pending_bytes.saturating_sub(entry.content.size() as u64);
        }
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let state = self.shared.state.lock();
        let name = name_of(path);
        Ok(state.segment_files.contains_key(&name) || state.small_files.contains_key(&name))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        if self.shared.state.lock().segment_files.contains_key(&name_of(path)) {
            return Err(OpenWriteError::FileAlreadyExists(path.to_owned()));
        }
        let writer = SegmentFileWriter {
            directory: self.clone(),
            path: path.to_owned(),
            buffer: Vec::new(),
            spilled: None,
            hasher: crc32fast::Hasher::new(),
        };
        Ok(BufWriter::new(Box::new(writer)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let state = self.shared.state.lock();
        let found = state.small_files.get(&name_of(path)).cloned();
        found.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.shared.state.lock().small_files.insert(name_of(path), data.to_vec());
        Ok(())
    }

    /// Nothing to do: [`SegmentDirectory::persist`] syncs.
    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// An open file. It stays readable after the file was deleted.
struct SegmentFile {
    content: Content,
}

impl fmt::Debug for SegmentFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentFile({} bytes)", self.content.size())
    }
}

impl HasLen for SegmentFile {
    fn len(&self) -> usize {
        self.content.size()
    }
}

impl FileHandle for SegmentFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.content.size() {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("bytes {range:?} of a file of {} bytes", self.content.size()),
            ));
        }
        match &self.content {
            Content::Resident(bytes) => Ok(bytes.slice(range)),
            Content::OnDisk(file, _) => {
                let mut bytes = vec![0; range.len()];
                file.read_exact_at(&mut bytes, range.start as u64)?;
                Ok(OwnedBytes::new(bytes))
            }
        }
    }
}

/// A file being written: in memory, and on disk from the moment that too much is pending.
struct SegmentFileWriter {
    directory: SegmentDirectory,
    path: PathBuf,
    buffer: Vec<u8>,
    spilled: Option<(Arc<dyn File>, u64)>,
    hasher: crc32fast::Hasher,
}

impl SegmentFileWriter {
    fn spill(&mut self) -> io::Result<()> {
        let (file, offset) = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert((create_anew(&*self.directory.shared.files, &name_of(&self.path))?, 0)),
        };
        file.write_at(&self.buffer, *offset)?;
        *offset += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for SegmentFileWriter {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.hasher.update(data);
        self.buffer.extend_from_slice(data);
        let pending = self.directory.shared.state.lock().pending_bytes;
        let room = PENDING_BYTES_MAX.saturating_sub(pending);
        let spill_at = if self.spilled.is_some() { VERIFY_CHUNK_BYTES as u64 } else { room };
        if self.buffer.len() as u64 > spill_at {
            self.spill()?;
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for SegmentFileWriter {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        let crc32 = std::mem::take(&mut self.hasher).finalize();
        if self.spilled.is_some() {
            self.spill()?;
        }
        let (content, on_disk) = match self.spilled.take() {
            None => (Content::Resident(OwnedBytes::new(std::mem::take(&mut self.buffer))), false),
            Some((file, size)) => {
                file.sync()?;
                let length = usize::try_from(size).map_err(io::Error::other)?;
                let content = if size <= RESIDENT_FILE_BYTES_MAX {
                    Content::Resident(OwnedBytes::new(read_whole(&*file, size)?))
                } else {
                    Content::OnDisk(file, length)
                };
                (content, true)
            }
        };
        self.directory.shared.state.lock().insert(name_of(&self.path), content, crc32, on_disk);
        Ok(())
    }
}
