//! The demo from end to end, as a program: first start, crashes at any moment, restarts, orderly stops.

#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![allow(clippy::disallowed_methods, reason = "a test starts programs and waits for them")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use support::poll;
use support::server::{Server, run};
use tidaldb::{Database, Options, Schema};

/// Everything that answers show of the state: entities, relations, counters, and some feeds. Scores move with time;
/// order and counts do not.
fn state(server: &Server) -> BTreeMap<String, Json> {
    let mut state = BTreeMap::new();
    for kind in ["items", "users", "creators"] {
        state.insert(kind.to_owned(), server.get(&format!("/{kind}?limit=1000")));
    }
    for user in state["users"]["entities"].as_array().unwrap().clone() {
        let path = format!("/users/{}/relations", user["id"]);
        state.insert(path.clone(), server.get(&path));
    }
    let all = server.post("/retrieve", &json!({"profile": "new", "limit": 1000}));
    for hit in all["results"].as_array().unwrap() {
        state.insert(format!("signals of {}", hit["id"]), hit["signals"].clone());
    }
    for user in [1, 2, 3] {
        let found = server.post("/search", &json!({"query": "sea", "user": user, "limit": 50}));
        let mut ids: Vec<u64> =
            found["results"].as_array().unwrap().iter().map(|hit| hit["id"].as_u64().unwrap()).collect();
        ids.sort_unstable();
        state.insert(format!("sea for {user}"), json!(ids));
    }
    state
}

/// How often an item has a signal, over all time.
fn count(server: &Server, item: u64, signal: &str) -> f64 {
    let all = server.post("/retrieve", &json!({"profile": "new", "limit": 1000}));
    let hits = all["results"].as_array().unwrap();
    let hit = hits.iter().find(|hit| hit["id"] == item).unwrap();
    hit["signals"][signal].as_f64().unwrap_or(0.0)
}

fn whole(directory: &Path) -> Server {
    let server = Server::demo(directory);
    server.wait_until_ready();
    server
}

/// The database of a killed server agrees with its log. A copy is looked at, so that the next start finds what the kill
/// left.
fn is_sound(directory: &Path) {
    let copy = tempfile::tempdir().unwrap();
    let from = directory.join("database");
    let copied = std::process::Command::new("cp").arg("-r").args([&from, copy.path()]).status().unwrap();
    assert!(copied.success());
    let schema = Schema::parse(tidal_server::demo::SCHEMA).unwrap();
    let database = Database::open(copy.path().join("database"), schema, Options { durable: true }).unwrap();
    database.check().unwrap();
    assert_eq!(database.opening().rebuilt, Vec::<String>::new(), "a kill damages no view");
    database.close().unwrap();
}

#[test]
fn the_first_start_imports_and_serves_and_the_second_has_it_all() {
    let directory = tempfile::tempdir().unwrap();
    let server = whole(directory.path());
    assert_eq!(server.get("/ready")["ready"], true);
    let feed =
        server.post("/retrieve", &json!({"profile": "for_you", "user": 1, "explain": true, "fields": true}));
    let first = &feed["results"][0];
    assert!(first["metadata"]["title"].is_string() && first["explain"]["reason"].is_string(), "{first}");
    for profile in ["trending", "new", "following"] {
        let feed = server.post("/retrieve", &json!({"profile": profile, "user": 1}));
        assert!(!feed["results"].as_array().unwrap().is_empty(), "{profile}: {feed}");
    }
    let before = state(&server);
    let end = server.stop();
    assert!(end.status.success(), "{}", end.said);
    assert!(end.said.contains("simulated") && end.said.contains("everything is saved"), "{}", end.said);

    let server = whole(directory.path());
    assert_eq!(state(&server), before);
    // Its directory also serves without the demo.
    assert!(server.stop().status.success());
    let mut command = support::server::program();
    command.arg("--schema").arg(directory.path().join("schema.yaml"));
    command.arg("--data").arg(directory.path().join("database")).args(["--listen", "127.0.0.1:0"]);
    assert_eq!(state(&Server::start(command)), before);
}

#[test]
fn an_import_that_is_killed_again_and_again_ends_as_one_that_was_not() {
    let directory = tempfile::tempdir().unwrap();
    let note = directory.path().join("import.json");
    // Killed as soon as it is noted what is imported as of when, then further and further into the import.
    let server = Server::demo(directory.path());
    poll("the import to begin", || note.exists().then_some(()));
    server.kill();
    // The times of what is imported follow from the note, so the import that is left alone gets the same.
    let untouched = tempfile::tempdir().unwrap();
    fs::copy(&note, untouched.path().join("import.json")).unwrap();
    let want = state(&whole(untouched.path()));
    let total = want.len();
    assert!(total > 300, "the state has something to compare");
    for done in [1, 1_000, 5_000, 10_000] {
        let server = Server::demo(directory.path());
        poll("the import to get on", || {
            let import = server.import();
            (import["done"].as_u64().unwrap() >= done || import["phase"] == "done").then_some(())
        });
        server.kill();
        is_sound(directory.path());
    }
    let got = state(&whole(directory.path()));
    for (what, want) in &want {
        assert_eq!(got.get(what), Some(want), "{what}");
    }
    assert_eq!(got.len(), want.len());
}

#[test]
fn no_acknowledged_signal_or_hide_is_missing_after_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = whole(directory.path());
    let mut want = count(&server, 5, "view");
    let mut sent = 0;
    for round in 0..3 {
        // Written from another thread, so that the kill comes between any two steps of a write.
        let (acknowledged, progress) = std::sync::mpsc::channel();
        let kill_after = 40 + 25 * round;
        std::thread::scope(|scope| {
            let server = &server;
            scope.spawn(move || {
                for place in 0.. {
                    let body =
                        json!({"signal": "view", "item": 5, "user": 9, "key": format!("{round}:{place}")});
                    if server.try_post("/signals", &body).is_none() || acknowledged.send(place).is_err() {
                        return;
                    }
                }
            });
            for _ in 0..kill_after {
                progress.recv().unwrap();
            }
            let id = server.id().to_string();
            assert!(std::process::Command::new("kill").args(["-KILL", &id]).status().unwrap().success());
        });
        let acknowledged = kill_after + progress.try_iter().count();
        sent += acknowledged;
        server.kill();
        is_sound(directory.path());

        server = whole(directory.path());
        // What was acknowledged is there; of the one under way nobody knows. Sending all again counts none twice.
        let after = count(&server, 5, "view");
        let acknowledged = acknowledged as f64;
        assert!(
            (want + acknowledged..=want + acknowledged + 1.0).contains(&after),
            "{after}: {want} + {acknowledged}"
        );
        let again = json!({"signal": "view", "item": 5, "user": 9, "key": format!("{round}:0")});
        assert_eq!(server.post("/signals", &again)["duplicates"], 1);
        assert_eq!(count(&server, 5, "view"), after);
        want = after;

        let hidden = 20 + round;
        server.post("/relations", &json!({"relation": "hide", "user": 9, "item": hidden}));
        server.kill();
        server = whole(directory.path());
        let feed = server.post("/retrieve", &json!({"profile": "new", "user": 9, "limit": 1000}));
        let ids: Vec<&Json> = feed["results"].as_array().unwrap().iter().map(|hit| &hit["id"]).collect();
        assert!(!ids.is_empty() && !ids.contains(&&json!(hidden)), "{hidden} came back");
    }
    assert!(sent >= 150, "{sent}");
}

#[test]
fn a_second_server_on_the_directory_names_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let server = whole(directory.path());
    let path = directory.path().to_str().unwrap();
    let end = run(&["demo", "--source", "bundled", "--listen", "127.0.0.1:0", "--data", path]);
    assert_eq!(end.status.code(), Some(3), "{}", end.said);
    assert!(end.said.contains(&server.id().to_string()), "{}", end.said);
    // The first is not disturbed.
    assert_eq!(server.get("/health")["status"], "ok");
}

#[test]
fn a_directory_that_holds_something_else_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let note = directory.path().join("import.json");
    std::fs::write(&note, "{\"source\": \"movielens\", \"now\": 0, \"complete\": true}").unwrap();
    let demo = ["demo", "--source", "bundled", "--listen", "127.0.0.1:0", "--data", path];
    let end = run(&demo);
    assert_eq!(end.status.code(), Some(2), "{}", end.said);
    assert!(end.said.contains("MovieLens-100K") && end.said.contains("--source bundled"), "{}", end.said);

    std::fs::rename(note, directory.path().join("letter.txt")).unwrap();
    let schema = directory.path().join("schema.yaml");
    std::fs::write(&schema, "{}").unwrap();
    let plain = ["--schema", schema.to_str().unwrap(), "--listen", "127.0.0.1:0", "--data", path];
    for arguments in [demo.as_slice(), &plain] {
        let end = run(arguments);
        assert_eq!(end.status.code(), Some(2), "{}", end.said);
        assert!(end.said.contains(path) && end.said.contains("letter.txt"), "{}", end.said);
    }
    assert_eq!(files(directory.path()).len(), 2, "nothing was written");
}

#[test]
fn wrong_starts_say_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let schema = directory.path().join("schema.yaml");
    let data = directory.path().join("data");
    std::fs::write(&schema, "items:\n  fields:\n    year: integr\n").unwrap();
    let (schema, data) = (schema.to_str().unwrap(), data.to_str().unwrap());
    let end = run(&["--schema", schema, "--data", data]);
    assert_eq!(end.status.code(), Some(2));
    assert!(
        end.said.contains(schema) && end.said.contains("line 3") && end.said.contains("integr"),
        "{}",
        end.said
    );

    let end = run(&["--schema", "no-such-file.yaml", "--data", data]);
    assert_eq!(end.status.code(), Some(2));
    assert!(end.said.contains("no-such-file.yaml"), "{}", end.said);

    let end = run(&["demo", "--data", data, "--listen", "0.0.0.0:0"]);
    assert_eq!(end.status.code(), Some(2));
    assert!(end.said.contains("no access tokens"), "{}", end.said);
}

#[test]
fn a_damaged_file_is_named() {
    let directory = tempfile::tempdir().unwrap();
    assert!(whole(directory.path()).stop().status.success());
    // The log is read when the database is opened; a segment only when somebody asks for what is in it.
    let lanes = files(&directory.path().join("database/store/lanes"));
    let largest = lanes.iter().max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    let mut bytes = std::fs::read(largest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 16].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(largest, bytes).unwrap();

    let mut command = support::server::program();
    command.args(["demo", "--source", "bundled", "--listen", "127.0.0.1:0", "--data"]).arg(directory.path());
    let Err(end) = Server::try_start(command) else { panic!("a server starts on a damaged file") };
    let said = end.said;
    assert_eq!(end.status.code(), Some(4), "{said}");
    let name = largest.file_name().unwrap().to_str().unwrap();
    assert!(said.contains(name) && said.contains("offset"), "{said} does not name {name}");
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
