//! Licence expressions as SPDX writes them, and as older manifests do: `/` for `OR`.
//!
//! ```text
//! either := both (("OR" | "/") both)*
//! both   := one ("AND" one)*
//! one    := "(" either ")" | licence ["WITH" exception]
//! ```

/// Licences that allow use, change and sale of the whole, and ask at most for notices.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Deepest nesting of parentheses that is read.
const MAX_DEPTH: usize = 16;

/// The first part of the expression that stands in the way, or none if the licence is allowed.
///
/// # Errors
/// If the text is no licence expression.
pub(super) fn refused(expression: &str) -> Result<Option<String>, String> {
    let words = words(expression);
    let mut parser = Parser { words: &words, next: 0 };
    let refused = parser.either(0).map_err(|problem| format!("{expression:?}: {problem}"))?;
    match parser.peek() {
        None => Ok(refused),
        Some(word) => Err(format!("{expression:?}: {word:?} is not expected here")),
    }
}

fn words(expression: &str) -> Vec<String> {
    let mut spaced = String::new();
    for character in expression.chars() {
        match character {
            '(' | ')' => spaced.extend([' ', character, ' ']),
            '/' => spaced.push_str(" OR "),
            other => spaced.push(other),
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<'a> {
    words: &'a [String],
    next: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.next).map(String::as_str)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.next += usize::from(found);
        found
    }

    /// Allowed if one side is.
    fn either(&mut self, depth: usize) -> Result<Option<String>, String> {
        let mut refused = self.both(depth)?;
        while self.take("OR") {
            let other = self.both(depth)?;
            refused = refused.and(other);
        }
        Ok(refused)
    }

    /// Allowed if all sides are.
    fn both(&mut self, depth: usize) -> Result<Option<String>, String> {
        let mut refused = self.one(depth)?;
        while self.take("AND") {
            let other = self.one(depth)?;
            refused = refused.or(other);
        }
        Ok(refused)
    }

    fn one(&mut self, depth: usize) -> Result<Option<String>, String> {
        if self.take("(") {
            if depth == MAX_DEPTH {
                return Err(format!("more than {MAX_DEPTH} parentheses deep"));
            }
            let refused = self.either(depth + 1)?;
            return if self.take(")") { Ok(refused) } else { Err("a parenthesis is not closed".to_owned()) };
        }
        let mut licence = self.name()?;
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.name()?);
        }
        Ok((!ALLOWED.contains(&licence.as_str())).then_some(licence))
    }

    fn name(&mut self) -> Result<String, String> {
        match self.peek() {
            None => Err("ends too early".to_owned()),
            Some(word @ ("AND" | "OR" | "WITH" | "(" | ")")) => Err(format!("{word:?} is not expected here")),
            Some(word) => {
                let name = word.to_owned();
                self.next += 1;
                Ok(name)
            }
        }
    }
}
