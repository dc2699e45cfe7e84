//! The one error type.

use std::error::Error as StdError;
use std::fmt;
use std::io;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. [`Error::kind`] says what to do about it, the message what is wrong and where.
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What to do about an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The call itself is wrong (a key too long, an unknown keyspace): fix the call. Nothing was changed.
    Invalid,
    /// Somebody else holds the database: wait, or go to the holder that the message names.
    Busy,
    /// Another process took the database over: reopen it.
    Fenced,
    /// What a transaction read has changed: run it again.
    Conflict,
    /// Stored bytes are not what was written: restore the file that the message names. The rest stays readable.
    Corrupt,
    /// The disk or store failed or is full: try later, or mend it. If the log itself is poisoned the message says so,
    /// and the database must be reopened.
    Unavailable,
    /// The handle was closed.
    Closed,
    /// The position lies before the oldest change that is kept: start over from a snapshot.
    Trimmed,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), source: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Invalid, message)
    }

    /// Damage in `file` at `offset`.
    pub(crate) fn corrupt(file: &str, offset: u64, what: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Corrupt, format!("{file}, offset {offset}: {what}"))
    }

    /// A failed operation on `file`. A file that should be there and is not is damage, not a passing trouble.
    pub(crate) fn io(doing: &str, file: &str, source: io::Error) -> Error {
        let kind = match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => ErrorKind::Corrupt,
            _ => ErrorKind::Unavailable,
        };
        Error { kind, message: format!("cannot {doing} {file}: {source}"), source: Some(Box::new(source)) }
    }

    /// What to do about it.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn StdError + 'static))
    }
}
