//! Object stores: S3 and what speaks like it.

use std::fmt;
use std::ops::Range;

/// A store of immutable objects under string keys, with strong reads and conditional writes as S3 has them.
pub trait ObjectStore: Send + Sync + fmt::Debug {
    /// Stores an object and returns its new entity tag.
    ///
    /// # Errors
    /// [`ObjectError::Precondition`] if the condition did not hold: nothing was stored *by this request*. After
    /// [`ObjectError::Unknown`] it may have been stored, now or later.
    fn put(&self, key: &str, body: &[u8], condition: PutCondition<'_>) -> Result<ETag, ObjectError>;

    /// Reads an object, or the given byte range of it, and its entity tag. A range that reaches over the end is cut.
    fn get(&self, key: &str, range: Option<Range<u64>>) -> Result<(Vec<u8>, ETag), ObjectError>;

    /// Size and tag of an object without its body.
    fn head(&self, key: &str) -> Result<ObjectMeta, ObjectError>;

    /// Objects whose key begins with `prefix` and is greater than `after`, in key order, at most `limit`.
    fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<ObjectMeta>, ObjectError>;

    /// Removes an object; succeeds if there is none.
    fn delete(&self, key: &str) -> Result<(), ObjectError>;
}

/// The longest key in bytes, as in S3.
pub const MAX_OBJECT_KEY_BYTES: usize = 1024;

/// Refuses what no object store takes as a key: the empty one and one that is too long.
pub(crate) fn check_key(key: &str) -> Result<(), ObjectError> {
    match key.len() {
        0 => Err(ObjectError::Refused("an object key is empty".to_owned())),
        1..=MAX_OBJECT_KEY_BYTES => Ok(()),
        length => Err(ObjectError::Refused(format!(
            "an object key has {length} bytes, at most {MAX_OBJECT_KEY_BYTES} are allowed"
        ))),
    }
}

/// The part of a body of `size` bytes that a requested range selects: cut at the end, empty if it lies behind it.
pub(crate) fn cut_range(range: Option<Range<u64>>, size: u64) -> Range<u64> {
    let range = range.unwrap_or(0..size);
    let end = range.end.min(size);
    range.start.min(end)..end
}

/// FNV-1a: spreads contents over entity tags. Uniqueness comes from what stands beside it in the tag.
pub(crate) fn content_hash(body: &[u8]) -> u64 {
    body.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// When a write may take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutCondition<'a> {
    /// Always.
    Always,
    /// Only if no object has the key (`If-None-Match: *`).
    Absent,
    /// Only if the object has this tag (`If-Match`). Does not hold if there is no object.
    Matches(&'a ETag),
}

/// An entity tag: equal tags of one key mean equal content.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ETag(pub String);

/// What a listing says of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectMeta {
    /// Its key.
    pub key: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its entity tag.
    pub etag: ETag,
}

/// Why an object request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectError {
    /// No object has the key.
    NotFound,
    /// The condition of the write did not hold (412).
    Precondition,
    /// Another conditional request on the key is in flight (409): ask again.
    Conflict,
    /// The store refuses for now (429, 503): ask again later. Nothing was stored.
    Busy,
    /// No answer came, or not a usable one: the request may or may not have taken effect, or may do so later.
    Unknown(String),
    /// The store refuses for good: credentials, bucket, malformed key.
    Refused(String),
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectError::NotFound => f.write_str("no such object"),
            ObjectError::Precondition => f.write_str("the condition of the write did not hold"),
            ObjectError::Conflict => f.write_str("another conditional write on this key is in flight"),
            ObjectError::Busy => f.write_str("the object store asks to come back later"),
            ObjectError::Unknown(what) => write!(f, "the outcome of the request is unknown: {what}"),
            ObjectError::Refused(what) => write!(f, "the object store refuses: {what}"),
        }
    }
}

impl std::error::Error for ObjectError {}
