//! `docs/guarantees.md`: each promise names the test that proves it, and the test exists.
//!
//! Its tables have the columns promise, fault, test. A test is named as `crate::module::path::function`: the crate
//! with `_` for `-`; for a test in `tests/crash.rs` of a crate, `crate::crash::function`.

use std::collections::BTreeMap;

use super::{Source, Tree};

pub(super) const PATH: &str = "docs/guarantees.md";

pub(super) fn check(tree: &Tree, text: &str) -> Vec<String> {
    let crates = crates(tree);
    let sources: Vec<(Vec<String>, Source<'_>)> =
        tree.sources().filter_map(|source| Some((module_path(&crates, source.path)?, source))).collect();
    let rows = rows(text);
    let mut problems = Vec::new();
    if rows.is_empty() {
        problems.push(format!("{PATH}: no table with the columns promise, fault, test"));
    }
    for (line, cells) in rows {
        let tests = cells.last().map(|cell| tests_of_cell(cell)).unwrap_or_default();
        if cells.len() != 3 || tests.is_empty() {
            problems.push(format!("{PATH}:{line}: a row is | promise | fault | `crate::path::test` |"));
        }
        for test in tests.iter().filter(|test| !exists(&sources, test)) {
            problems.push(format!("{PATH}:{line}: there is no test {test}"));
        }
    }
    problems
}

/// Line number and cells of the rows below each header `promise | fault | test`.
fn rows(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    let mut in_table = false;
    for (number, line) in text.lines().enumerate() {
        let Some(inside) = line.trim().strip_prefix('|') else {
            in_table = false;
            continue;
        };
        let inside = inside.strip_suffix('|').unwrap_or(inside);
        let cells: Vec<String> = inside.split('|').map(|cell| cell.trim().to_owned()).collect();
        let is_rule = cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| c == '-' || c == ':'));
        if cells.iter().map(|cell| cell.to_lowercase()).eq(["promise", "fault", "test"]) {
            in_table = true;
        } else if in_table && !is_rule {
            rows.push((number + 1, cells));
        }
    }
    rows
}

/// What stands in backticks.
fn tests_of_cell(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Directories of packages, and the names of their crates.
fn crates(tree: &Tree) -> BTreeMap<String, String> {
    let mut crates = BTreeMap::new();
    for (path, text) in tree.texts(&["/Cargo.toml"]) {
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        if let (Some(name), Some(directory)) = (name, path.strip_suffix("/Cargo.toml")) {
            crates.insert(directory.to_owned(), name.replace('-', "_"));
        }
    }
    crates
}

/// The path of the module that a file holds: crate, modules.
fn module_path(crates: &BTreeMap<String, String>, path: &str) -> Option<Vec<String>> {
    let (directory, name) = crates
        .iter()
        .filter(|(directory, _)| {
            path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
        .max_by_key(|(directory, _)| directory.len())?;
    let inside = path[directory.len() + 1..].strip_suffix(".rs")?;
    let inside = inside.strip_prefix("src/").or_else(|| inside.strip_prefix("tests/"))?;
    let mut parts: Vec<String> =
        std::iter::once(name.as_str()).chain(inside.split('/')).map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        parts.pop();
    }
    Some(parts)
}

fn exists(sources: &[(Vec<String>, Source<'_>)], test: &str) -> bool {
    let parts: Vec<&str> = test.split("::").collect();
    let Some((function, modules)) = parts.split_last() else {
        return false;
    };
    sources.iter().any(|(path, source)| {
        // What the path of the file does not say must be a module in the file.
        modules.len() >= path.len()
            && path.iter().zip(modules).all(|(ours, theirs)| ours == theirs)
            && modules[path.len()..]
                .iter()
                .all(|module| source.words(module).any(|at| is_after(source, at, "mod")))
            && has_test(source, function)
    })
}

/// Whether the file holds a function of this name with an attribute such as `#[test]` or `#[tokio::test]`.
fn has_test(source: &Source<'_>, function: &str) -> bool {
    source.words(function).filter(|at| is_after(source, *at, "fn")).any(|at| {
        let line = source.line_of(at);
        let above: Vec<&str> = source.code.lines().take(line).collect();
        // Attributes and blanked comments, up to the item before.
        above
            .iter()
            .rev()
            .skip(1)
            .map(|line| line.trim())
            .take_while(|line| line.is_empty() || line.starts_with("#["))
            .any(|line| line == "#[test]" || (line.starts_with("#[") && line.contains("::test")))
    })
}

fn is_after(source: &Source<'_>, at: usize, keyword: &str) -> bool {
    source.code[..at].trim_end().ends_with(keyword)
}
