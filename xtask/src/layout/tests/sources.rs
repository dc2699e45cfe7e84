use super::super::{Source, blank, check, rules};
use super::{expect_order, expect_problem, tree};

/// A function of so many lines.
fn function(lines: usize) -> String {
    format!("fn long(braces: &str) {{\n{}}}\n", "    // }\n".repeat(lines - 2))
}

#[test]
fn long_files_are_found() {
    expect_order(&[("kv0/src/db.rs", &"\n".repeat(600))]);
    expect_problem(&[("kv0/src/db.rs", &"\n".repeat(601))], "kv0/src/db.rs: 601 lines", "at most 600");
}

#[test]
fn long_functions_are_mentioned_and_too_long_ones_are_found() {
    for (lines, notes) in [(70, 0), (71, 1), (100, 1)] {
        let report = check(&tree(&[("kv0/src/db.rs", &function(lines)), ("docs/guarantees.md", "")]));
        assert_eq!(report.notes.len(), notes, "{:?}", report.notes);
    }
    expect_problem(&[("kv0/src/db.rs", &function(101))], "kv0/src/db.rs:1: ", "function long has 101 lines");
    let nested = format!("impl Db {{\n{}}}\n", function(101));
    expect_problem(&[("kv0/src/db.rs", &nested)], "kv0/src/db.rs:2: ", "function long has 101 lines");
    let declared =
        format!("trait Db {{\nfn first(&self, of: [u8; 4]);\n}}\ntype F = fn(u8);\n{}", function(100));
    expect_order(&[("kv0/src/db.rs", &declared)]);
}

#[test]
fn lib_rs_may_hold_a_table_of_contents() {
    let lib = "//! Docs.\n#![allow(x, reason = \"y\")]\n\nmod a;\npub(crate) mod b;\n#[cfg(test)]\nmod tests;\n\
               pub use a::{B, c::*};\nuse b::D;\nextern crate alloc;\nmacro_rules! m {\n    () => { fn x() {} };\n}\n\
               m!(a, b);\nm! { a }\n";
    expect_order(&[("kv0/src/lib.rs", lib), ("kv0/src/db.rs", "const A: u8 = 1;")]);
}

#[test]
fn lib_rs_with_anything_else_is_found() {
    for item in [
        "pub fn f() { mod_a::x() }",
        "const A: u8 = 1;",
        "pub struct S { a: u8 }",
        "impl S {}",
        "mod a { pub use b::C; }",
        "pub type A = u8;",
    ] {
        let lib = format!("//! Docs.\nmod b;\n#[doc(hidden)]\n{item}\npub use b::D;\n");
        expect_problem(&[("kv0/src/lib.rs", &lib)], "kv0/src/lib.rs:4: ", "lib.rs holds only");
    }
}

#[test]
fn long_modules_of_tests_beside_the_code_are_found() {
    let module =
        |lines: usize| format!("\n#[cfg(test)]\nmod tests {{\n{}}}\n", "    // x\n".repeat(lines - 2));
    expect_order(&[("kv0/src/db.rs", &module(30)), ("kv0/src/lane.rs", "#[cfg(test)]\nmod tests;\n")]);
    expect_problem(&[("kv0/src/db.rs", &module(31))], "kv0/src/db.rs:3: ", "31 lines of tests");
}

#[test]
fn bytes_in_the_order_of_the_machine_are_found() {
    let problem = "order of the machine";
    expect_problem(
        &[("kv0/src/db.rs", "fn f() {\n    1_u8.to_ne_bytes();\n}")],
        "kv0/src/db.rs:2: ",
        problem,
    );
    expect_problem(
        &[("kv0/src/db.rs", "fn f() {\n    u8::from_ne_bytes(a);\n}")],
        "kv0/src/db.rs:2: ",
        problem,
    );
    expect_order(&[("kv0/src/db.rs", "// Not to_ne_bytes.\nfn f() { 1_u8.to_le_bytes(); }")]);
}

#[test]
fn lints_switched_off_without_a_reason_are_found() {
    let problem = "without a reason";
    let before = "#![allow(dead_code)]\n";
    expect_problem(&[("kv0/src/db.rs", before)], "kv0/src/db.rs:1: ", problem);
    let documented = "/// What it is.\n#[allow(dead_code)]\nfn f() {}\n";
    expect_problem(&[("kv0/src/db.rs", documented)], "kv0/src/db.rs:2: ", problem);
    let expected = "fn f() {}\n#[expect(\n    dead_code,\n)]\nfn g() {}\n";
    expect_problem(&[("kv0/src/db.rs", expected)], "kv0/src/db.rs:2: ", problem);
    expect_order(&[
        ("kv0/src/a.rs", "#[allow(\n    dead_code,\n    reason = \"called by the macro\",\n)]\nfn f() {}\n"),
        ("kv0/src/b.rs", "// Called by the macro.\n#[allow(dead_code)]\nfn f() {}\n"),
    ]);
}

#[test]
fn unsafe_code_is_found_unless_its_file_is_named_for_it() {
    let code = "fn f() {\n    unsafe { g() }\n}\n";
    expect_problem(&[("kv0/src/db.rs", code)], "kv0/src/db.rs:2: ", "unsafe code");
    expect_order(&[("kv0/src/db.rs", "// unsafe\n#![deny(unsafe_code)]\nconst A: &str = \"unsafe\";\n")]);
    let source = Source { path: "kv0/src/db.rs", text: code, code: blank::blank(code) };
    assert!(rules::check_unsafe(&source, &["kv0/src/db.rs"]).is_empty());
}
