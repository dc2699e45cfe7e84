//! Rules that the compiler's lints do not know.

use super::Source;

/// Files that may hold unsafe code. Each has a safe twin that is tested to do the same, and an argument at each block.
const MAY_BE_UNSAFE: &[&str] = &[];

pub(super) fn check(source: &Source<'_>) -> Vec<String> {
    let mut problems = check_unsafe(source, MAY_BE_UNSAFE);
    problems.extend(check_host_endian(source));
    problems.extend(check_allowances(source));
    problems
}

pub(super) fn check_unsafe(source: &Source<'_>, may_be_unsafe: &[&str]) -> Vec<String> {
    if may_be_unsafe.contains(&source.path) {
        return Vec::new();
    }
    let found = source.words("unsafe");
    found
        .map(|at| source.problem(source.line_of(at), "unsafe code in a file that is not named for it"))
        .collect()
}

/// Bytes in the order of the machine cannot be read on another.
fn check_host_endian(source: &Source<'_>) -> Vec<String> {
    let found = source.words("to_ne_bytes").chain(source.words("from_ne_bytes"));
    found.map(|at| source.problem(source.line_of(at), "bytes in the order of the machine")).collect()
}

/// A lint that is switched off has its reason in the attribute, or in a comment on the line before.
fn check_allowances(source: &Source<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    for opening in ["#[allow(", "#![allow(", "#[expect(", "#![expect("] {
        for (at, _) in source.code.match_indices(opening) {
            let attribute = source.code[at..].split(']').next().unwrap_or_default();
            let line = source.line_of(at);
            let line_before = line.checked_sub(2).and_then(|index| source.text.lines().nth(index));
            let has_comment = line_before.is_some_and(is_plain_comment);
            if !attribute.contains("reason =") && !has_comment {
                problems.push(source.problem(line, "a lint is switched off without a reason"));
            }
        }
    }
    problems
}

/// Documentation is about the item, not about the lint.
fn is_plain_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") && !line.starts_with("///") && !line.starts_with("//!")
}
