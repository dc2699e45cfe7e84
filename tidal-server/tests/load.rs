//! The program under more than it takes: slow clients, more requests than places, a stop in the middle.

#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![allow(clippy::disallowed_methods, reason = "a test starts programs and waits for them")]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;
use support::server::Server;

fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.url("").trim_start_matches("http://")).unwrap()
}

fn signal(server: &Server, name: &str) {
    let id = server.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

#[test]
fn clients_that_never_finish_do_not_keep_others_waiting() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::demo(directory.path());
    server.wait_until_ready();
    let mut slow: Vec<TcpStream> = (0..100).map(|_| connect(&server)).collect();
    let starts: [&[u8]; 4] = [
        b"",
        b"POST /signals HT",
        b"POST /signals HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /signals HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 8388608\r\n\r\n[",
    ];
    for (client, start) in slow.iter_mut().zip(starts.iter().cycle()) {
        client.write_all(start).unwrap();
    }
    let feed = server.post("/retrieve", &json!({"profile": "new", "user": 1}));
    assert!(!feed["results"].as_array().unwrap().is_empty());
    // Too long a body is refused without being read to its end, with an answer that a client gets.
    let mut client = connect(&server);
    let head = "POST /items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
                Content-Length: 99999999999\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    let end = server.stop();
    assert!(end.status.success(), "{}", end.said);
    assert!(end.said.contains("everything is saved"), "{}", end.said);
}

#[test]
fn a_stop_amid_requests_ends_in_order_and_keeps_what_was_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::demo(directory.path());
    server.wait_until_ready();
    let views = |server: &Server| {
        let all = server.post("/retrieve", &json!({"profile": "new", "limit": 1000}));
        let hit = all["results"].as_array().unwrap().iter().find(|hit| hit["id"] == 5).unwrap().clone();
        hit["signals"]["view"].as_f64().unwrap()
    };
    let before = views(&server);
    let (acknowledged, sent) = (AtomicU64::new(0), AtomicU64::new(0));
    let stopping = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for client in 0..8 {
            let (server, acknowledged, sent, stopping) = (&server, &acknowledged, &sent, &stopping);
            scope.spawn(move || {
                for number in 0.. {
                    let body = json!({"signal": "view", "item": 5, "key": format!("{client}:{number}")});
                    sent.fetch_add(1, Ordering::SeqCst);
                    if !server.taken("/signals", &body) {
                        assert!(stopping.load(Ordering::SeqCst), "refused before the stop");
                        return;
                    }
                    acknowledged.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        while acknowledged.load(Ordering::SeqCst) < 40 {
            std::thread::yield_now();
        }
        stopping.store(true, Ordering::SeqCst);
        // Asked twice, as people do.
        signal(&server, "-TERM");
        signal(&server, "-TERM");
    });
    let end = server.wait();
    assert!(end.status.success(), "{}", end.said);
    assert!(end.said.contains("everything is saved"), "{}", end.said);
    let server = Server::demo(directory.path());
    server.wait_until_ready();
    let counted = views(&server) - before;
    let (acknowledged, sent) = (acknowledged.into_inner() as f64, sent.into_inner() as f64);
    assert!(
        (acknowledged..=sent).contains(&counted),
        "{counted} of {acknowledged} acknowledged, {sent} sent"
    );
}

#[test]
fn more_requests_than_places_are_answered_or_refused_but_never_lost() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::demo(directory.path());
    server.wait_until_ready();
    let (answered, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for client in 0..64 {
            let (server, answered, refused) = (&server, &answered, &refused);
            scope.spawn(move || {
                for user in 0..10 {
                    let body = json!({"profile": "for_you", "user": client * 10 + user, "explain": true, "limit": 100});
                    let (status, answer) = server.status_of("/retrieve", &body);
                    match status {
                        200 => answered.fetch_add(1, Ordering::Relaxed),
                        503 => {
                            assert_eq!(answer["type"], "urn:tidaldb:problem:overloaded");
                            refused.fetch_add(1, Ordering::Relaxed)
                        }
                        other => panic!("{other}: {answer}"),
                    };
                }
            });
        }
    });
    assert_eq!(answered.into_inner() + refused.into_inner(), 640);
    assert!(server.stop().status.success());
}
