//! The layout checks: how the repository must look for people to find their way. Every check is a function from the
//! files to a list of problems; most look at one file.

mod blank;
mod documents;
mod guarantees;
mod names;
mod places;
mod rules;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::process;

/// The files of a repository, by path: relative, `/`-separated.
#[derive(Debug, Default)]
pub struct Tree {
    /// Everything that is committed or would be by `git add --all`.
    pub files: BTreeMap<String, File>,
}

/// A file.
#[derive(Debug, Default)]
pub struct File {
    /// Its content; none if it is not UTF-8.
    pub text: Option<String>,
    /// Whether git follows it already.
    pub is_tracked: bool,
}

/// What the checks found.
#[derive(Debug, Default)]
pub struct Report {
    /// What is wrong, one line each: file, line, what.
    pub problems: Vec<String>,
    /// What is not wrong yet.
    pub notes: Vec<String>,
}

/// A source file in Rust, as the checks see it.
struct Source<'a> {
    path: &'a str,
    text: &'a str,
    /// The text with comments and the insides of literals turned into spaces: same length, same lines.
    code: String,
}

impl Source<'_> {
    fn problem(&self, line: usize, what: impl std::fmt::Display) -> String {
        format!("{}:{line}: {what}", self.path)
    }

    /// The line number of a byte offset, from 1.
    fn line_of(&self, offset: usize) -> usize {
        1 + self.code[..offset].bytes().filter(|byte| *byte == b'\n').count()
    }

    /// Byte offsets at which the word stands alone in the code.
    fn words<'b>(&'b self, word: &'b str) -> impl Iterator<Item = usize> + 'b {
        self.code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let before = self.code[..*at].chars().next_back();
            let after = self.code[at + word.len()..].chars().next();
            !before.is_some_and(blank::is_word) && !after.is_some_and(blank::is_word)
        })
    }
}

impl Tree {
    /// Reads the repository at `root` as git sees it, new files included and ignored files left out.
    ///
    /// # Errors
    /// If it is no repository, or a file cannot be read.
    pub fn read(root: &Path) -> Result<Tree, String> {
        let list = |which: &[&str]| {
            let mut git = Command::new("git");
            process::output(git.current_dir(root).args(["ls-files", "-z"]).args(which))
        };
        let mut tree = Tree::default();
        for (is_tracked, paths) in
            [(true, list(&["--cached"])?), (false, list(&["--others", "--exclude-standard"])?)]
        {
            for path in paths.split_terminator('\0') {
                match std::fs::read(root.join(path)) {
                    Ok(bytes) => {
                        let text = String::from_utf8(bytes).ok();
                        tree.files.insert(path.to_owned(), File { text, is_tracked });
                    }
                    // Removed, and the removal not committed yet.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(format!("cannot read {path}: {error}")),
                }
            }
        }
        Ok(tree)
    }

    /// Paths and contents of the files that are text, with one of the endings.
    fn texts<'a>(&'a self, endings: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        self.files.iter().filter_map(move |(path, file)| {
            let text = file.text.as_deref()?;
            endings.iter().any(|ending| path.ends_with(ending)).then_some((path.as_str(), text))
        })
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }

    fn sources(&self) -> impl Iterator<Item = Source<'_>> {
        self.texts(&[".rs"]).map(|(path, text)| Source { path, text, code: blank::blank(text) })
    }
}

/// Runs all checks.
pub fn check(tree: &Tree) -> Report {
    let mut report = Report::default();
    report.problems.extend(names::check(tree));
    report.problems.extend(places::check(tree));
    report.problems.extend(documents::check(tree));
    match tree.text(guarantees::PATH) {
        Some(text) => report.problems.extend(guarantees::check(tree, text)),
        None => report.notes.push(format!("{} is not written yet", guarantees::PATH)),
    }
    for source in tree.sources() {
        report.problems.extend(shape::check(&source));
        report.problems.extend(rules::check(&source));
        report.notes.extend(shape::long_functions(&source));
    }
    report
}
