//! The checkpoint file: which files make up the index, and up to which position of the change feed it has read.
//!
//! `docs/format/text-checkpoint.md` describes the bytes. The file is the only thing that is ever replaced; a file that
//! it names is whole and synced before it is written.

use std::io;
use std::sync::Arc;

use kv0_env::{File, FileSystem};
use serde::{Deserialize, Serialize};

use super::limits::CHECKPOINT_BYTES_MAX;

/// The name of the file.
pub(super) const CHECKPOINT_FILE: &str = "checkpoint";
/// Where it is written before it takes its name.
const TEMPORARY_FILE: &str = "checkpoint.new";

pub(super) const MAGIC: [u8; 8] = *b"TDLTEXT\x01";
const CRC_BYTES: usize = 4;

/// The content of the checkpoint file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Everything in the change feed before this position is in the index.
    pub(super) position: u64,
    /// What the index was built for: the analyzer's version, then one line for each field.
    pub(super) built_for: String,
    /// The index library's own description of its segments.
    pub(super) segments: Vec<u8>,
    /// The files of the segments, sorted by name.
    pub(super) files: Vec<FileStamp>,
}

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStamp {
    pub(super) name: String,
    pub(super) size_bytes: u64,
    pub(super) crc32: u32,
}

impl Checkpoint {
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let body = postcard::to_stdvec(self).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(MAGIC.len() + body.len() + CRC_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// # Errors
    /// What is wrong with the bytes.
    pub(super) fn decode(bytes: &[u8]) -> Result<Checkpoint, String> {
        let Some((covered, crc)) = bytes.split_last_chunk::<CRC_BYTES>() else {
            return Err(format!("{} bytes are too few", bytes.len()));
        };
        let Some(body) = covered.strip_prefix(&MAGIC) else {
            return Err("it does not start with the mark of this format".to_owned());
        };
        let (expected, found) = (u32::from_le_bytes(*crc), crc32fast::hash(covered));
        if expected != found {
            return Err(format!("checksum {found:08x}, expected {expected:08x}"));
        }
        let (checkpoint, rest) =
            postcard::take_from_bytes::<Checkpoint>(body).map_err(|error| error.to_string())?;
        if !rest.is_empty() {
            return Err(format!("{} bytes too many", rest.len()));
        }
        Ok(checkpoint)
    }

    /// Replaces the checkpoint file: after success this content is there after any crash, after an error the old
    /// content or this one.
    pub(super) fn write(&self, files: &dyn FileSystem) -> io::Result<()> {
        let bytes = self.encode()?;
        if bytes.len() as u64 > CHECKPOINT_BYTES_MAX {
            return Err(io::Error::other(format!("a checkpoint of {} bytes is too large", bytes.len())));
        }
        write_file(files, TEMPORARY_FILE, &bytes)?;
        files.rename(TEMPORARY_FILE, CHECKPOINT_FILE)?;
        files.sync_dir("")
    }

    /// The stored checkpoint: none if there is no file.
    ///
    /// # Errors
    /// Outside: the disk failed. Inside: what is wrong with the file.
    pub(super) fn read(files: &dyn FileSystem) -> io::Result<Option<Result<Checkpoint, String>>> {
        let file = match files.open_read(CHECKPOINT_FILE) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let size = file.size()?;
        if size > CHECKPOINT_BYTES_MAX {
            return Ok(Some(Err(format!("{size} bytes are too many"))));
        }
        Ok(Some(Checkpoint::decode(&read_whole(&*file, size)?)))
    }
}

/// Writes a file anew and syncs it; whatever had the name is removed first. Its name is durable after the directory is
/// synced.
pub(super) fn write_file(files: &dyn FileSystem, name: &str, bytes: &[u8]) -> io::Result<()> {
    let file = create_anew(files, name)?;
    file.write_at(bytes, 0)?;
    file.sync()
}

/// Creates a file, removing what an earlier life left under the name.
pub(super) fn create_anew(files: &dyn FileSystem, name: &str) -> io::Result<Arc<dyn File>> {
    match files.create_new(name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            files.remove(name)?;
            files.create_new(name)
        }
        result => result,
    }
}

/// Reads the first `size` bytes; `UnexpectedEof` if there are fewer. `size` must come from the file or be bounded.
pub(super) fn read_whole(file: &dyn File, size: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(size).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}
