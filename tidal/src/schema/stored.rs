//! The bytes of a schema in the database.
//!
//! A version byte, then (version 1) postcard: for item, user and creator each the list of fields (name, type, weight)
//! and the list of slots (name, dimension, metric), then the list of signals (name, kind, decay, seen, liked, saved,
//! interest, affinity, negative). The place in a list is the number that other records use. Types, metrics and decays
//! are numbered by the order of their variants, so new variants come last and none is ever taken out.

use crate::error::{Error, Result};

use super::{KindDef, Schema, SchemaBuilder, SignalDef};

/// The version that [`Schema::encode`] writes.
pub const STORED_VERSION: u8 = 1;

impl Schema {
    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_extend(&(&self.kinds, &self.signals), vec![STORED_VERSION])
            .expect("strings, numbers and lists of known length always serialize")
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// `Corrupt` for bytes that [`Schema::encode`] never wrote, or that a later version wrote.
    pub fn decode(bytes: &[u8]) -> Result<Schema> {
        let (&version, body) =
            bytes.split_first().ok_or_else(|| Error::corrupt("stored schema: no bytes"))?;
        if version != STORED_VERSION {
            return Err(Error::corrupt(format!(
                "stored schema: version {version}, this program knows {STORED_VERSION}"
            )));
        }
        let ((kinds, signals), rest): (([KindDef; 3], Vec<SignalDef>), &[u8]) =
            postcard::take_from_bytes(body)
                .map_err(|error| Error::corrupt(format!("stored schema: {error}")))?;
        if !rest.is_empty() {
            return Err(Error::corrupt(format!("stored schema: {} bytes too many", rest.len())));
        }
        SchemaBuilder::from_parts(kinds, signals)
            .build()
            .map_err(|error| Error::corrupt(format!("stored schema: {error}")))
    }
}
