//! Entities against the schema, before they are written.

use crate::entity::Entity;
use crate::error::{Error, ErrorKind, Result};
use crate::id::{Id, Kind};
use crate::limits::{MAX_FIELDS, MAX_ID_BYTES};
use crate::value::Value;

use super::{Metric, Schema, SlotDef};

/// Longest name of a field that is not declared, in bytes.
const MAX_FIELD_NAME_BYTES: usize = 256;

impl Schema {
    /// Checks an entity of a kind and puts it into the form in which it is stored: values of declared fields in their
    /// declared type, vectors of cosine slots with length 1. Null means no value. Fields that are not declared are
    /// kept as they are.
    ///
    /// # Errors
    /// `Invalid`, naming the part: `metadata.year`, `embeddings.content[3]`, `id`, `creator`. The entity may have been
    /// normalised in part.
    pub fn check_entity(&self, kind: Kind, entity: &mut Entity) -> Result<()> {
        check_id(&entity.id).map_err(|error| error.below("id"))?;
        if let Some(creator) = &entity.creator {
            if kind != Kind::Item {
                return Err(Error::invalid(
                    "creator",
                    format!("only items have a creator, this is a {kind}"),
                ));
            }
            check_id(creator).map_err(|error| error.below("creator"))?;
        }
        if entity.metadata.len() > MAX_FIELDS {
            let message = format!("{} fields, at most {MAX_FIELDS} are possible", entity.metadata.len());
            return Err(Error::invalid("metadata", message));
        }
        for (name, value) in &mut entity.metadata {
            self.check_field(kind, name, value).map_err(|error| error.below("metadata"))?;
        }
        for (name, vector) in &mut entity.embeddings {
            self.check_embedding(kind, name, vector).map_err(|error| error.below("embeddings"))?;
        }
        Ok(())
    }

    fn check_field(&self, kind: Kind, name: &str, value: &mut Value) -> Result<()> {
        let Some(field) = self.field(kind, name) else {
            if name.is_empty() || name.len() > MAX_FIELD_NAME_BYTES {
                let message =
                    format!("a name of {} bytes: 1 to {MAX_FIELD_NAME_BYTES} are possible", name.len());
                return Err(Error::new(ErrorKind::Invalid, message));
            }
            return value.check_bounds().map_err(|message| Error::invalid(name, message));
        };
        let given = std::mem::replace(value, Value::Null);
        *value = given.coerce(field.of).map_err(|message| Error::invalid(name, message))?;
        Ok(())
    }

    fn check_embedding(&self, kind: Kind, name: &str, vector: &mut [f32]) -> Result<()> {
        let Some(slot) = self.slots(kind).iter().find(|slot| slot.name == name) else {
            let names: Vec<&str> = self.slots(kind).iter().map(|slot| slot.name.as_str()).collect();
            let message = match names.as_slice() {
                [] => format!("unknown slot; the schema declares none for {kind}s"),
                names => format!("unknown slot; {kind}s have {}", names.join(", ")),
            };
            return Err(Error::invalid(name, message));
        };
        slot.normalise(vector).map_err(|error| error.below(name))
    }
}

impl SlotDef {
    /// Checks a vector for this slot, stored or asked for, and gives it length 1 if the metric is cosine.
    ///
    /// # Errors
    /// `Invalid`: the wrong dimension, a NaN or infinity (the field is its place, `[3]`), or, for cosine, the zero
    /// vector, which has no direction.
    pub fn normalise(&self, vector: &mut [f32]) -> Result<()> {
        let invalid = |message: String| Error::new(ErrorKind::Invalid, message);
        if vector.len() != self.dimension as usize {
            return Err(invalid(format!("expected {} numbers, found {}", self.dimension, vector.len())));
        }
        if let Some(at) = vector.iter().position(|number| !number.is_finite()) {
            return Err(Error::invalid(
                format!("[{at}]"),
                format!("expected a finite number, found {}", vector[at]),
            ));
        }
        if self.metric != Metric::Cosine {
            return Ok(());
        }
        // In f64 neither the square of the largest f32 overflows nor that of the smallest vanishes.
        let length = vector.iter().map(|&number| f64::from(number) * f64::from(number)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err(invalid("the zero vector has no direction".to_owned()));
        }
        for number in vector {
            #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is meant; it is at most 1")]
            let scaled = (f64::from(*number) / length) as f32;
            *number = scaled;
        }
        Ok(())
    }
}

/// An id that can be stored. The error has no field.
pub(crate) fn check_id(id: &Id) -> Result<()> {
    match id {
        Id::Text(text) if text.is_empty() || text.len() > MAX_ID_BYTES => {
            let message = format!("an id of {} bytes: 1 to {MAX_ID_BYTES} are possible", text.len());
            Err(Error::new(ErrorKind::Invalid, message))
        }
        _ => Ok(()),
    }
}
