//! The dependency check, over what `cargo metadata --format-version 1` prints:
//!
//! 1. our crates depend on each other in one direction only;
//! 2. every other crate comes from the registry that cargo uses by default;
//! 3. the licence of every crate that gets into a product allows that;
//! 4. some crates are banned;
//! 5. there are not too many.

mod direction;
mod licence;
mod metadata;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use metadata::{Metadata, Package};
use serde_json::Value;

/// Most crates from outside, over all platforms, build scripts and tests. There were 231 when this was written; what
/// is over that is head-room for one more large library (S3, Python). Each crate is built on two cores by everybody
/// who clones, and each is a party to trust: who raises the number says in ARCHITECTURE.md what it costs.
pub const MAX_EXTERNAL_CRATES: usize = 290;

/// Crates that must not come in, even through others, and why.
const BANNED: &[(&str, &str)] = &[
    ("rocksdb", "the engine is kv0; compare through bench/compare, which is not part of the workspace"),
    ("librocksdb-sys", "the engine is kv0, and this one alone builds for twenty minutes"),
    ("slatedb", "the engine is kv0; compare through bench/compare, which is not part of the workspace"),
    ("openssl-sys", "TLS is rustls with ring: no library of the system"),
    ("aws-lc-sys", "TLS is rustls with ring: no cmake and no C build of minutes"),
    ("serde_yaml", "no longer maintained"),
];

/// What the check found.
#[derive(Debug)]
pub struct Report {
    /// Number of crates from outside.
    pub external: usize,
    /// What is wrong, one line each.
    pub problems: Vec<String>,
}

/// Checks the metadata of the workspace.
///
/// # Errors
/// If it is not the metadata of cargo, with what was missed.
pub fn check(metadata: &Value) -> Result<Report, String> {
    let metadata = Metadata::read(metadata)?;
    let external: Vec<&Package> = metadata.packages.iter().filter(|package| !package.is_member).collect();
    let mut problems = direction::check(&metadata);
    problems.extend(check_sources(&external));
    problems.extend(check_licences(&metadata));
    problems.extend(check_banned(&external));
    problems.extend(check_number(external.len()));
    Ok(Report { external: external.len(), problems })
}

/// A crate that is neither a member nor from a registry comes from git or from a path outside the workspace; a
/// dependency that names its registry takes it from elsewhere than the default one.
fn check_sources(external: &[&Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in external {
        let name = &package.name;
        match &package.source {
            None => problems.push(format!("{name}: comes from a path that is not a member of the workspace")),
            Some(source) if source.starts_with("registry+") => {}
            Some(source) => {
                problems.push(format!("{name}: comes from {source}, not from the crates registry"));
            }
        }
    }
    let sources: BTreeSet<&str> = external
        .iter()
        .filter_map(|package| package.source.as_deref())
        .filter(|source| source.starts_with("registry+"))
        .collect();
    if sources.len() > 1 {
        problems.push(format!("crates come from {} registries: {sources:?}", sources.len()));
    }
    problems
}

/// Test tools stay with us, so only what normal and build dependencies reach must be allowed.
fn check_licences(metadata: &Metadata) -> Vec<String> {
    let mut problems = Vec::new();
    for package in metadata.shipped().into_iter().filter(|package| !package.is_member) {
        let name = &package.name;
        match package.licence.as_deref().map(licence::refused) {
            None => problems.push(format!("{name}: states no licence")),
            Some(Err(error)) => problems.push(format!("{name}: cannot read its licence: {error}")),
            Some(Ok(Some(refused))) => problems.push(format!(
                "{name}: licence {refused} is not on the list of xtask/src/dependencies/licence.rs"
            )),
            Some(Ok(None)) => {}
        }
    }
    problems
}

fn check_banned(external: &[&Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in external {
        if let Some((name, why)) = BANNED.iter().find(|(name, _)| *name == package.name) {
            problems.push(format!("{name}: banned: {why}"));
        }
    }
    problems
}

fn check_number(external: usize) -> Option<String> {
    (external > MAX_EXTERNAL_CRATES).then(|| {
        format!(
            "{external} crates from outside, at most {MAX_EXTERNAL_CRATES}: each costs build time on every machine and \
             is one more party to trust; drop features or a crate, or raise MAX_EXTERNAL_CRATES and say why"
        )
    })
}
