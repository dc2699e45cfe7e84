//! The canonical text of a schema.

use crate::value::duration;

use super::difference::Declared;
use super::{Decay, FieldDef, FieldType, KINDS, Schema, SignalDef, SlotDef, section};

impl Schema {
    /// The canonical form: YAML that [`Schema::parse`] reads back to an equal schema. Everything is in the order of its
    /// number; what has its default value is left out.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for kind in KINDS {
            let (fields, slots) = (self.fields(kind), self.slots(kind));
            if fields.is_empty() && slots.is_empty() {
                continue;
            }
            line(&mut text, 0, &format!("{}:", section(kind)));
            if !fields.is_empty() {
                line(&mut text, 1, "fields:");
            }
            for field in fields {
                line(&mut text, 2, &format!("{}: {}", name(&field.name), field.declaration()));
            }
            if !slots.is_empty() {
                line(&mut text, 1, "embeddings:");
            }
            for slot in slots {
                line(&mut text, 2, &format!("{}: {}", name(&slot.name), slot.declaration()));
            }
        }
        if !self.signals.is_empty() {
            line(&mut text, 0, "signals:");
        }
        for signal in &self.signals {
            line(&mut text, 1, &format!("{}: {}", name(&signal.name), signal.declaration()));
        }
        if text.is_empty() {
            line(&mut text, 0, "{}");
        }
        text
    }
}

fn line(text: &mut String, depth: usize, content: &str) {
    for _ in 0..depth {
        text.push_str("  ");
    }
    text.push_str(content);
    text.push('\n');
}

/// Quoted where an older YAML reader would see something else than a name.
fn name(name: &str) -> String {
    match name {
        "y" | "n" | "yes" | "no" | "on" | "off" => format!("\"{name}\""),
        _ => name.to_owned(),
    }
}

impl Declared for FieldDef {
    fn declaration(&self) -> String {
        if self.of == FieldType::Text && self.weight != 1.0 {
            return format!("{{type: text, weight: {}}}", self.weight);
        }
        self.of.name().to_owned()
    }
}

impl Declared for SlotDef {
    fn declaration(&self) -> String {
        format!("{{dimension: {}, metric: {}}}", self.dimension, self.metric.name())
    }
}

impl Declared for SignalDef {
    fn declaration(&self) -> String {
        let mut parts = vec![format!("on: {}", self.on)];
        match &self.decay {
            Decay::None => {}
            Decay::Linear { seconds } => {
                parts.push(format!("decay: {{linear: {}}}", duration::print_seconds(*seconds)));
            }
            Decay::Exponential { half_lives_seconds } => {
                let texts: Vec<String> =
                    half_lives_seconds.iter().map(|&seconds| duration::print_seconds(seconds)).collect();
                parts.push(match texts.as_slice() {
                    [one] => format!("half_life: {one}"),
                    several => format!("half_life: [{}]", several.join(", ")),
                });
            }
        }
        for (key, set) in [("seen", self.seen), ("liked", self.liked), ("saved", self.saved)] {
            if set {
                parts.push(format!("{key}: true"));
            }
        }
        for (key, number) in [("interest", self.interest), ("affinity", self.affinity)] {
            if number != 0.0 {
                parts.push(format!("{key}: {number}"));
            }
        }
        if self.negative {
            parts.push("negative: true".to_owned());
        }
        format!("{{{}}}", parts.join(", "))
    }
}
