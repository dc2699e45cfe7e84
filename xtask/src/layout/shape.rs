//! Sizes and shape of source files.

use super::Source;
use super::blank::is_word;

/// Longest source file, in lines.
const MAX_FILE_LINES: usize = 600;
/// Files that may be longer, and why.
const MAY_BE_LONG: &[(&str, &str)] = &[];
/// A function longer than this, in lines, is mentioned.
const LONG_FUNCTION_LINES: usize = 70;
/// Longest function, in lines.
const MAX_FUNCTION_LINES: usize = 100;
/// Longest module of tests in the file that it tests, in lines.
const MAX_INLINE_TEST_LINES: usize = 30;

pub(super) fn check(source: &Source<'_>) -> Vec<String> {
    let mut problems: Vec<String> = check_file(source).into_iter().collect();
    problems.extend(check_functions(source));
    problems.extend(check_test_modules(source));
    problems.extend(check_lib(source));
    problems
}

fn check_file(source: &Source<'_>) -> Option<String> {
    let lines = source.text.lines().count();
    let may_be_long = MAY_BE_LONG.iter().any(|(path, _)| *path == source.path);
    (lines > MAX_FILE_LINES && !may_be_long)
        .then(|| format!("{}: {lines} lines, at most {MAX_FILE_LINES}: split it by its nouns", source.path))
}

fn check_functions(source: &Source<'_>) -> Vec<String> {
    let too_long = functions(source).into_iter().filter(|function| function.lines > MAX_FUNCTION_LINES);
    too_long.map(|function| function.tell(source)).collect()
}

/// Functions that are long, but not too long.
pub(super) fn long_functions(source: &Source<'_>) -> Vec<String> {
    let functions = functions(source).into_iter();
    let long =
        functions.filter(|function| (LONG_FUNCTION_LINES + 1..=MAX_FUNCTION_LINES).contains(&function.lines));
    long.map(|function| function.tell(source)).collect()
}

struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

impl Function<'_> {
    fn tell(&self, source: &Source<'_>) -> String {
        let (name, lines) = (self.name, self.lines);
        source.problem(
            self.line,
            format!("function {name} has {lines} lines, better under {LONG_FUNCTION_LINES}"),
        )
    }
}

/// Every function with a body. Pointers (`fn(u8)`) have no name, declarations in traits no body.
fn functions<'a>(source: &'a Source<'_>) -> Vec<Function<'a>> {
    let mut functions = Vec::new();
    for at in source.words("fn") {
        let rest = source.code[at + 2..].trim_start();
        let name = rest.split(|character| !is_word(character)).next().unwrap_or_default();
        let body = body_start(&source.code, at);
        if let Some(end) = body.filter(|_| !name.is_empty()).and_then(|body| group_end(&source.code, body)) {
            let line = source.line_of(at);
            functions.push(Function { name, line, lines: source.line_of(end - 1) - line + 1 });
        }
    }
    functions
}

/// The first `{` outside of parentheses and brackets, unless a `;` comes before.
fn body_start(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The offset behind the bracket that closes the one at `open`.
fn group_end(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// A long module of tests is a file of its own, so that the file beside it stays readable.
fn check_test_modules(source: &Source<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    for (at, attribute) in source.code.match_indices("#[cfg(test)]") {
        let item = after_attributes(&source.code, at + attribute.len());
        let item = after_visibility(&source.code, item);
        let is_module = source.code[item..].starts_with("mod ");
        if let Some(end) =
            body_start(&source.code, item).filter(|_| is_module).and_then(|b| group_end(&source.code, b))
        {
            let line = source.line_of(item);
            let lines = source.line_of(end - 1) - line + 1;
            if lines > MAX_INLINE_TEST_LINES {
                problems
                    .push(source.problem(line, format!("{lines} lines of tests: put them into a tests.rs")));
            }
        }
    }
    problems
}

/// `lib.rs` is a table of contents: documentation, modules, re-exports, attributes and macros.
fn check_lib(source: &Source<'_>) -> Vec<String> {
    if !source.path.ends_with("src/lib.rs") {
        return Vec::new();
    }
    let code = source.code.as_str();
    let mut problems = Vec::new();
    let mut at = after_attributes(code, 0);
    while at < code.len() {
        let item = after_visibility(code, at);
        let semicolon = code[item..].find(';').map_or(code.len(), |length| item + length + 1);
        let body = body_start(code, item).and_then(|body| group_end(code, body));
        let word = code[item..].split(|character| !is_word(character)).next().unwrap_or_default();
        let is_macro = code[item + word.len()..].trim_start().starts_with('!');
        let is_listed = match word {
            "use" | "extern" => true,
            "mod" => body.is_none(),
            _ => is_macro && !word.is_empty(),
        };
        if !is_listed {
            problems.push(
                source.problem(source.line_of(item), "lib.rs holds only modules, re-exports and macros"),
            );
        }
        // A `use` may hold braces and ends at its semicolon.
        let end = if word == "use" { semicolon } else { body.unwrap_or(semicolon) };
        at = after_attributes(code, end);
    }
    problems
}

/// Passes over space, stray semicolons and attributes, inner and outer.
fn after_attributes(code: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        at = code.len() - code[at..].trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
        let bracket = at + if code[at..].starts_with("#!") { 2 } else { 1 };
        if !code[at..].starts_with('#') || !code[bracket..].starts_with('[') {
            return at;
        }
        match group_end(code, bracket) {
            Some(end) => at = end,
            None => return code.len(),
        }
    }
}

/// Passes over `pub` and `pub(crate)`.
fn after_visibility(code: &str, from: usize) -> usize {
    let Some(rest) = code[from..].strip_prefix("pub").filter(|rest| rest.starts_with([' ', '('])) else {
        return from;
    };
    let at = code.len() - rest.len();
    let end = if rest.starts_with('(') { group_end(code, at).unwrap_or(at) } else { at };
    code.len() - code[end..].trim_start().len()
}
