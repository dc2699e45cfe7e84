//! `cargo xtask`: see [`xtask`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use std::path::PathBuf;
use std::process::ExitCode;

use xtask::ci;

/// What the arguments ask for.
enum Wish {
    Help,
    Ci { only: Vec<String> },
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match wish(&arguments) {
        Ok(Wish::Help) => {
            println!("{}", ci::help());
            ExitCode::SUCCESS
        }
        Ok(Wish::Ci { only }) => match ci::run(&root(), &only) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(message) => {
                eprintln!("xtask: {message}");
                ExitCode::FAILURE
            }
        },
        Err(message) => {
            eprintln!("xtask: {message}\n\n{}", ci::help());
            ExitCode::from(2)
        }
    }
}

fn wish(arguments: &[String]) -> Result<Wish, String> {
    let mut arguments = arguments.iter().map(String::as_str);
    match arguments.next() {
        None | Some("help" | "--help" | "-h") => return Ok(Wish::Help),
        Some("ci") => {}
        Some(other) => return Err(format!("no command {other:?}")),
    }
    let mut only = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument {
            "--only" => only.push(arguments.next().ok_or("--only needs the name of a step")?.to_owned()),
            "--help" | "-h" => return Ok(Wish::Help),
            other => return Err(format!("ci has no argument {other:?}")),
        }
    }
    if let Some(unknown) = only.iter().find(|name| !ci::is_step(name)) {
        return Err(format!("ci has no step {unknown:?}"));
    }
    Ok(Wish::Ci { only })
}

/// The root of the workspace that this was started in, wherever below it the caller stands.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("..")
}
