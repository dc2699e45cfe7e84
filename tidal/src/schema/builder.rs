//! A schema in Rust.

use crate::error::{Error, ErrorKind, Result};
use crate::id::Kind;
use crate::limits::MAX_FIELDS;

use super::{
    FieldDef, FieldType, KINDS, KindDef, MAX_SIGNALS, MAX_SLOTS, Metric, Schema, SignalDef, SlotDef, section,
};

/// Collects declarations; [`SchemaBuilder::build`] checks them.
///
/// ```
/// use tidaldb::schema::{DAY, FieldType, Metric, SignalDef};
/// use tidaldb::{Kind, Schema};
///
/// let schema = Schema::builder()
///     .text(Kind::Item, "title", 2.0)
///     .field(Kind::Item, "year", FieldType::Int)
///     .embedding(Kind::Item, "content", 64, Metric::Cosine)
///     .signal(SignalDef::new("like", Kind::Item).half_lives(&[30 * DAY]).liked().interest(1.0))
///     .build()?;
/// assert_eq!(schema.field_index(Kind::Item, "year"), Some(1));
/// # Ok::<(), tidaldb::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SchemaBuilder {
    kinds: [KindDef; 3],
    signals: Vec<SignalDef>,
}

impl SchemaBuilder {
    /// Declares a field.
    #[must_use]
    pub fn field(mut self, kind: Kind, name: &str, of: FieldType) -> SchemaBuilder {
        self.add_field(kind, FieldDef::new(name, of));
        self
    }

    /// Declares a text field with a weight other than 1.
    #[must_use]
    pub fn text(mut self, kind: Kind, name: &str, weight: f64) -> SchemaBuilder {
        self.add_field(kind, FieldDef { weight, ..FieldDef::new(name, FieldType::Text) });
        self
    }

    /// Declares an embedding slot.
    #[must_use]
    pub fn embedding(mut self, kind: Kind, name: &str, dimension: u32, metric: Metric) -> SchemaBuilder {
        self.add_slot(kind, SlotDef { name: name.to_owned(), dimension, metric });
        self
    }

    /// Declares a signal.
    #[must_use]
    pub fn signal(mut self, signal: SignalDef) -> SchemaBuilder {
        self.signals.push(signal);
        self
    }

    pub(super) fn add_field(&mut self, kind: Kind, field: FieldDef) {
        self.kinds[kind as usize].fields.push(field);
    }

    pub(super) fn add_slot(&mut self, kind: Kind, slot: SlotDef) {
        self.kinds[kind as usize].slots.push(slot);
    }

    /// The schema.
    ///
    /// # Errors
    /// `Invalid`, with the path of the first declaration that breaks a rule: a bad, reserved or repeated name, a number
    /// out of range, too many declarations.
    pub fn build(self) -> Result<Schema> {
        for kind in KINDS {
            let section = section(kind);
            let KindDef { fields, slots } = &self.kinds[kind as usize];
            check_list(
                &format!("{section}.fields"),
                fields,
                MAX_FIELDS,
                |field| &field.name,
                FieldDef::check,
            )?;
            check_list(
                &format!("{section}.embeddings"),
                slots,
                MAX_SLOTS,
                |slot| &slot.name,
                SlotDef::check,
            )?;
        }
        check_list("signals", &self.signals, MAX_SIGNALS, |signal| &signal.name, SignalDef::check)?;
        Ok(Schema { kinds: self.kinds, signals: self.signals })
    }

    /// The same rules for what was read from disk.
    pub(super) fn from_parts(kinds: [KindDef; 3], signals: Vec<SignalDef>) -> SchemaBuilder {
        SchemaBuilder { kinds, signals }
    }
}

fn check_list<T>(
    path: &str,
    list: &[T],
    most: usize,
    name: impl Fn(&T) -> &String,
    check: impl Fn(&T) -> Result<()>,
) -> Result<()> {
    if list.len() > most {
        return Err(Error::invalid(path, format!("{} declared, at most {most} are possible", list.len())));
    }
    for (at, declared) in list.iter().enumerate() {
        let name_of = name(declared);
        check(declared).map_err(|error| error.below(name_of).below(path))?;
        if list[..at].iter().any(|earlier| name(earlier) == name_of) {
            return Err(Error::new(ErrorKind::Invalid, "declared twice").below(name_of).below(path));
        }
    }
    Ok(())
}
