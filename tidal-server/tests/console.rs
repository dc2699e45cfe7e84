//! The console page in a real browser: headless Chromium, driven through chromedriver by the W3C WebDriver protocol.
//! Without `chromedriver` and `chromium` on the path this test fails and says so.

#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![allow(clippy::disallowed_methods, reason = "a test starts programs and waits for them")]

mod support;

use support::browser::Browser;
use support::server::Server;

const CARD: &str = "#cards:not([aria-busy]) .card";
const FEED: &str = "#cards:not([aria-busy]) .card .reason";

/// The bundled set, imported, in a browser on the feed of reader 1.
fn start(directory: &std::path::Path) -> (Server, Browser) {
    let server = Server::demo(directory);
    server.wait_until_ready();
    let browser = Browser::start();
    browser.go(&server.url("/"));
    (server, browser)
}

fn titles(browser: &Browser) -> Vec<String> {
    browser.texts("#cards .card h2")
}

#[test]
fn a_person_sees_a_feed_with_reasons_and_what_is_hidden_stays_away() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, browser) = start(directory.path());

    browser.wait_for("the list of people", "#people-list .person");
    browser.write("#people-input", "12");
    browser.click("#people-list .person[data-id='12']");
    browser.wait_until("the feed of reader 12", || browser.text("#heading").contains("12"));
    browser.wait_for("results with reasons", FEED);
    let shown = titles(&browser);
    assert_eq!(browser.texts(FEED).len(), shown.len(), "every result has a reason");
    assert!(browser.texts(FEED).iter().all(|reason| !reason.is_empty()));
    assert!(browser.texts("#cards .why th").contains(&"score".to_owned()), "and a breakdown");

    let id = browser.attribute(CARD, "data-id");
    let hidden = format!("{CARD}[data-id='{id}']");
    browser.click(&format!("{hidden} .action.hide"));
    browser.wait_until("the hidden item to go", || browser.count(&hidden) == 0);
    browser.wait_for("the offer to undo", ".toast .undo");
    browser.reload();
    browser.wait_for("the feed after a reload", FEED);
    assert!(browser.text("#heading").contains("12"), "a reload shows the same person");
    assert_eq!(browser.count(&hidden), 0, "hidden also after a reload");

    let next = browser.attribute(CARD, "data-id");
    let next = format!("{CARD}[data-id='{next}']");
    browser.click(&format!("{next} .action.hide"));
    browser.wait_until("the second item to go", || browser.count(&next) == 0);
    browser.click(".toast .undo");
    browser.wait_for("the second item, after the undo", &next);
}

#[test]
fn search_finds_a_title_and_profiles_change_the_feed() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, browser) = start(directory.path());
    browser.wait_for("the first feed", FEED);

    browser.write("#search-input", "Frankenstein\u{E007}");
    browser.wait_until("the book that was looked for", || {
        titles(&browser).first().is_some_and(|title| title.contains("Frankenstein"))
    });

    browser.click(&format!("{CARD} .action.similar"));
    browser.wait_until("books like it", || browser.text("#heading").contains("More like"));
    browser.wait_for("results", FEED);
    assert!(titles(&browser).iter().all(|title| !title.contains("Frankenstein")), "not the book itself");

    browser.click("#profiles .back");
    browser.click("#profiles [data-profile='trending']");
    browser.wait_for("the profile to be chosen", "#profiles [data-profile='trending'][aria-pressed='true']");
    browser.wait_for("what is trending", CARD);

    browser.click(&format!("{CARD} .action.like"));
    browser.wait_for("the like to be taken", &format!("{CARD} .action.like[aria-pressed='true']"));
    assert_eq!(browser.errors(), Vec::<String>::new(), "nothing in the browser's log");
}

#[test]
fn the_address_says_whose_feed_is_shown() {
    let directory = tempfile::tempdir().unwrap();
    let (server, browser) = start(directory.path());
    browser.wait_for("the first feed", FEED);
    assert_eq!(browser.address(), server.url("/?user=1&profile=for_you"), "also of who was not asked for");

    browser.go(&server.url("/?user=12"));
    browser.wait_until("the feed of reader 12", || browser.text("#heading").contains("person 12"));
    browser.wait_for("results", FEED);
    browser.wait_for("the reader in the list", "#people-list .person[data-id='12'][aria-current='true']");
    let shown = titles(&browser);

    browser.click("#people-list .person[data-id='5']");
    browser.wait_until("the feed of reader 5", || browser.text("#heading").contains("person 5"));
    assert_eq!(browser.address(), server.url("/?user=5&profile=for_you"));
    browser.back();
    browser.wait_until("the feed of reader 12 again", || {
        browser.text("#heading").contains("person 12") && titles(&browser) == shown
    });

    browser.go(&server.url("/?user=nobody"));
    browser.wait_until("that there is no such person", || browser.text("#messages").contains("\"nobody\""));
}
