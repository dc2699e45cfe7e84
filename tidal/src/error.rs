//! The one error type.

use std::error::Error as StdError;
use std::fmt;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed: what to do about it ([`Error::kind`]), which part of the input is meant ([`Error::field`]), and
/// a message that says what is wrong there.
pub struct Error {
    kind: ErrorKind,
    field: Option<String>,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What to do about an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is wrong: fix it. Nothing was changed.
    Invalid,
    /// The item, user, creator, profile or signal that the call names does not exist. Nothing was changed.
    NotFound,
    /// The schema does not fit the database: the message holds the difference.
    SchemaMismatch,
    /// Another process holds the database: the message names it.
    Busy,
    /// Stored bytes are not what was written: the message names file and offset.
    Corrupt,
    /// The disk failed or is full: try later.
    Unavailable,
    /// The database was closed.
    Closed,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, field: None, message: message.into(), source: None }
    }

    /// Wrong input in `field`, a path such as `filter.and[1].lt`.
    pub(crate) fn invalid(field: impl Into<String>, message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Invalid, field: Some(field.into()), message: message.into(), source: None }
    }

    /// What `field` names does not exist.
    pub(crate) fn not_found(field: impl Into<String>, message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::NotFound, field: Some(field.into()), message: message.into(), source: None }
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Corrupt, message)
    }

    /// The same error, with the field put below `parent`: `lt` below `filter` is `filter.lt`.
    pub(crate) fn below(mut self, parent: &str) -> Error {
        self.field = Some(match self.field {
            None => parent.to_owned(),
            Some(field) if field.starts_with('[') => format!("{parent}{field}"),
            Some(field) => format!("{parent}.{field}"),
        });
        self
    }

    /// What to do about it.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The part of the input that is wrong, as a path; none if the error is not about input.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// What is wrong, without the field.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "{field}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn StdError + 'static))
    }
}

impl From<kv0::Error> for Error {
    fn from(error: kv0::Error) -> Error {
        let kind = match error.kind() {
            kv0::ErrorKind::Busy | kv0::ErrorKind::Fenced => ErrorKind::Busy,
            kv0::ErrorKind::Corrupt | kv0::ErrorKind::Trimmed => ErrorKind::Corrupt,
            kv0::ErrorKind::Closed => ErrorKind::Closed,
            kv0::ErrorKind::Invalid => ErrorKind::Invalid,
            _ => ErrorKind::Unavailable,
        };
        Error { kind, field: None, message: error.to_string(), source: Some(Box::new(error)) }
    }
}
