use super::*;

#[test]
fn what_is_in_the_cache_is_not_fetched_again() {
    let cache = tempfile::tempdir().unwrap();
    for name in NAMES {
        fs::write(cache.path().join(name), name).unwrap();
    }
    let files = files(cache.path(), &AtomicBool::new(false)).unwrap();
    assert_eq!((files.items.as_str(), files.users.as_str()), ("ml-100k.item", "ml-100k.user"));
    assert_eq!(files.ratings, "ml-100k.inter");
}

#[test]
fn a_failing_program_gives_its_last_words_as_reason() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "echo first >&2; echo 'no network' >&2; exit 3"]).stderr(Stdio::piped());
    assert_eq!(run(shell, "sh", &AtomicBool::new(false)).unwrap_err(), "sh failed: no network");
    let missing = run(Command::new("no-such-program-here"), "it", &AtomicBool::new(false)).unwrap_err();
    assert!(missing.starts_with("cannot start it:"), "{missing}");
}

#[test]
fn a_program_ends_with_the_server() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec tail -f /dev/null"]).stderr(Stdio::null());
    let given_up = run(shell, "tail", &AtomicBool::new(true)).unwrap_err();
    assert_eq!(given_up, "tail: given up because the server stops");
}
