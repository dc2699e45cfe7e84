//! Headless Chromium through chromedriver.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{poll, poll_or};

/// The key under which WebDriver hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one page and a profile of its own; ended when dropped.
pub(crate) struct Browser {
    driver: Child,
    /// Kept open: the driver would end if it could not write.
    _output: BufReader<ChildStdout>,
    session: String,
    agent: ureq::Agent,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn start() -> Browser {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver = driver.unwrap_or_else(|error| {
            panic!(
                "this test needs chromedriver and chromium on the path; chromedriver does not start: {error}"
            )
        });
        let mut output = BufReader::new(driver.stdout.take().unwrap());
        let port = port(&mut output);
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser {
            driver,
            _output: output,
            session: String::new(),
            agent: config.into(),
            _profile: profile,
        };
        let directory = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,1000",
            &directory,
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let base = format!("http://127.0.0.1:{port}/session");
        let session = browser.send("POST", &base, &capabilities);
        browser.session = format!("{base}/{}", session["sessionId"].as_str().unwrap());
        browser
    }

    fn try_send(&self, method: &str, url: &str, body: &Json) -> Result<Json, Json> {
        let response = match method {
            "GET" => self.agent.get(url).call(),
            "DELETE" => self.agent.delete(url).call(),
            _ => self.agent.post(url).send_json(body),
        };
        let mut response = response.unwrap();
        let mut answer: Json = response.body_mut().read_json().unwrap();
        if response.status() == 200 { Ok(answer["value"].take()) } else { Err(answer["value"].take()) }
    }

    fn send(&self, method: &str, url: &str, body: &Json) -> Json {
        self.try_send(method, url, body).unwrap_or_else(|error| panic!("{method} {url}: {error}"))
    }

    fn command(&self, path: &str, body: &Json) -> Json {
        self.send("POST", &format!("{}/{path}", self.session), body)
    }

    /// The value of a script, in which `arguments` are these.
    fn script(&self, script: &str, arguments: &Json) -> Json {
        self.command("execute/sync", &json!({"script": script, "args": arguments}))
    }

    pub(crate) fn go(&self, url: &str) {
        self.command("url", &json!({"url": url}));
    }

    /// The address that the browser shows.
    pub(crate) fn address(&self) -> String {
        let address = self.send("GET", &format!("{}/url", self.session), &Json::Null);
        address.as_str().unwrap().to_owned()
    }

    pub(crate) fn back(&self) {
        self.command("back", &json!({}));
    }

    pub(crate) fn reload(&self) {
        self.command("refresh", &json!({}));
    }

    pub(crate) fn count(&self, selector: &str) -> u64 {
        self.script("return document.querySelectorAll(arguments[0]).length", &json!([selector]))
            .as_u64()
            .unwrap()
    }

    /// The texts of all that match, also of what is folded away.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let script = "return Array.from(document.querySelectorAll(arguments[0]), node => node.textContent)";
        serde_json::from_value(self.script(script, &json!([selector]))).unwrap()
    }

    pub(crate) fn text(&self, selector: &str) -> String {
        self.texts(selector).into_iter().next().unwrap_or_else(|| panic!("there is no {selector}"))
    }

    /// Of the first that matches.
    pub(crate) fn attribute(&self, selector: &str, name: &str) -> String {
        let script = "return document.querySelector(arguments[0]).getAttribute(arguments[1])";
        self.script(script, &json!([selector, name])).as_str().unwrap().to_owned()
    }

    /// Clicks the first that matches as a person would: it must be in sight and nothing over it. Waits until it is.
    pub(crate) fn click(&self, selector: &str) {
        self.act(selector, "click", &json!({}));
    }

    /// Types into the first that matches.
    pub(crate) fn write(&self, selector: &str, text: &str) {
        self.act(selector, "value", &json!({"text": text}));
    }

    fn act(&self, selector: &str, action: &str, body: &Json) {
        let find = json!({"using": "css selector", "value": selector});
        poll(&format!("{action} on {selector}"), || {
            let element = self.try_send("POST", &format!("{}/element", self.session), &find).ok()?;
            let id = element[ELEMENT].as_str().unwrap();
            self.try_send("POST", &format!("{}/element/{id}/{action}", self.session), body).ok()
        });
    }

    pub(crate) fn wait_for(&self, what: &str, selector: &str) {
        self.wait_until(what, || self.count(selector) > 0);
    }

    pub(crate) fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let page = || self.script("return document.body.innerText", &json!([]));
        poll_or(|| holds().then_some(()), || format!("{what}; the page says: {}", page()));
    }

    /// What the browser complains of, such as scripts that failed or files that are not there.
    pub(crate) fn errors(&self) -> Vec<String> {
        let log = self.command("se/log", &json!({"type": "browser"}));
        let complaint = |entry: &Json| (entry["level"] == "SEVERE").then(|| entry["message"].to_string());
        log.as_array().unwrap().iter().filter_map(complaint).collect()
    }
}

/// The port that chromedriver took, from its own words.
fn port(output: &mut impl BufRead) -> u16 {
    for line in output.lines().map_while(Result::ok) {
        if let Some((_, rest)) = line.split_once("started successfully on port ") {
            return rest.trim_end_matches('.').parse().unwrap();
        }
    }
    panic!("chromedriver ended before it said its port");
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends Chromium, which chromedriver started; without a session there is none.
        if !self.session.is_empty() {
            self.agent.delete(&self.session).call().ok();
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}
