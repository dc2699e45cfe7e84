//! An object store in a directory of this machine, shared by any number of threads and processes.
//!
//! ```text
//! lock              held while names change
//! new/<id>          bodies on their way in, each locked by its writer
//! objects/<path>    one file for each object: header, body
//! ```
//!
//! A write goes: 1. the new content is written and synced under a name of its own; 2. the lock is taken; 3. the
//! condition is judged; 4. the file is renamed over the object and the directory synced; 5. the lock is released. So a
//! reader, which takes no lock, sees one whole object or another, and between condition and change no writer comes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::{SystemRandom, durable, key_path};
use crate::object::{check_key, content_hash, cut_range};
use crate::{ETag, ObjectError, ObjectMeta, ObjectStore, PutCondition, Random};

const MAGIC: [u8; 8] = *b"kv0obj\x01\n";
/// Magic, hash of the body, unique number: 8, 8 and 16 bytes, the numbers little-endian.
const HEADER_BYTES: usize = 32;

/// Objects as files below one directory, with conditional writes that are atomic between processes.
#[derive(Debug)]
pub struct LocalObjectStore {
    objects: PathBuf,
    incoming: PathBuf,
    lock: PathBuf,
    random: SystemRandom,
}

impl LocalObjectStore {
    /// Opens the store in a directory, which is created if missing, and removes what writers that died left behind.
    ///
    /// # Errors
    /// What the system says when the directory cannot be created or read.
    pub fn open(root: impl AsRef<Path>) -> io::Result<LocalObjectStore> {
        let root = std::path::absolute(root)?;
        let store = LocalObjectStore {
            objects: root.join("objects"),
            incoming: root.join("new"),
            lock: root.join("lock"),
            random: SystemRandom::new(),
        };
        durable::create_dir_all(&store.objects)?;
        durable::create_dir_all(&store.incoming)?;
        store.remove_abandoned()?;
        Ok(store)
    }

    /// Waits for the exclusive lock on names, which is held for a few system calls at a time.
    fn lock_names(&self) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.lock)?;
        file.lock()?;
        Ok(file)
    }

    /// An incoming file whose writer lives is locked, because writers create and lock under the lock on names.
    fn remove_abandoned(&self) -> io::Result<()> {
        let _names = self.lock_names()?;
        for entry in fs::read_dir(&self.incoming)? {
            let path = entry?.path();
            let file = match File::open(&path) {
                // Its writer renamed it, which is done under the lock, or removed it after an error, which is not.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                file => file?,
            };
            if file.try_lock().is_ok() {
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }

    /// Step 1 of a write: the content under a name of its own.
    fn write_incoming(&self, body: &[u8]) -> io::Result<(Incoming, ETag)> {
        let unique = (u128::from(self.random.next_u64()) << 64) | u128::from(self.random.next_u64());
        let hash = content_hash(body);
        let path = self.incoming.join(format!("{unique:032x}"));
        let file = {
            let _names = self.lock_names()?;
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            file.lock()?;
            file
        };
        let mut incoming = Incoming { path, file };
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..16].copy_from_slice(&hash.to_le_bytes());
        header[16..].copy_from_slice(&unique.to_le_bytes());
        incoming.file.write_all(&header)?;
        incoming.file.write_all(body)?;
        incoming.file.sync_data()?;
        Ok((incoming, tag(hash, unique)))
    }

    /// Steps 2 to 5 of a write.
    fn publish(
        &self,
        incoming: &Incoming,
        key: &str,
        condition: PutCondition<'_>,
    ) -> Result<(), ObjectError> {
        let target = self.objects.join(key_path::file_of(key));
        let _names = self.lock_names().map_err(nothing_done)?;
        let holds = match condition {
            PutCondition::Always => true,
            PutCondition::Absent => !target.try_exists().map_err(nothing_done)?,
            PutCondition::Matches(expected) => match open_object(&target) {
                Ok(object) => object.etag == *expected,
                Err(ObjectError::NotFound) => false,
                Err(error) => return Err(error),
            },
        };
        if !holds {
            return Err(ObjectError::Precondition);
        }
        let parent = target.parent().expect("an object lies below the directory of all objects");
        durable::create_dir_all(parent).map_err(nothing_done)?;
        fs::rename(&incoming.path, &target).map_err(unknown)?;
        durable::sync_dir(parent).map_err(unknown)
    }

    /// Every key that begins with the prefix and lies after `after`, in order, with its file.
    fn keys(&self, prefix: &str, after: Option<&str>) -> io::Result<Vec<(String, PathBuf)>> {
        let mut found = Vec::new();
        let mut directories = vec![self.objects.join(key_path::directory_of(prefix))];
        while let Some(directory) = directories.pop() {
            let entries = match fs::read_dir(&directory) {
                // No such key, or its last object was removed just now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    directories.push(path);
                    continue;
                }
                let relative = path.strip_prefix(&self.objects).expect("found below it");
                let Some(key) = key_path::key_of(relative) else {
                    let message = format!("{} is not the file of an object", path.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                };
                if key.starts_with(prefix) && after.is_none_or(|after| key.as_str() > after) {
                    found.push((key, path));
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

impl ObjectStore for LocalObjectStore {
    fn put(&self, key: &str, body: &[u8], condition: PutCondition<'_>) -> Result<ETag, ObjectError> {
        check_key(key)?;
        let (incoming, etag) = self.write_incoming(body).map_err(nothing_done)?;
        self.publish(&incoming, key, condition)?;
        Ok(etag)
    }

    fn get(&self, key: &str, range: Option<Range<u64>>) -> Result<(Vec<u8>, ETag), ObjectError> {
        check_key(key)?;
        let object = open_object(&self.objects.join(key_path::file_of(key)))?;
        let is_whole = range.is_none();
        let range = cut_range(range, object.size);
        let length =
            usize::try_from(range.end - range.start).map_err(|_| unknown("the range exceeds the memory"))?;
        let mut body = vec![0; length];
        object.file.read_exact_at(&mut body, HEADER_BYTES as u64 + range.start).map_err(unknown)?;
        if is_whole && content_hash(&body) != object.hash {
            return Err(unknown(format!("the file of the object {key:?} is damaged")));
        }
        Ok((body, object.etag))
    }

    fn head(&self, key: &str) -> Result<ObjectMeta, ObjectError> {
        check_key(key)?;
        let object = open_object(&self.objects.join(key_path::file_of(key)))?;
        Ok(ObjectMeta { key: key.to_owned(), size: object.size, etag: object.etag })
    }

    fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<ObjectMeta>, ObjectError> {
        let mut listed = Vec::new();
        for (key, path) in self.keys(prefix, after).map_err(unknown)? {
            if listed.len() == limit {
                break;
            }
            match open_object(&path) {
                Ok(object) => listed.push(ObjectMeta { key, size: object.size, etag: object.etag }),
                // Deleted since the directory was read.
                Err(ObjectError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(listed)
    }

    fn delete(&self, key: &str) -> Result<(), ObjectError> {
        check_key(key)?;
        let target = self.objects.join(key_path::file_of(key));
        let _names = self.lock_names().map_err(nothing_done)?;
        remove_if_there(&target).map_err(unknown)?;
        // Directories that became empty go too; the lock keeps a writer from relying on one of them.
        for directory in target.ancestors().skip(1).take_while(|directory| **directory != self.objects) {
            match fs::remove_dir(directory) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    return durable::sync_dir(directory).map_err(unknown);
                }
                result => result.map_err(unknown)?,
            }
        }
        durable::sync_dir(&self.objects).map_err(unknown)
    }
}

/// A file on its way in. If it never becomes an object it is removed.
struct Incoming {
    path: PathBuf,
    file: File,
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // Not there if it became an object. What cannot be removed now is removed by the next open.
        drop(remove_if_there(&self.path));
    }
}

struct OpenObject {
    file: File,
    size: u64,
    hash: u64,
    etag: ETag,
}

fn open_object(path: &Path) -> Result<OpenObject, ObjectError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ObjectError::NotFound),
        Err(error) => return Err(unknown(error)),
    };
    let damaged = || unknown(format!("{}: the header of the object is damaged", path.display()));
    let mut header = [0; HEADER_BYTES];
    match file.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(damaged()),
        Err(error) => return Err(unknown(error)),
    }
    let (magic, numbers) = header.split_at(8);
    let (hash, unique) = numbers.split_at(8);
    if magic != MAGIC {
        return Err(damaged());
    }
    let hash = u64::from_le_bytes(hash.try_into().expect("8 bytes"));
    let unique = u128::from_le_bytes(unique.try_into().expect("16 bytes"));
    let size = file.metadata().map_err(unknown)?.len() - HEADER_BYTES as u64;
    Ok(OpenObject { file, size, hash, etag: tag(hash, unique) })
}

/// What the content is and which write made it: the same content written again has another tag.
fn tag(hash: u64, unique: u128) -> ETag {
    ETag(format!("{hash:016x}-{unique:032x}"))
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn unknown(error: impl ToString) -> ObjectError {
    ObjectError::Unknown(error.to_string())
}

/// An error before anything was stored. Nothing is known that would make asking again pointless, except for the kinds
/// that stay until a person does something.
fn nothing_done(error: io::Error) -> ObjectError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull => {
            ObjectError::Refused(error.to_string())
        }
        _ => unknown(error),
    }
}
