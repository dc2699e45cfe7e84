//! Running other programs. None of them gets an input, so none can wait for an answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Which output of a program is read while it is passed on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Watched {
    Stdout,
    Stderr,
}

/// Runs a program to its end with our own outputs.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).status().map_err(|error| cannot_run(command, &error))?;
    judge(command, status)
}

/// Runs a program to its end, passes the lines of one of its outputs on to our standard output and shows each to
/// `see`. Its other output is ours.
pub(crate) fn watch(
    command: &mut Command,
    watched: Watched,
    see: &mut dyn FnMut(&str),
) -> Result<(), String> {
    command.stdin(Stdio::null());
    match watched {
        Watched::Stdout => command.stdout(Stdio::piped()),
        Watched::Stderr => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().map_err(|error| cannot_run(command, &error))?;
    let passed_on = match watched {
        Watched::Stdout => child.stdout.take().map(|output| pass_on(output, see)),
        Watched::Stderr => child.stderr.take().map(|output| pass_on(output, see)),
    };
    let status = child.wait().map_err(|error| cannot_run(command, &error))?;
    if let Some(Err(error)) = passed_on {
        return Err(format!("cannot pass on the output of `{}`: {error}", line(command)));
    }
    judge(command, status)
}

/// Whether a program can be run and says that all is well. Its outputs are dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The standard output of a program that must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_run(command, &error))?;
    judge(command, output.status)?;
    String::from_utf8(output.stdout).map_err(|_| format!("`{}` wrote what is not UTF-8", line(command)))
}

/// Whether the search path holds a program of this name.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| is_file(&dir.join(program)))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file())
}

fn pass_on(output: impl Read, see: &mut dyn FnMut(&str)) -> io::Result<()> {
    let mut reader = BufReader::new(output);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let mut ours = io::stdout().lock();
        ours.write_all(&bytes)?;
        ours.flush()?;
        see(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        bytes.clear();
    }
    Ok(())
}

fn judge(command: &Command, status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", line(command))) }
}

fn cannot_run(command: &Command, error: &io::Error) -> String {
    format!("cannot run `{}`: {error}", line(command))
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
