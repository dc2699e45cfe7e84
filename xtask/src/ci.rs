//! The steps of `cargo xtask ci`, in their order.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::{self, Watched};
use crate::totals::{self, Totals};
use crate::{dependencies, layout, tools};

#[cfg(test)]
mod tests;

/// One step: its name for `--only`, what it does, and the function that does it.
struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&mut Run) -> Result<(), String>,
}

/// Quick steps first, then by what a failure says about the next: what does not compile need not be tested.
const STEPS: &[Step] = &[
    Step { name: "tools", what: "install what the tests need", run: |run| tools::provide(&run.cargo) },
    Step { name: "format", what: "cargo fmt --all --check", run: format },
    Step { name: "clippy", what: "lints are errors", run: clippy },
    Step { name: "tests", what: "cargo nextest run, all packages", run: tests },
    Step { name: "doc-tests", what: "examples in the documentation", run: doc_tests },
    Step { name: "docs", what: "the documentation builds without a warning", run: docs },
    Step {
        name: "dependencies",
        what: "direction, licences, sources and number of crates",
        run: dependencies,
    },
    Step {
        name: "layout",
        what: "names, sizes and rules of the sources, links of the documents",
        run: layout,
    },
];

/// What the steps share.
struct Run {
    root: PathBuf,
    cargo: OsString,
    totals: Totals,
    /// Whether a test runner came to its closing line.
    counted: bool,
}

impl Run {
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.cargo);
        command.current_dir(&self.root).args(arguments);
        command
    }

    fn count(&mut self, seen: Totals) {
        self.counted = true;
        self.totals += seen;
    }
}

/// The text of `cargo xtask help`.
pub fn help() -> String {
    let mut text = "cargo xtask ci [--only STEP]...   run all checks and tests, or the named steps
cargo xtask help                  show this

steps of ci, in their order:"
        .to_owned();
    for step in STEPS {
        text.push_str(&format!("\n  {:<14}{}", step.name, step.what));
    }
    text
}

/// Whether `--only` may name it.
pub fn is_step(name: &str) -> bool {
    STEPS.iter().any(|step| step.name == name)
}

/// Runs all steps, or those named in `only`, in their order, and stops at the first that fails.
///
/// Prints a heading and the time of each step, then a summary, then the sums over all tests as a line of its own.
///
/// Returns whether all went well; if not, the step that failed and the reason were printed.
///
/// # Errors
/// If there is nothing at `root` to check.
pub fn run(root: &Path, only: &[String]) -> Result<bool, String> {
    let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut run = Run { root, cargo, totals: Totals::default(), counted: false };
    let mut done = Vec::new();
    for step in STEPS.iter().filter(|step| only.is_empty() || only.iter().any(|name| name == step.name)) {
        println!("\n=== {}: {}", step.name, step.what);
        let begin = Instant::now();
        let result = (step.run)(&mut run);
        done.push((step.name, begin.elapsed(), result.is_ok()));
        if let Err(message) = result {
            println!("\nstep {} failed: {message}", step.name);
            break;
        }
    }
    print!("{}", summary(&done, run.counted.then_some(run.totals)));
    Ok(done.iter().all(|(_, _, ok)| *ok))
}

/// The end of the output. Without sums if no test runner came to its end: zero of zero is not a result.
fn summary(done: &[(&str, Duration, bool)], totals: Option<Totals>) -> String {
    let mut text = "\n=== summary\n".to_owned();
    for (name, time, ok) in done {
        let verdict = if *ok { "ok" } else { "FAILED" };
        text.push_str(&format!("{name:<14}{:>8.1} s  {verdict}\n", time.as_secs_f64()));
    }
    if let Some(Totals { passed, failed, skipped }) = totals {
        if skipped > 0 {
            text.push_str(&format!("tests marked as ignored or filtered out: {skipped}\n"));
        }
        text.push_str(&format!("{passed} passed, {failed} failed\n"));
    }
    text
}

fn format(run: &mut Run) -> Result<(), String> {
    process::run(&mut run.cargo(&["fmt", "--all", "--check", "--", "--color", "never"]))
}

fn clippy(run: &mut Run) -> Result<(), String> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    process::run(&mut run.cargo(&arguments))
}

fn tests(run: &mut Run) -> Result<(), String> {
    let arguments = ["nextest", "run", "--workspace", "--locked", "--profile", "ci", "--color", "never"];
    let mut last = None;
    let result = process::watch(&mut run.cargo(&arguments), Watched::Stderr, &mut |line| {
        // Should a failing test print such a line too, nextest's own comes after it.
        last = totals::nextest(line).or(last);
    });
    if let Some(seen) = last {
        run.count(seen);
    }
    result?;
    if last.is_some() { Ok(()) } else { Err("nextest ended without its closing line".to_owned()) }
}

fn doc_tests(run: &mut Run) -> Result<(), String> {
    let arguments = [
        "test",
        "--doc",
        "--workspace",
        "--locked",
        "--no-fail-fast",
        "--color",
        "never",
        "--",
        "--color",
        "never",
    ];
    let mut sum = None;
    let result = process::watch(&mut run.cargo(&arguments), Watched::Stdout, &mut |line| {
        if let Some(seen) = totals::doc_test(line) {
            *sum.get_or_insert_default() += seen;
        }
    });
    if let Some(seen) = sum {
        run.count(seen);
    }
    result
}

fn docs(run: &mut Run) -> Result<(), String> {
    let mut command = run.cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    process::run(command.env("RUSTDOCFLAGS", "-Dwarnings"))
}

fn dependencies(run: &mut Run) -> Result<(), String> {
    let json = process::output(&mut run.cargo(&["metadata", "--locked", "--format-version", "1"]))?;
    let metadata = serde_json::from_str(&json).map_err(|error| format!("cargo metadata: {error}"))?;
    let report = dependencies::check(&metadata)?;
    println!("external crates: {} of at most {}", report.external, dependencies::MAX_EXTERNAL_CRATES);
    tell(&report.problems)
}

fn layout(run: &mut Run) -> Result<(), String> {
    let tree = layout::Tree::read(&run.root)?;
    let report = layout::check(&tree);
    for note in &report.notes {
        println!("note: {note}");
    }
    println!("files: {}", tree.files.len());
    tell(&report.problems)
}

fn tell(problems: &[String]) -> Result<(), String> {
    for problem in problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err("1 problem, see above".to_owned()),
        many => Err(format!("{many} problems, see above")),
    }
}
