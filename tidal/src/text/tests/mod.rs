mod analyzer;
mod crash;
mod files;
mod index;
mod oracle;
mod parse;
mod search;

use std::sync::Arc;

use crate::Row;

use super::{Opened, Parsing, TextField, TextFieldKind, TextHits, TextIndex};
use files::TestFiles;

/// The fields of most tests.
fn fields() -> Vec<TextField> {
    vec![
        TextField { name: "title".to_owned(), weight: 2.0, kind: TextFieldKind::Text },
        TextField { name: "description".to_owned(), weight: 1.0, kind: TextFieldKind::Text },
        TextField { name: "tags".to_owned(), weight: 1.5, kind: TextFieldKind::Keywords },
    ]
}

fn open(files: &Arc<TestFiles>) -> (TextIndex, Opened) {
    TextIndex::open(files::shared(files), &fields()).unwrap()
}

fn empty() -> TextIndex {
    open(&TestFiles::new()).0
}

/// An index of titles, in rows from 0.
fn titles(titles: &[&str]) -> TextIndex {
    let index = empty();
    for (row, title) in titles.iter().enumerate() {
        add(&index, u32::try_from(row).unwrap(), title);
    }
    index
}

fn add(index: &TextIndex, row: u32, title: &str) {
    assert_eq!(index.upsert(Row(row), &[(0, vec![title])]).unwrap(), []);
}

fn hits(index: &TextIndex, query: &str) -> TextHits {
    index.search(query, Parsing::Lenient, 1000, None).unwrap()
}

/// The rows that a query finds, sorted.
fn rows(index: &TextIndex, query: &str) -> Vec<u32> {
    let mut rows = ranked(index, query);
    rows.sort_unstable();
    rows
}

/// The rows that a query finds, best first.
fn ranked(index: &TextIndex, query: &str) -> Vec<u32> {
    hits(index, query).hits.iter().map(|hit| hit.row.0).collect()
}
