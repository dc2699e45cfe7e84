use super::*;

fn taken(directory: &Path, choice: Choice) -> String {
    match check(directory, choice) {
        Err(Refusal::Taken(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_directory_holds_one_data_set() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    Record { source: Source::MovieLens, now: 0, complete: false }.save(directory).unwrap();
    // Beside a demo anything may be.
    fs::write(directory.join("notes.txt"), "mine").unwrap();
    assert_eq!(check(directory, Choice::MovieLens), Ok(()));
    assert_eq!(check(directory, Choice::Auto), Ok(()));
    let reason = taken(directory, Choice::Bundled);
    assert!(reason.contains("MovieLens-100K") && reason.contains("--source bundled"), "{reason}");
    Record { source: Source::Bundled, now: 0, complete: true }.save(directory).unwrap();
    assert!(taken(directory, Choice::MovieLens).contains("--source movielens"));
    fs::write(directory.join(record::NAME), "{").unwrap();
    assert!(matches!(check(directory, Choice::Auto), Err(Refusal::Unreadable(_))));
}

#[test]
fn a_demo_starts_among_its_own_files_only() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    assert_eq!(check(&directory.join("new"), Choice::Auto), Ok(()));
    assert_eq!(check(directory, Choice::Auto), Ok(()));
    for ours in [DATABASE, CACHE, "lost+found"] {
        fs::create_dir(directory.join(ours)).unwrap();
    }
    for ours in [SCHEMA, record::DRAFT] {
        fs::write(directory.join(ours), "").unwrap();
    }
    assert_eq!(check(directory, Choice::Auto), Ok(()), "as a stop in the middle of anything leaves it");
    fs::write(directory.join("thesis.tex"), "mine").unwrap();
    let reason = taken(directory, Choice::Auto);
    assert!(reason.contains("thesis.tex") && reason.contains(directory.to_str().unwrap()), "{reason}");
    fs::create_dir(directory.join(DATABASE).join("store")).unwrap();
    assert_eq!(check(directory, Choice::Auto), Ok(()), "beside a demo anything may be");
    let file = directory.join(SCHEMA);
    assert!(matches!(check(&file, Choice::Auto), Err(Refusal::Unreadable(_))), "no directory");
}
