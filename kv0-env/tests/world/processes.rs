//! Real processes: locks that die with their holder, conditional writes that hold between processes.
//!
//! A test starts this test program again, to run one of the ignored tests below as the other process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use kv0_env::local::{LocalFileSystem, LocalObjectStore};
use kv0_env::{FileSystem, LockError, ObjectError, ObjectStore, PutCondition};

const DIRECTORY: &str = "KV0_ENV_TEST_DIRECTORY";
const PROCESSES: usize = 3;
const ROUNDS: usize = 10;

fn start(role: &str, directory: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", &format!("processes::{role}")]);
    command.env(DIRECTORY, directory).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn directory() -> String {
    std::env::var(DIRECTORY).expect("only another test runs this")
}

#[test]
fn a_lock_dies_with_its_process() {
    let directory = tempfile::tempdir().unwrap();
    let files = LocalFileSystem::open(directory.path()).unwrap();
    let mut holder = start("role_lock_holder", directory.path());
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("locked")), "the other process did not take the lock");
    let Err(LockError::Held(text)) = files.lock("lock", "us") else { panic!("two processes hold the lock") };
    assert_eq!(text, "the other process");
    holder.kill().unwrap();
    holder.wait().unwrap();
    files.lock("lock", "us").unwrap();
}

#[test]
#[ignore = "a role, played by another process for a_lock_dies_with_its_process"]
fn role_lock_holder() {
    let files = LocalFileSystem::open(directory()).unwrap();
    let _lock = files.lock("lock", "the other process").unwrap();
    println!("locked");
    // Until it is killed; should the other side die first, its end of the pipe closes.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn conditional_writes_are_atomic_between_processes() {
    let directory = tempfile::tempdir().unwrap();
    let store = LocalObjectStore::open(directory.path()).unwrap();
    store.put("count", b"0", PutCondition::Absent).unwrap();
    let processes: Vec<Child> = (0..PROCESSES).map(|_| start("role_counter", directory.path())).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let expected = (PROCESSES * ROUNDS).to_string();
    assert_eq!(store.get("count", None).unwrap().0, expected.as_bytes());
}

#[test]
#[ignore = "a role, played by other processes for conditional_writes_are_atomic_between_processes"]
fn role_counter() {
    for _ in 0..ROUNDS {
        loop {
            // Opened anew each time: cleaning up must not touch what the others are writing.
            let store = LocalObjectStore::open(directory()).unwrap();
            let (body, etag) = store.get("count", None).unwrap();
            let next = (String::from_utf8(body).unwrap().parse::<u64>().unwrap() + 1).to_string();
            match store.put("count", next.as_bytes(), PutCondition::Matches(&etag)) {
                Ok(_) => break,
                Err(error) => assert_eq!(error, ObjectError::Precondition),
            }
        }
    }
}
