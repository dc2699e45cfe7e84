//! Stub.
#![allow(missing_docs)]
use serde_json::{Value as Json, json};
use crate::Entity;
pub fn from_json(json: &Json) -> crate::Result<Entity> { Ok(Entity::new(super::object::id_from_json(&json["id"])?)) }
pub fn to_json(entity: &Entity) -> Json { json!({"id": super::object::id_to_json(&entity.id), "metadata": {}}) }
