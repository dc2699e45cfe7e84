//! The documents: length of ARCHITECTURE.md, and links that lead somewhere.

use super::Tree;

/// Longer, and nobody reads it to the end.
const MAX_ARCHITECTURE_LINES: usize = 250;

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut problems: Vec<String> = check_architecture(tree).into_iter().collect();
    for (path, text) in tree.texts(&[".md"]) {
        for (line, target) in links(text) {
            problems.extend(check_link(tree, path, &target).map(|what| format!("{path}:{line}: {what}")));
        }
    }
    problems
}

fn check_architecture(tree: &Tree) -> Option<String> {
    let lines = tree.text("ARCHITECTURE.md")?.lines().count();
    (lines >= MAX_ARCHITECTURE_LINES)
        .then(|| format!("ARCHITECTURE.md: {lines} lines, must be under {MAX_ARCHITECTURE_LINES}"))
}

/// Links to other places than files of the repository are not followed.
fn check_link(tree: &Tree, from: &str, target: &str) -> Option<String> {
    let file = target.split(['#', '?']).next().unwrap_or_default();
    if file.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let Some(path) = resolve(from, file) else {
        return Some(format!("the link {target} leads out of the repository"));
    };
    let is_there = path.is_empty()
        || tree.files.keys().any(|known| *known == path || known.starts_with(&format!("{path}/")));
    (!is_there).then(|| format!("the link {target} leads to {path}, which does not exist"))
}

/// The path from the root, or none if the link leaves it. A link that begins with `/` starts at the root.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Line number and target of each link or image outside of code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut in_fence = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            links.extend(links_of_line(&without_code(line)).into_iter().map(|target| (number + 1, target)));
        }
    }
    links
}

fn links_of_line(line: &str) -> Vec<String> {
    // `[name]: target`, the definition of a reference.
    let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    let mut targets: Vec<String> = definition.iter().filter_map(|(_, target)| first_word(target)).collect();
    // `[text](target "title")`, `![text](target)`.
    for (at, opening) in line.match_indices("](") {
        let rest = &line[at + opening.len()..];
        if let Some(end) = rest.find(')') {
            targets.extend(first_word(&rest[..end]));
        }
    }
    targets
}

fn first_word(text: &str) -> Option<String> {
    text.split_whitespace().next().map(|word| word.trim_matches(['<', '>']).to_owned())
}

/// The line without what stands in backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}
