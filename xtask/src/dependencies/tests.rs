use serde_json::{Value, json};

use super::{MAX_EXTERNAL_CRATES, check, licence};

const REGISTRY: &str = "registry+https://example.org/index";

/// A package of the workspace with dependencies given as (name, kind).
fn member(name: &str, dependencies: &[(&str, &str)]) -> Value {
    let dependencies: Vec<Value> = dependencies
        .iter()
        .map(|(name, kind)| {
            let kind = if *kind == "normal" { Value::Null } else { json!(kind) };
            json!({ "name": name, "kind": kind, "registry": null })
        })
        .collect();
    json!({ "id": name, "name": name, "license": "MIT", "source": null, "dependencies": dependencies })
}

/// A package from outside.
fn external(name: &str, licence: &str, source: &str) -> Value {
    json!({ "id": name, "name": name, "license": licence, "source": source, "dependencies": [] })
}

/// Metadata in which the first member, and the build of it, uses everything from outside.
fn metadata(members: &[Value], externals: &[Value]) -> Value {
    let ids: Vec<&Value> = members.iter().map(|package| &package["id"]).collect();
    let packages: Vec<&Value> = members.iter().chain(externals).collect();
    let deps: Vec<Value> = externals
        .iter()
        .map(|package| json!({ "pkg": package["id"], "dep_kinds": [{ "kind": "build" }] }))
        .collect();
    json!({
        "workspace_members": ids,
        "packages": packages,
        "resolve": { "nodes": [{ "id": members[0]["id"], "deps": deps }] },
    })
}

fn problems(metadata: &Value) -> Vec<String> {
    check(metadata).unwrap().problems
}

/// Expects exactly one problem that contains `expected`.
#[track_caller]
fn expect_problem(metadata: &Value, expected: &str) {
    let found = problems(metadata);
    assert!(found.len() == 1 && found[0].contains(expected), "expected {expected:?}, found {found:?}");
}

fn members() -> Vec<Value> {
    vec![
        member("kv0", &[("kv0-env", "normal"), ("model", "dev"), ("sim", "dev"), ("serde", "normal")]),
        member("kv0-env", &[]),
        member("model", &[]),
        member("sim", &[("kv0", "normal"), ("tidaldb", "normal"), ("model", "normal")]),
        member("tidaldb", &[("kv0", "normal"), ("model", "dev")]),
        member("tidal-server", &[("tidaldb", "normal"), ("kv0-env", "normal")]),
    ]
}

#[test]
fn a_workspace_in_order_has_no_problem() {
    let report = check(&metadata(&members(), &[external("serde", "MIT OR Apache-2.0", REGISTRY)])).unwrap();
    assert_eq!(report.problems, [""; 0]);
    assert_eq!(report.external, 1);
}

#[test]
fn dependencies_against_the_direction_are_found() {
    for (package, dependency, kind) in [
        ("kv0-env", "kv0", "normal"),
        ("kv0", "tidaldb", "normal"),
        ("kv0", "tidaldb", "dev"),
        ("kv0", "model", "normal"),
        ("kv0", "sim", "build"),
        ("model", "kv0", "normal"),
        ("tidaldb", "tidal-server", "dev"),
    ] {
        let mut members = members();
        members.retain(|member| member["name"] != package);
        members.push(member(package, &[(dependency, kind)]));
        expect_problem(&metadata(&members, &[]), &format!("{package}: may not depend on {dependency}"));
    }
}

#[test]
fn a_crate_without_a_place_in_the_table_is_found() {
    let mut members = members();
    members.push(member("tidal-extra", &[]));
    expect_problem(&metadata(&members, &[]), "tidal-extra: give it a line");
}

#[test]
fn sources_other_than_the_registry_are_found() {
    let git = external("fork", "MIT", "git+https://example.org/fork#123");
    expect_problem(&metadata(&members(), &[git]), "fork: comes from git+");

    let mut path = external("beside", "MIT", REGISTRY);
    path["source"] = Value::Null;
    expect_problem(&metadata(&members(), &[path]), "beside: comes from a path");

    let two = [external("a", "MIT", REGISTRY), external("b", "MIT", "registry+https://example.org/other")];
    expect_problem(&metadata(&members(), &two), "crates come from 2 registries");

    let mut members = members();
    members[0]["dependencies"][3]["registry"] = json!("https://example.org/other");
    expect_problem(&metadata(&members, &[]), "kv0: takes serde from a registry of its own");
}

#[test]
fn licences_that_are_not_allowed_or_not_stated_are_found() {
    let copyleft = external("readline", "GPL-3.0-only", REGISTRY);
    expect_problem(&metadata(&members(), &[copyleft]), "readline: licence GPL-3.0-only");

    let mut silent = external("silent", "MIT", REGISTRY);
    silent["license"] = Value::Null;
    expect_problem(&metadata(&members(), &[silent]), "silent: states no licence");

    let broken = external("broken", "MIT OR", REGISTRY);
    expect_problem(&metadata(&members(), &[broken]), "broken: cannot read its licence");
}

#[test]
fn licences_of_test_tools_are_their_own_affair() {
    let mut metadata = metadata(&members(), &[external("readline", "GPL-3.0-only", REGISTRY)]);
    metadata["resolve"]["nodes"][0]["deps"][0]["dep_kinds"][0]["kind"] = json!("dev");
    assert_eq!(problems(&metadata), [""; 0]);
}

#[test]
fn licence_expressions_are_evaluated() {
    for allowed in [
        "MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 / MIT / MPL-2.0",
        "GPL-3.0-only OR MIT",
        "MIT AND BSD-3-Clause",
        "(MIT OR GPL-3.0-only) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0-only",
        "GPL-3.0-only AND MIT OR Zlib",
    ] {
        assert_eq!(licence::refused(allowed), Ok(None), "{allowed}");
    }
    for (refused, part) in [
        ("GPL-3.0-only", "GPL-3.0-only"),
        ("MIT AND GPL-3.0-only", "GPL-3.0-only"),
        ("MIT AND (GPL-3.0-only OR LGPL-2.1-only)", "LGPL-2.1-only"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("MIT WITH LLVM-exception", "MIT WITH LLVM-exception"),
        ("MITT", "MITT"),
    ] {
        assert_eq!(licence::refused(refused), Ok(Some(part.to_owned())), "{refused}");
    }
    let deep = format!("{}MIT{}", "(".repeat(10_000), ")".repeat(10_000));
    for broken in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "()", &deep] {
        assert!(licence::refused(broken).is_err(), "{broken}");
    }
}

#[test]
fn banned_crates_are_found() {
    for name in ["rocksdb", "librocksdb-sys", "slatedb", "openssl-sys", "aws-lc-sys", "serde_yaml"] {
        expect_problem(&metadata(&members(), &[external(name, "MIT", REGISTRY)]), &format!("{name}: banned"));
    }
}

#[test]
fn too_many_crates_are_found() {
    let crates: Vec<Value> =
        (0..=MAX_EXTERNAL_CRATES).map(|n| external(&format!("crate-{n}"), "MIT", REGISTRY)).collect();
    assert_eq!(problems(&metadata(&members(), &crates[1..])), [""; 0]);
    expect_problem(&metadata(&members(), &crates), "crates from outside, at most");
}

#[test]
fn what_is_not_metadata_is_an_error() {
    for broken in
        [json!(null), json!({ "packages": [] }), json!({ "packages": [{}], "workspace_members": [] })]
    {
        assert!(check(&broken).is_err(), "{broken}");
    }
}
