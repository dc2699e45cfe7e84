use super::{expect_order, expect_problem};

#[test]
fn a_long_architecture_is_found() {
    expect_order(&[("ARCHITECTURE.md", &"\n".repeat(249))]);
    expect_problem(&[("ARCHITECTURE.md", &"\n".repeat(250))], "ARCHITECTURE.md: 250 lines", "under 250");
}

#[test]
fn links_that_lead_nowhere_are_found() {
    for link in [
        "[text](format/segment.md)",
        "![picture](feed.png \"the feed\")",
        "[text](../docs/lane.md#records)",
        "[text](/docs/lane.md)",
        "[name]: lane.md",
        "[here](here.md) and [not](lane.md)",
    ] {
        let text = format!("# Title\n\n{link}\n");
        expect_problem(&[("docs/here.md", &text)], "docs/here.md:3: ", "does not exist");
    }
    expect_problem(
        &[("docs/here.md", "[out](../../x.md)")],
        "docs/here.md:1: ",
        "leads out of the repository",
    );
}

#[test]
fn links_that_lead_somewhere_are_followed() {
    let text = "[a](format/lane.md) [b](../README.md#title) [c](format) [d](./here.md) [e](#here) [f](..)\n\
                [g](https://example.org/x.md) `[h](nowhere.md)` [i](/README.md) [`code`](../README.md)\n\
                ```\n[j](nowhere.md)\n```\n[k]: format/lane.md\n";
    expect_order(&[("docs/here.md", text), ("docs/format/lane.md", ""), ("README.md", "")]);
}

const CRATE: &[(&str, &str)] = &[
    ("kv0-env/Cargo.toml", "[package]\nname = \"kv0-env\"\n"),
    ("kv0-env/src/local/tests.rs", "#[test]\nfn locks() {}\n\nfn beside() {}\n"),
    ("kv0-env/src/clock.rs", "mod inside {\n    #[tokio::test]\n    // Why.\n    async fn ticks() {}\n}\n"),
    ("kv0-env/tests/crash.rs", "proptest! {\n    #[test]\n    fn heals(n in 0..9) {}\n}\n"),
];

fn with_guarantees(rows: &str) -> Vec<(&'static str, String)> {
    let text = format!("# Guarantees\n\n| Promise | Fault | Test |\n|---|:--|---|\n{rows}\n");
    let mut files: Vec<(&str, String)> =
        CRATE.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    files.push(("docs/guarantees.md", text));
    files
}

fn borrowed<'a>(files: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    files.iter().map(|(path, text)| (*path, text.as_str())).collect()
}

#[test]
fn promises_with_a_test_are_kept() {
    let rows = "| one holder | two | `kv0_env::local::tests::locks` |\n\
                | time | none | `kv0_env::clock::inside::ticks`, `kv0_env::crash::heals` |";
    expect_order(&borrowed(&with_guarantees(rows)));
}

#[test]
fn promises_without_a_test_are_found() {
    for test in [
        "kv0_env::local::tests::unlocks",
        "kv0_env::local::tests::beside",
        "kv0_env::local::locks",
        "kv0_env::locks",
        "kv0::local::tests::locks",
        "kv0_env::clock::outside::ticks",
        "locks",
    ] {
        let files = with_guarantees(&format!("| one holder | two | `{test}` |"));
        expect_problem(&borrowed(&files), "docs/guarantees.md:5: ", &format!("there is no test {test}"));
    }
}

#[test]
fn rows_of_another_shape_are_found() {
    for row in [
        "| one holder | two | to come |",
        "| one holder | `kv0_env::local::tests::locks` |",
        "| one holder |",
    ] {
        expect_problem(&borrowed(&with_guarantees(row)), "docs/guarantees.md:5: ", "a row is");
    }
    expect_problem(&[("docs/guarantees.md", "# Guarantees\n")], "docs/guarantees.md: ", "no table");
}

#[test]
fn paths_of_one_machine_are_found() {
    for line in ["cd /home/me/kv0", "path = \"/root/kv0\"", "see (/work/kv0)", "/Users/me"] {
        expect_problem(&[("run.sh", &format!("#\n{line}\n"))], "run.sh:2: ", "a path of one machine");
    }
    expect_order(&[(
        "run.sh",
        "bench/work/out ./work/x ${HOME}/work/x https://example.org/home/ /workspace/x\n",
    )]);
}

#[test]
fn registry_hosts_are_found() {
    for host in ["index.crates.io", "https://pypi.org/simple", "registry.npmjs.org"] {
        expect_problem(&[("run.sh", &format!("#\n{host}\n"))], "run.sh:2: ", "names the registry host");
    }
    expect_order(&[("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n")]);
}
