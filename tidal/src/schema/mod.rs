//! What kinds of fields, signals and embeddings a database has.
#![allow(missing_docs)]

use crate::id::Kind;

/// The schema of a database.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema;

#[derive(Debug, Clone, PartialEq)]
pub struct SignalDef { pub name: String, pub on: Kind }
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDef { pub name: String, pub of: FieldType, pub weight: f64 }

#[derive(Debug, Clone, PartialEq)]
pub struct FieldType;
impl FieldType { pub fn name(&self) -> &'static str { "" } }
#[derive(Debug, Clone, PartialEq)]
pub struct SlotDef { pub name: String, pub dimension: u32, pub metric: FieldType }
impl Schema {
    pub fn fields(&self, _: Kind) -> &[FieldDef] { &[] }
    pub fn slots(&self, _: Kind) -> &[SlotDef] { &[] }
    pub fn parse(_text: &str) -> crate::Result<Schema> { Ok(Schema) }
    pub fn to_yaml(&self) -> String { String::new() }
    pub fn signals(&self) -> &[SignalDef] { &[] }
    pub fn signal(&self, name: &str) -> Option<&SignalDef> { self.signals().iter().find(|s| s.name == name) }
}
