//! What formulas may name, out of the schema.

use crate::id::Kind;
use crate::profile::{Names, SignalName};
use crate::schema::{Decay, FieldType, Schema};

impl Names for Schema {
    fn signal(&self, name: &str) -> Option<SignalName> {
        let number = self.signal_index(name)?;
        let signal = &self.signals()[number];
        if signal.on != Kind::Item {
            return None;
        }
        let decayed = match &signal.decay {
            Decay::None | Decay::Linear { .. } => 1,
            Decay::Exponential { half_lives_seconds } => half_lives_seconds.len(),
        };
        Some(SignalName { signal: u16::try_from(number).ok()?, decayed })
    }

    fn field(&self, name: &str) -> Option<u16> {
        let number = self.field_index(Kind::Item, name)?;
        let is_number = match self.fields(Kind::Item)[number].of {
            FieldType::Int
            | FieldType::Float
            | FieldType::Bool
            | FieldType::Timestamp
            | FieldType::Duration => true,
            FieldType::Keyword | FieldType::Tags | FieldType::Text | FieldType::Geo => false,
        };
        is_number.then(|| u16::try_from(number).ok()).flatten()
    }
}
