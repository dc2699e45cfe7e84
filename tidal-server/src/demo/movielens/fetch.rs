//! Gets MovieLens-100K out of a Python package with the machine's own Python.
//!
//! 1. `pip download` of the one pinned wheel; pip refuses it if its hash is another.
//! 2. `python3 -m zipfile` unpacks it beside.
//! 3. The three files are checked for size and moved into the cache, each by a rename, the last one marking the cache
//!    as complete.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io, thread};

use super::Files;
use crate::limits::MAX_DATA_FILE_BYTES;

const REQUIREMENT: &str =
    "recbole==1.2.1 --hash=sha256:9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407\n";
const WHEEL: &str = "recbole-1.2.1-py3-none-any.whl";
const INSIDE: &str = "recbole/dataset_example/ml-100k";
const NAMES: [&str; 3] = ["ml-100k.item", "ml-100k.user", "ml-100k.inter"];
/// How often a running program is looked after while it is waited for.
const LOOK: Duration = Duration::from_millis(50);

/// The three files, from the cache or else fetched into it.
///
/// # Errors
/// Why they cannot be had, in one line.
pub(crate) fn files(cache: &Path, stop: &AtomicBool) -> Result<Files, String> {
    if !NAMES.iter().all(|name| cache.join(name).is_file()) {
        download(cache, stop)?;
    }
    let [items, users, ratings] = NAMES.map(|name| read(&cache.join(name)));
    Ok(Files { items: items?, users: users?, ratings: ratings? })
}

fn download(cache: &Path, stop: &AtomicBool) -> Result<(), String> {
    let scratch = cache.join("download");
    let failed = |doing: &str, error: io::Error| format!("cannot {doing}: {error}");
    match fs::remove_dir_all(&scratch) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("clear the cache", error));
        }
        _ => fs::create_dir_all(&scratch).map_err(|error| failed("create the cache", error))?,
    }
    fs::write(scratch.join("requirements.txt"), REQUIREMENT)
        .map_err(|error| failed("write to the cache", error))?;
    let mut pip = python(&scratch);
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]);
    pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes", "--retries=1", "--timeout=15"]);
    pip.args(["--requirement", "requirements.txt", "--dest", "."]);
    run(pip, "python3 -m pip download", stop)?;
    let mut unzip = python(&scratch);
    unzip.args(["-m", "zipfile", "--extract", WHEEL, "unpacked"]);
    run(unzip, "python3 -m zipfile", stop)?;
    for name in NAMES {
        let found = scratch.join("unpacked").join(INSIDE).join(name);
        let size = fs::metadata(&found)
            .map_err(|error| format!("the package has no {INSIDE}/{name}: {error}"))?
            .len();
        if size > MAX_DATA_FILE_BYTES {
            return Err(format!(
                "{name} has {size} bytes, more than the {MAX_DATA_FILE_BYTES} expected at most"
            ));
        }
        fs::rename(&found, cache.join(name)).map_err(|error| failed("move into the cache", error))?;
    }
    fs::remove_dir_all(&scratch).map_err(|error| failed("clear the cache", error))
}

fn python(directory: &Path) -> Command {
    let mut command = Command::new("python3");
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Runs a program to its end; what it says on standard error is the reason if it fails.
fn run(mut command: Command, name: &str, stop: &AtomicBool) -> Result<(), String> {
    let child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
    let output = end_of(child, stop).map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let reason = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given").trim();
    Err(format!("{name} failed: {reason}"))
}

/// Waits for a program, or ends it when the server stops. It says little, so that its pipe does not fill.
fn end_of(mut child: Child, stop: &AtomicBool) -> io::Result<std::process::Output> {
    while child.try_wait()?.is_none() {
        if stop.load(Ordering::Acquire) {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other("given up because the server stops"));
        }
        thread::sleep(LOOK);
    }
    child.wait_with_output()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
