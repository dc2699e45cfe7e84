//! What only holds on one machine or in one network does not belong into a repository.

use super::Tree;

/// Beginnings of absolute paths that exist on somebody's machine only.
const PRIVATE_PATHS: &[&str] = &["/home/", "/root/", "/work/", "/Users/"];

/// Hosts of package registries: where packages come from is the affair of whoever builds.
const REGISTRY_HOSTS: &[&str] = &[
    "crates.io",
    "pypi.org",
    "pythonhosted.org",
    "registry.npmjs.org",
    "deb.debian.org",
    "proxy.golang.org",
];

/// Files that cannot do without: cargo writes the registry into the lock file, and this check names what it looks for.
const EXCEPTIONS: &[&str] =
    &["Cargo.lock", "xtask/src/layout/places.rs", "xtask/src/layout/tests/documents.rs"];

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in tree.texts(&[""]).filter(|(path, _)| !EXCEPTIONS.contains(path)) {
        for (number, line) in text.lines().enumerate() {
            let found = private_path(line).or_else(|| registry_host(line));
            problems.extend(found.map(|what| format!("{path}:{}: {what}", number + 1)));
        }
    }
    problems
}

fn private_path(line: &str) -> Option<String> {
    for path in PRIVATE_PATHS {
        for (at, _) in line.match_indices(path) {
            let before = line[..at].chars().next_back();
            let is_absolute =
                !before.is_some_and(|before| before.is_alphanumeric() || "._-/}~".contains(before));
            if is_absolute {
                return Some(format!("a path of one machine below {path}"));
            }
        }
    }
    None
}

fn registry_host(line: &str) -> Option<String> {
    let host = REGISTRY_HOSTS.iter().find(|host| line.contains(**host))?;
    Some(format!("names the registry host {host}: where packages come from is up to who builds"))
}
