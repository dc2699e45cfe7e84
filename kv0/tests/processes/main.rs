//! kv0 in real processes that are killed, refused, and short of descriptors. The other process is this program again,
//! asked by a variable of its environment to play a part.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod kill;
mod parts;

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use kv0::{Db, ErrorKind, Options};
use parts::{DIRECTORY, PART};

/// Starts this program again in a part of [`parts`], perhaps under a shell that sets a limit.
fn start(part: &str, directory: &Path, limit: Option<&str>) -> (Child, Lines<BufReader<ChildStdout>>) {
    let program = std::env::current_exe().unwrap();
    let mut command = match limit {
        None => Command::new(program),
        Some(limit) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("{limit} && exec \"$0\" \"$@\"")).arg(program);
            shell
        }
    };
    command.args(["--exact", "parts::a_process_with_a_part", "--nocapture"]);
    command.env(PART, part).env(DIRECTORY, directory).stdout(Stdio::piped()).stdin(Stdio::null());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

/// The number of the next line of the form `<word> <number>`; `None` when the process has ended.
fn next_number(lines: &mut Lines<BufReader<ChildStdout>>, word: &str) -> Option<u64> {
    lines.map_while(Result::ok).find_map(|line| {
        // The line of the test runner may stand before it.
        let (_, number) = line.split_once(&format!("{word} "))?;
        number.parse().ok()
    })
}

#[test]
fn a_second_process_is_refused_with_the_number_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let (mut child, mut lines) = start("hold", directory.path(), None);
    next_number(&mut lines, "open").unwrap();
    let error = Db::open(directory.path(), Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.to_string().contains(&format!("process {} ", child.id())), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    // The lock ends with its holder.
    Db::open(directory.path(), Options::default()).unwrap().close().unwrap();
}

/// Case 6 of the public failures.
#[test]
fn sixty_four_descriptors_are_enough_for_many_segments_and_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let (mut child, mut lines) = start("many files", directory.path(), Some("ulimit -n 64"));
    let files = next_number(&mut lines, "files").unwrap();
    assert!(files > 150, "{files}");
    assert!(child.wait().unwrap().success());
}
