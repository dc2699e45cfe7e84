//! YAML and JSON as a tree in which every node knows its line.
//!
//! A subset on purpose: one document, no anchors, aliases or tags, keys that are scalars and come once. JSON is read by
//! the same code, since it is YAML. Nesting is bounded, so nothing here can run out of stack.

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::error::{Error, ErrorKind, Result};

/// Deepest nesting.
const MAX_YAML_DEPTH: usize = 32;

/// A node and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// 1 for the first line.
    pub(crate) line: usize,
    /// What is there.
    pub(crate) data: Data,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    /// A string, or, if it is plain, perhaps a number, boolean or null.
    Scalar {
        /// Without quotes and escapes.
        text: String,
        /// Whether it was written without quotes.
        plain: bool,
    },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the text; no key comes twice.
    Map(Vec<(Key, Node)>),
}

/// A key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    /// 1 for the first line.
    pub(crate) line: usize,
    /// The key.
    pub(crate) name: String,
}

impl Node {
    /// Whether nothing is there.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.data, Data::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null"))
    }

    /// What was found, for a message: `a list`, `"abc"`.
    pub(crate) fn found(&self) -> String {
        match &self.data {
            _ if self.is_null() => "nothing".to_owned(),
            Data::Scalar { text, plain: true } => text.clone(),
            Data::Scalar { text, plain: false } => format!("{text:?}"),
            Data::List(_) => "a list".to_owned(),
            Data::Map(_) => "a mapping".to_owned(),
        }
    }

    /// The value of a key, if this is a mapping that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        let Data::Map(entries) = &self.data else {
            return None;
        };
        entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }
}

/// An error at a line.
pub(crate) fn at_line(line: usize, message: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Invalid, format!("line {line}: {message}"))
}

/// A list or mapping whose end has not come yet.
enum Open {
    List { line: usize, nodes: Vec<Node> },
    Map { line: usize, entries: Vec<(Key, Node)>, key: Option<Key> },
}

/// Reads one document; `None` if there is nothing but comments.
pub(crate) fn read(text: &str) -> Result<Option<Node>> {
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event
            .map_err(|error| at_line(error.marker().line(), format_args!("not YAML: {}", error.info())))?;
        let line = span.start.line();
        let anchored = |anchor: usize, tagged: bool| match (anchor, tagged) {
            (0, false) => Ok(()),
            (0, true) => Err(at_line(line, "tags are not supported")),
            _ => Err(at_line(line, "anchors are not supported")),
        };
        let complete = match event {
            Event::Scalar(text, style, anchor, tag) => {
                anchored(anchor, tag.is_some())?;
                Node {
                    line,
                    data: Data::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain },
                }
            }
            Event::SequenceStart(anchor, tag) => {
                anchored(anchor, tag.is_some())?;
                enter(&mut open, line, Open::List { line, nodes: Vec::new() })?;
                continue;
            }
            Event::MappingStart(anchor, tag) => {
                anchored(anchor, tag.is_some())?;
                enter(&mut open, line, Open::Map { line, entries: Vec::new(), key: None })?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List { line, nodes }) => Node { line, data: Data::List(nodes) },
                Some(Open::Map { line, entries, .. }) => Node { line, data: Data::Map(entries) },
                None => return Err(at_line(line, "not YAML: an end without a start")),
            },
            Event::Alias(_) => return Err(at_line(line, "aliases are not supported")),
            Event::DocumentStart(_) if root.is_some() => return Err(at_line(line, "more than one document")),
            Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::StreamStart
            | Event::StreamEnd
            | Event::Nothing => {
                continue;
            }
        };
        match open.last_mut() {
            None => root = Some(complete),
            Some(parent) => add(parent, complete)?,
        }
    }
    Ok(root.filter(|node| !node.is_null()))
}

fn enter(open: &mut Vec<Open>, line: usize, node: Open) -> Result<()> {
    if open.len() >= MAX_YAML_DEPTH {
        return Err(at_line(line, format_args!("nested deeper than {MAX_YAML_DEPTH}")));
    }
    open.push(node);
    Ok(())
}

/// Puts a complete node into the list or mapping around it.
fn add(parent: &mut Open, node: Node) -> Result<()> {
    match parent {
        Open::List { nodes, .. } => nodes.push(node),
        Open::Map { entries, key, .. } => match key.take() {
            Some(key) => entries.push((key, node)),
            None => {
                let line = node.line;
                let Data::Scalar { text: name, .. } = node.data else {
                    return Err(at_line(line, "a key must be a name"));
                };
                if let Some((earlier, _)) = entries.iter().find(|(earlier, _)| earlier.name == name) {
                    return Err(at_line(
                        line,
                        format_args!("{name}: comes twice, first on line {}", earlier.line),
                    ));
                }
                *key = Some(Key { line, name });
            }
        },
    }
    Ok(())
}
