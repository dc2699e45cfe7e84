//! The fields of the index, ours and tantivy's.

use tantivy::schema::{
    Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

use crate::{Error, Result};

use super::limits::FIELDS_MAX;
use super::tokens::TOKENIZER;

/// Changes whenever the analyzer gives other tokens for the same text, so that an index built by an older one is
/// rebuilt.
pub(super) const ANALYZER_VERSION: u32 = 1;

/// tantivy's field for the row.
pub(super) const ROW_FIELD: &str = "row";

/// A field whose text is searched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextField {
    /// Its name in the schema, by which queries address it (`title:jazz`).
    pub(crate) name: String,
    /// What its score is multiplied by; positive and finite. May change without a rebuild.
    pub(crate) weight: f32,
    /// How its values become tokens.
    pub(crate) kind: TextFieldKind,
}

/// How values become tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFieldKind {
    /// Prose: words, with their positions.
    Text,
    /// Each value is one token (tags); `#tag` asks for it.
    Keywords,
}

/// The fields with their counterparts in tantivy's schema.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) ours: Vec<TextField>,
    pub(super) theirs: Vec<Field>,
    pub(super) row: Field,
    pub(super) schema: Schema,
}

impl Fields {
    /// # Errors
    /// `Invalid` for too many fields, a name twice, or a weight that is no positive number.
    pub(super) fn new(ours: &[TextField]) -> Result<Fields> {
        if ours.len() > FIELDS_MAX {
            return Err(Error::invalid(
                "fields",
                format!("{} text fields, at most {FIELDS_MAX}", ours.len()),
            ));
        }
        for (i, field) in ours.iter().enumerate() {
            if !(field.weight.is_finite() && field.weight > 0.0) {
                let message = format!("the weight {} of a text field is no positive number", field.weight);
                return Err(Error::invalid(field.name.clone(), message));
            }
            if ours[..i].iter().any(|earlier| earlier.name == field.name) {
                return Err(Error::invalid(field.name.clone(), "two text fields have this name"));
            }
        }
        let mut builder = Schema::builder();
        let row = builder.add_u64_field(ROW_FIELD, NumericOptions::from(INDEXED).set_fast());
        let theirs = ours.iter().enumerate().map(|(i, field)| {
            let record = match field.kind {
                TextFieldKind::Text => IndexRecordOption::WithFreqsAndPositions,
                TextFieldKind::Keywords => IndexRecordOption::WithFreqs,
            };
            let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(record);
            builder.add_text_field(&format!("f{i}"), TextOptions::default().set_indexing_options(indexing))
        });
        let theirs = theirs.collect();
        Ok(Fields { ours: ours.to_vec(), theirs, row, schema: builder.build() })
    }

    /// What decides whether a stored index fits. Weights do not: they apply when searching.
    pub(super) fn built_for(&self) -> String {
        let mut text = format!("analyzer {ANALYZER_VERSION}");
        for field in &self.ours {
            let kind = match field.kind {
                TextFieldKind::Text => "text",
                TextFieldKind::Keywords => "keywords",
            };
            text.push_str(&format!("\n{kind} {}", field.name));
        }
        text
    }

    /// The fields that a scope means, by index.
    pub(super) fn in_scope(&self, scope: Option<usize>) -> impl Iterator<Item = usize> {
        let all = 0..self.ours.len();
        all.filter(move |i| scope.is_none_or(|scope| scope == *i))
    }

    pub(super) fn kind(&self, field: usize) -> TextFieldKind {
        self.ours[field].kind
    }
}
