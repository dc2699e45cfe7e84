//! Stub.
#![allow(missing_docs)]
use serde_json::Value as Json;
use crate::Timestamp;
pub fn timestamp_from_json(json: &Json) -> crate::Result<Timestamp> { json.as_i64().map(Timestamp).ok_or_else(|| super::object::expected("a moment", json)) }
pub fn timestamp_to_json(at: Timestamp) -> Json { Json::from(at.0) }
