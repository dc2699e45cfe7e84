//! A schema from YAML or JSON. Every error names line and path: `line 12: items.fields.year: unknown type "integr"; …`.

use crate::error::{Error, Result};
use crate::id::Kind;
use crate::limits::MAX_FIELDS;
use crate::value::duration;

use super::yaml::{self, Data, Key, Node, at_line};
use super::{
    Decay, FieldDef, FieldType, KINDS, MAX_SCHEMA_BYTES, MAX_SIGNALS, MAX_SLOTS, Metric, Schema,
    SchemaBuilder, SignalDef, SlotDef, section,
};

impl Schema {
    /// Reads a schema from YAML or JSON.
    ///
    /// # Errors
    /// `Invalid`; the message starts with the line and names the path and the reason.
    pub fn parse(text: &str) -> Result<Schema> {
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(at_line(
                1,
                format_args!("{} bytes, at most {MAX_SCHEMA_BYTES} are possible", text.len()),
            ));
        }
        let Some(root) = yaml::read(text)? else {
            return Err(at_line(1, "the schema is empty; an empty one on purpose is {}"));
        };
        let mut builder = Schema::builder();
        let root = Place { node: &root, path: String::new() };
        for (key, part) in root.entries(&["items", "users", "creators", "signals"])? {
            match KINDS.into_iter().find(|kind| section(*kind) == key.name) {
                Some(kind) => read_kind(&mut builder, kind, &part)?,
                None => {
                    for (key, place) in part.declarations(MAX_SIGNALS)? {
                        builder = builder.signal(read_signal(key, &place)?);
                    }
                }
            }
        }
        // Each declaration was checked where its line was known; this can only repeat the outcome.
        builder.build()
    }
}

/// A node and its path from the root.
struct Place<'a> {
    node: &'a Node,
    path: String,
}

impl<'a> Place<'a> {
    fn fail(&self, message: impl std::fmt::Display) -> Error {
        match self.path.as_str() {
            "" => at_line(self.node.line, message),
            path => at_line(self.node.line, format_args!("{path}: {message}")),
        }
    }

    fn below(&self, key: &'a Key, node: &'a Node) -> Place<'a> {
        let path = match self.path.as_str() {
            "" => key.name.clone(),
            path => format!("{path}.{}", key.name),
        };
        Place { node, path }
    }

    fn map(&self) -> Result<&'a [(Key, Node)]> {
        match &self.node.data {
            Data::Map(entries) => Ok(entries),
            _ if self.node.is_null() => Ok(&[]),
            _ => Err(self.fail(format_args!("expected a mapping, found {}", self.node.found()))),
        }
    }

    /// The entries of a mapping with these keys at most.
    fn entries(&self, known: &[&str]) -> Result<Vec<(&'a Key, Place<'a>)>> {
        let mut entries = Vec::new();
        for (key, node) in self.map()? {
            let place = self.below(key, node);
            if !known.contains(&key.name.as_str()) {
                let message = format!("{}: unknown key; expected one of {}", place.path, known.join(", "));
                return Err(at_line(key.line, message));
            }
            entries.push((key, place));
        }
        Ok(entries)
    }

    /// The entries of a mapping from names to definitions.
    fn declarations(&self, most: usize) -> Result<Vec<(&'a Key, Place<'a>)>> {
        let map = self.map()?;
        if map.len() > most {
            return Err(self.fail(format_args!("{} declared, at most {most} are possible", map.len())));
        }
        Ok(map.iter().map(|(key, node)| (key, self.below(key, node))).collect())
    }

    fn text(&self, what: &str) -> Result<&'a str> {
        match &self.node.data {
            Data::Scalar { text, .. } if !self.node.is_null() => Ok(text),
            _ => Err(self.fail(format_args!("expected {what}, found {}", self.node.found()))),
        }
    }

    /// A scalar without quotes, in which numbers and booleans are written.
    fn plain<T: std::str::FromStr>(&self, what: &str) -> Result<T> {
        let Data::Scalar { text, plain: true } = &self.node.data else {
            return Err(self.fail(format_args!("expected {what}, found {}", self.node.found())));
        };
        text.parse().map_err(|_| self.fail(format_args!("expected {what}, found {}", self.node.found())))
    }

    fn bool(&self) -> Result<bool> {
        self.plain("true or false")
    }

    fn number(&self) -> Result<f64> {
        let number: f64 = self.plain("a number")?;
        if !number.is_finite() {
            return Err(self.fail(format_args!("expected a finite number, found {}", self.node.found())));
        }
        Ok(number)
    }

    fn seconds(&self) -> Result<u64> {
        let text = self.text("a duration such as 7d, 12h, 30m or 90s")?;
        duration::parse_seconds(text).map_err(|reason| self.fail(format_args!("{reason}")))
    }

    /// Finds the line for an error of a definition's own rules: that of the key which the error names.
    fn locate(&self, key: &Key, error: &Error) -> Error {
        let (line, path) = match error.field() {
            Some(field) => (
                self.node.get(field).map_or(self.node.line, |node| node.line),
                format!("{}.{field}", self.path),
            ),
            None => (key.line, self.path.clone()),
        };
        at_line(line, format_args!("{path}: {}", error.message()))
    }
}

fn read_kind(builder: &mut SchemaBuilder, kind: Kind, place: &Place<'_>) -> Result<()> {
    for (key, part) in place.entries(&["fields", "embeddings"])? {
        if key.name == "fields" {
            for (key, place) in part.declarations(MAX_FIELDS)? {
                builder.add_field(kind, read_field(key, &place)?);
            }
        } else {
            for (key, place) in part.declarations(MAX_SLOTS)? {
                builder.add_slot(kind, read_slot(key, &place)?);
            }
        }
    }
    Ok(())
}

/// `year: int` or `title: {type: text, weight: 2}`.
fn read_field(key: &Key, place: &Place<'_>) -> Result<FieldDef> {
    let Data::Map(_) = &place.node.data else {
        let field = FieldDef::new(&key.name, read_type(place)?);
        return field.check().map_err(|error| place.locate(key, &error)).map(|()| field);
    };
    let mut of = None;
    let mut weight = None;
    for (key, place) in place.entries(&["type", "weight"])? {
        match key.name.as_str() {
            "type" => of = Some(read_type(&place)?),
            _ => weight = Some(place.number()?),
        }
    }
    let of = of.ok_or_else(|| place.fail("type is missing"))?;
    if of != FieldType::Text && weight.is_some() {
        let error = Error::invalid("weight", format!("only text fields have a weight, this is {of}"));
        return Err(place.locate(key, &error));
    }
    let field = FieldDef { weight: weight.unwrap_or(1.0), ..FieldDef::new(&key.name, of) };
    field.check().map_err(|error| place.locate(key, &error))?;
    Ok(field)
}

fn read_type(place: &Place<'_>) -> Result<FieldType> {
    let name = place.text("a type")?;
    FieldType::from_name(name).ok_or_else(|| {
        let names = FieldType::ALL.map(FieldType::name).join(", ");
        place.fail(format_args!("unknown type {name:?}; expected one of {names}"))
    })
}

fn read_slot(key: &Key, place: &Place<'_>) -> Result<SlotDef> {
    let mut dimension = None;
    let mut metric = Metric::Cosine;
    for (key, place) in place.entries(&["dimension", "metric"])? {
        if key.name == "dimension" {
            dimension = Some(place.plain("a whole number")?);
        } else {
            let name = place.text("a metric")?;
            metric = Metric::from_name(name).ok_or_else(|| {
                let names = Metric::ALL.map(Metric::name).join(", ");
                place.fail(format_args!("unknown metric {name:?}; expected one of {names}"))
            })?;
        }
    }
    let dimension = dimension.ok_or_else(|| place.fail("dimension is missing"))?;
    let slot = SlotDef { name: key.name.clone(), dimension, metric };
    slot.check().map_err(|error| place.locate(key, &error))?;
    Ok(slot)
}

const SIGNAL_KEYS: [&str; 9] =
    ["on", "half_life", "decay", "seen", "liked", "saved", "interest", "affinity", "negative"];

fn read_signal(key: &Key, place: &Place<'_>) -> Result<SignalDef> {
    let mut signal = SignalDef::new(&key.name, Kind::Item);
    let mut decay_key: Option<&Key> = None;
    for (key, place) in place.entries(&SIGNAL_KEYS)? {
        match key.name.as_str() {
            "on" => signal.on = read_on(&place)?,
            "half_life" | "decay" => {
                if let Some(other) = decay_key.replace(key) {
                    return Err(place.fail(format_args!("{} is given too; one of them must go", other.name)));
                }
                signal.decay =
                    if key.name == "decay" { read_decay(&place)? } else { read_half_lives(&place)? };
            }
            "seen" => signal.seen = place.bool()?,
            "liked" => signal.liked = place.bool()?,
            "saved" => signal.saved = place.bool()?,
            "negative" => signal.negative = place.bool()?,
            "interest" => signal.interest = place.number()?,
            _ => signal.affinity = place.number()?,
        }
    }
    signal.check().map_err(|error| place.locate(key, &error))?;
    Ok(signal)
}

fn read_on(place: &Place<'_>) -> Result<Kind> {
    match place.text("a kind")? {
        "item" => Ok(Kind::Item),
        "user" => Ok(Kind::User),
        "creator" => Ok(Kind::Creator),
        other => Err(place.fail(format_args!("unknown kind {other:?}; expected one of item, user, creator"))),
    }
}

fn read_half_lives(place: &Place<'_>) -> Result<Decay> {
    let half_lives_seconds = match &place.node.data {
        Data::List(nodes) => {
            let element = |(at, node)| Place { node, path: format!("{}[{at}]", place.path) }.seconds();
            nodes.iter().enumerate().map(element).collect::<Result<_>>()?
        }
        _ => vec![place.seconds()?],
    };
    Ok(Decay::Exponential { half_lives_seconds })
}

/// `none` or `{linear: 14d}`.
fn read_decay(place: &Place<'_>) -> Result<Decay> {
    let expected = "none or {linear: DURATION}; an exponential decay is given as half_life";
    match &place.node.data {
        Data::Scalar { text, .. } if text == "none" => Ok(Decay::None),
        Data::Map(_) => match place.entries(&["linear"])?.first() {
            Some((_, linear)) => Ok(Decay::Linear { seconds: linear.seconds()? }),
            None => Err(place.fail(format_args!("expected {expected}"))),
        },
        _ => Err(place.fail(format_args!("expected {expected}, found {}", place.node.found()))),
    }
}
