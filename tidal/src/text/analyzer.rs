//! The analyzer: folded text into units, the same for documents and queries.
//!
//! 1. Text without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) is a [`Unit::Run`]: indexed as all
//!    its pairs of neighbouring characters and its last character, asked for as a phrase of pairs.
//! 2. Letters and digits are a word. Words joined by one of `. ' - _ / @ & +` without space are a
//!    [`Unit::Compound`]: `ac/dc` is indexed whole, in parts (`ac`, `dc`), and if all parts are letters, joined
//!    (`acdc`). Asked for, any of the three matches: whole, joined, or the parts as a phrase.
//! 3. A word with a sign that belongs to it (`c++`, `c#`, `.net`, `#jazz`) is a [`Unit::Symbolic`]: indexed whole and
//!    as the plain word, asked for whole.
//! 4. A pictograph is a word of its own. Everything else separates.
//!
//! Compounds written as one word (German) are one token: found whole, by prefix, and when typed with a space in
//! between ([`super::loosen`] joins and splits); a part alone does not find them.

use super::limits::TOKEN_BYTES_MAX;

/// One thing that a person would call a word. All text is folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    Word(String),
    Compound { whole: String, joined: Option<String>, parts: Vec<String> },
    Symbolic { whole: String, plain: String },
    Run(String),
}

impl Unit {
    /// The unit as it was written.
    pub(super) fn whole(&self) -> &str {
        match self {
            Unit::Word(text) | Unit::Run(text) => text,
            Unit::Compound { whole, .. } | Unit::Symbolic { whole, .. } => whole,
        }
    }

    /// How many positions it takes.
    pub(super) fn positions(&self) -> usize {
        match self {
            Unit::Word(_) | Unit::Symbolic { .. } => 1,
            Unit::Compound { parts, .. } => parts.len(),
            Unit::Run(text) => text.chars().count(),
        }
    }

    /// The tokens under which a document with this unit is found, each with its position.
    pub(super) fn index_tokens(&self, position: usize, out: &mut dyn FnMut(String, usize)) {
        match self {
            Unit::Word(text) => out(text.clone(), position),
            Unit::Symbolic { whole, plain } => {
                out(whole.clone(), position);
                out(plain.clone(), position);
            }
            Unit::Compound { whole, joined, parts } => {
                out(whole.clone(), position);
                if let Some(joined) = joined {
                    out(joined.clone(), position);
                }
                for (i, part) in parts.iter().enumerate() {
                    out(part.clone(), position + i);
                }
            }
            Unit::Run(text) => {
                let chars: Vec<char> = text.chars().collect();
                for (i, pair) in chars.windows(2).enumerate() {
                    out(pair.iter().collect(), position + i);
                }
                if let Some(last) = chars.last() {
                    out(last.to_string(), position + chars.len() - 1);
                }
            }
        }
    }

    /// The tokens that a phrase with this unit asks for, each with its position.
    pub(super) fn phrase_tokens(&self, position: usize, out: &mut dyn FnMut(String, usize)) {
        match self {
            Unit::Word(text) => out(text.clone(), position),
            Unit::Symbolic { whole, .. } => out(whole.clone(), position),
            Unit::Compound { parts, .. } => {
                for (i, part) in parts.iter().enumerate() {
                    out(part.clone(), position + i);
                }
            }
            Unit::Run(text) => {
                let chars: Vec<char> = text.chars().collect();
                if chars.len() == 1 {
                    out(text.clone(), position);
                }
                for (i, pair) in chars.windows(2).enumerate() {
                    out(pair.iter().collect(), position + i);
                }
            }
        }
    }
}

/// Calls `emit` with each unit of a folded text, in order, until it returns false.
pub(super) fn for_each_unit(folded: &str, emit: &mut dyn FnMut(Unit) -> bool) {
    let mut rest = folded;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let (unit, length) = unit_at(rest, before);
        if let Some(unit) = unit
            && !emit(unit)
        {
            return;
        }
        let length = length.max(first.len_utf8());
        before = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
}

/// The units of a short text, such as a word of a query.
pub(super) fn units(folded: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    for_each_unit(folded, &mut |unit| {
        units.push(unit);
        true
    });
    units
}

/// The unit that starts here, if one does, and how many bytes it takes.
fn unit_at(rest: &str, before: Option<char>) -> (Option<Unit>, usize) {
    let Some(first) = rest.chars().next() else {
        return (None, 0);
    };
    if is_run(first) {
        let length = length_while(rest, is_run);
        return (Some(Unit::Run(rest[..length].to_owned())), length);
    }
    if is_pictograph(first) {
        return (Some(Unit::Word(first.to_string())), first.len_utf8());
    }
    let prefix = match first {
        '.' | '#' if !before.is_some_and(|c| is_word(c) || c == first) => 1,
        _ => 0,
    };
    let mut word = length_while(&rest[prefix..], is_word);
    if word == 0 {
        return (None, 0);
    }
    // A leading point belongs to a name (`.net`), not to a fraction (`.5`).
    let prefix = if first == '.' && !rest[1..].starts_with(char::is_alphabetic) { 0 } else { prefix };
    if first == '.' && prefix == 0 {
        return (None, 1);
    }
    let mut parts = vec![&rest[prefix..prefix + word]];
    let mut end = prefix + word;
    while let Some(joint) = rest[end..].chars().next().filter(|&c| is_joint(c)) {
        word = length_while(&rest[end + joint.len_utf8()..], is_word);
        if word == 0 {
            break;
        }
        let start = end + joint.len_utf8();
        parts.push(&rest[start..start + word]);
        end = start + word;
    }
    let suffix = suffix_length(&rest[end..]);
    end += suffix;
    (Some(unit_of(&rest[..end], &parts, prefix > 0 || suffix > 0)), end)
}

fn unit_of(whole: &str, parts: &[&str], signed: bool) -> Unit {
    match parts {
        [plain] if signed => Unit::Symbolic { whole: whole.to_owned(), plain: (*plain).to_owned() },
        [word] => Unit::Word((*word).to_owned()),
        _ => {
            let letters = parts.iter().all(|part| part.chars().all(char::is_alphabetic));
            let joined = (letters && parts.len() <= 4 && !whole.contains('@')).then(|| parts.concat());
            Unit::Compound {
                whole: whole.to_owned(),
                joined,
                parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            }
        }
    }
}

/// `+`, `++` or `#` right after a word, if the word ends there.
fn suffix_length(rest: &str) -> usize {
    let length = if rest.starts_with("++") {
        2
    } else if rest.starts_with(['+', '#']) {
        1
    } else {
        return 0;
    };
    if rest[length..].starts_with(|c: char| is_word(c) || c == '+' || c == '#') { 0 } else { length }
}

fn length_while(text: &str, holds: fn(char) -> bool) -> usize {
    text.find(|c: char| !holds(c)).unwrap_or(text.len())
}

fn is_joint(c: char) -> bool {
    matches!(c, '.' | '\'' | '-' | '_' | '/' | '@' | '&' | '+')
}

/// Letters and digits of scripts with spaces, and the marks that are part of their words.
pub(super) fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)) && !is_run(c)
}

/// Scripts that put no space between words (Korean does, but glues particles to them).
fn is_run(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{318F}'
        | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFD}')
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether a token is short enough to be indexed.
pub(super) fn is_indexable(token: &str) -> bool {
    !token.is_empty() && token.len() <= TOKEN_BYTES_MAX
}
