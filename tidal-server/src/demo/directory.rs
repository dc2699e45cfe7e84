//! The demo's directory: what is in it, and whether the demo may start there.

use std::fs;
use std::io;
use std::path::Path;

use super::Choice;
use super::dataset::Source;
use super::record::{self, Record};

/// The database, which can be served without the demo as well.
pub const DATABASE: &str = "database";
/// The schema of the database.
pub const SCHEMA: &str = "schema.yaml";
/// What was fetched.
pub(super) const CACHE: &str = "cache";

/// Why the demo does not start in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It holds something else: another directory or another choice is needed.
    Taken(String),
    /// What is there cannot be read.
    Unreadable(String),
}

/// Whether the demo with this choice may start in a directory: one that is not there yet, an empty one, or one that holds
/// a demo of the same data set, with whatever else beside it.
///
/// # Errors
/// Why it may not, naming the directory and what is in it. Nothing was written.
pub fn check(directory: &Path, choice: Choice) -> Result<(), Refusal> {
    match Record::load(directory).map_err(Refusal::Unreadable)? {
        Some(record) => check_source(directory, record.source, choice).map_err(Refusal::Taken),
        None => check_foreign(directory),
    }
}

/// One directory holds one data set.
pub(super) fn check_source(directory: &Path, held: Source, choice: Choice) -> Result<(), String> {
    let (other, wanted) = match choice {
        Choice::Auto => return Ok(()),
        Choice::MovieLens => (held != Source::MovieLens, "movielens"),
        Choice::Bundled => (held != Source::Bundled, "bundled"),
    };
    if !other {
        return Ok(());
    }
    let (directory, held) = (directory.display(), held.title());
    Err(format!(
        "{directory} holds {held}, which is not what --source {wanted} asks for: leave --source out, or name another \
         directory with --data"
    ))
}

/// A demo that was stopped before it noted its data set has a database and nothing of anyone else's, unless it was put
/// there since.
fn check_foreign(directory: &Path) -> Result<(), Refusal> {
    if directory.join(DATABASE).join("store").is_dir() {
        return Ok(());
    }
    let unreadable =
        |error: io::Error| Refusal::Unreadable(format!("cannot read {}: {error}", directory.display()));
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(error)),
    };
    let ours = [DATABASE, SCHEMA, CACHE, record::NAME, record::DRAFT, "lost+found"];
    let mut foreign = Vec::new();
    for entry in entries {
        let name = entry.map_err(unreadable)?.file_name();
        if !ours.iter().any(|ours| name == **ours) {
            foreign.push(name);
        }
    }
    match foreign.into_iter().min() {
        None => Ok(()),
        Some(name) => Err(Refusal::Taken(format!(
            "{} holds no demo and is not empty: there is {name:?}, which is not of a demo; name an empty directory or \
             a new one with --data",
            directory.display()
        ))),
    }
}

#[cfg(test)]
mod tests;
