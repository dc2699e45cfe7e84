//! The real program, on a port of its own.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use serde_json::Value as Json;

use super::poll;

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    stderr: Option<ChildStderr>,
    base: String,
    agent: ureq::Agent,
}

/// How a program ended, and what it said on standard error.
pub(crate) struct End {
    pub status: ExitStatus,
    pub said: String,
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidal-server"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with arguments with which it ends by itself.
pub(crate) fn run(arguments: &[&str]) -> End {
    let output = program().args(arguments).output().unwrap();
    End { status: output.status, said: String::from_utf8(output.stderr).unwrap() }
}

impl Server {
    /// The demo with the bundled set in a directory.
    pub(crate) fn demo(directory: &Path) -> Server {
        let mut command = program();
        command.args(["demo", "--source", "bundled", "--listen", "127.0.0.1:0", "--data"]).arg(directory);
        Server::start(command)
    }

    /// Starts a program and waits for the line with its address.
    pub(crate) fn start(command: Command) -> Server {
        Server::try_start(command).unwrap_or_else(|end| panic!("the server ended: {}", end.said))
    }

    /// The same, or how the program ended instead.
    pub(crate) fn try_start(mut command: Command) -> Result<Server, End> {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let Some(base) = line.trim().strip_prefix("listening on ") else {
            let mut said = String::new();
            stderr.read_to_string(&mut said).unwrap();
            return Err(End { status: child.wait().unwrap(), said });
        };
        let base = base.trim_end_matches('/').to_owned();
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        Ok(Server { child, stderr: Some(stderr), base, agent: config.into() })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn get(&self, path: &str) -> Json {
        self.agent.get(self.url(path)).call().unwrap().body_mut().read_json().unwrap()
    }

    /// The answer to a request that must be taken.
    pub(crate) fn post(&self, path: &str, body: &Json) -> Json {
        self.try_post(path, body).unwrap_or_else(|| panic!("the server is gone"))
    }

    /// None if the server is gone.
    pub(crate) fn try_post(&self, path: &str, body: &Json) -> Option<Json> {
        let mut response = self.agent.post(self.url(path)).send_json(body).ok()?;
        let status = response.status();
        let answer: Json = response.body_mut().read_json().ok()?;
        assert_eq!(status, 200, "{path}: {answer}");
        Some(answer)
    }

    /// Status and body of an answer.
    pub(crate) fn status_of(&self, path: &str, body: &Json) -> (u16, Json) {
        let mut response = self.agent.post(self.url(path)).send_json(body).unwrap();
        (response.status().as_u16(), response.body_mut().read_json().unwrap())
    }

    /// Whether a write was acknowledged; not if the server is gone or says that it is going.
    pub(crate) fn taken(&self, path: &str, body: &Json) -> bool {
        self.agent.post(self.url(path)).send_json(body).is_ok_and(|response| response.status() == 200)
    }

    pub(crate) fn import(&self) -> Json {
        let mut state = self.get("/ready");
        assert_ne!(state["import"]["phase"], "failed", "{state}");
        state["import"].take()
    }

    pub(crate) fn wait_until_ready(&self) {
        poll("the end of the import", || (self.import()["phase"] == "done").then_some(()));
    }

    /// Ends the program at once, as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the program to end, and waits for it.
    pub(crate) fn stop(self) -> End {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.wait()
    }

    /// Waits for the end of a program that was asked to end.
    pub(crate) fn wait(mut self) -> End {
        let mut said = String::new();
        self.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        End { status: self.child.wait().unwrap(), said }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
