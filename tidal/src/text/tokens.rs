//! Documents into tokens, within the bounds and with a report of what fell outside.
//!
//! Tokens go to tantivy as one string per field, which [`TokenListTokenizer`] takes apart again: for each token a
//! character that is the distance to the position before, the token, and a mark. That is a tenth of the memory of
//! tantivy's own form of tokenized text, and the queue in front of the indexing thread holds many documents.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::analyzer::{for_each_unit, is_indexable};
use super::fold::fold;
use super::limits::{FIELD_BYTES_MAX, FIELD_TOKENS_MAX, VALUE_POSITION_GAP};
use super::schema::TextFieldKind;

/// The name under which tantivy knows the tokenizer.
pub(super) const TOKENIZER: &str = "tidal_tokens";

/// Ends a token. Folded text that becomes a token holds no control character.
const END: char = '\u{1}';
/// Added to a distance to make a character of it.
const DISTANCE_BASE: usize = 0x20;
/// Larger distances become this one: only that values stay apart matters.
const DISTANCE_MAX: usize = 0xD000;
/// How much of a skipped token is reported.
const REPORTED_CHARS: usize = 32;

/// What of one field of a document is not in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NotIndexed {
    /// The index of the field.
    pub(crate) field: usize,
    /// How many tokens were too long.
    pub(crate) long_tokens: usize,
    /// The start of the first of them.
    pub(crate) first_long_token: String,
    /// How many tokens came after the last that is indexed.
    pub(crate) cut_tokens: usize,
    /// How many bytes of the values came after the last that was looked at.
    pub(crate) cut_bytes: usize,
}

/// The token list of a field, and what is not in it.
pub(super) fn tokenize(field: usize, kind: TextFieldKind, values: &[&str]) -> (String, Option<NotIndexed>) {
    let mut list =
        TokenList { left_out: NotIndexed { field, ..NotIndexed::default() }, ..TokenList::default() };
    let mut room = FIELD_BYTES_MAX;
    for value in values {
        let kept = cut(value, room);
        list.left_out.cut_bytes += value.len() - kept.len();
        // A value counts at least one byte, so that their number is bounded too.
        room = room.saturating_sub(kept.len().max(1));
        match kind {
            TextFieldKind::Text => list.push_text(&fold(kept)),
            TextFieldKind::Keywords => list.push_keyword(&keyword(kept)),
        }
    }
    let complete = NotIndexed { field, ..NotIndexed::default() };
    let left_out = (list.left_out != complete).then_some(list.left_out);
    (list.encoded, left_out)
}

/// The token of a keyword: folded, trimmed, without control characters.
pub(super) fn keyword(value: &str) -> String {
    let folded = fold(value);
    folded.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The start of a text that fits, up to a space if one is near its end.
fn cut(value: &str, room: usize) -> &str {
    if value.len() <= room {
        return value;
    }
    let kept = &value[..value.floor_char_boundary(room)];
    let near = kept.floor_char_boundary(kept.len().saturating_sub(super::limits::TOKEN_BYTES_MAX));
    match kept[near..].rfind(char::is_whitespace) {
        Some(space) => &kept[..near + space],
        None => kept,
    }
}

#[derive(Default)]
struct TokenList {
    encoded: String,
    tokens: usize,
    /// The position of the last token in the list.
    last: usize,
    /// The position of the next one.
    next: usize,
    left_out: NotIndexed,
}

impl TokenList {
    fn push_text(&mut self, folded: &str) {
        for_each_unit(folded, &mut |unit| {
            let position = self.next;
            unit.index_tokens(position, &mut |token, position| self.push(&token, position));
            self.next = position + unit.positions();
            true
        });
        self.next += VALUE_POSITION_GAP;
    }

    fn push_keyword(&mut self, token: &str) {
        if !token.is_empty() {
            self.push(token, self.next);
            self.next += VALUE_POSITION_GAP;
        }
    }

    fn push(&mut self, token: &str, position: usize) {
        if !is_indexable(token) {
            if self.left_out.long_tokens == 0 {
                self.left_out.first_long_token = token.chars().take(REPORTED_CHARS).collect();
            }
            self.left_out.long_tokens += 1;
            return;
        }
        if self.tokens == FIELD_TOKENS_MAX {
            self.left_out.cut_tokens += 1;
            return;
        }
        let distance = (position - self.last).min(DISTANCE_MAX) + DISTANCE_BASE;
        let distance = u32::try_from(distance).ok().and_then(char::from_u32).unwrap_or(' ');
        self.encoded.push(distance);
        self.encoded.push_str(token);
        self.encoded.push(END);
        self.tokens += 1;
        self.last = position;
    }
}

/// Takes a token list apart.
#[derive(Clone, Default)]
pub(super) struct TokenListTokenizer {
    token: Token,
}

impl Tokenizer for TokenListTokenizer {
    type TokenStream<'a> = TokenListStream<'a>;

    fn token_stream<'a>(&'a mut self, list: &'a str) -> TokenListStream<'a> {
        self.token.reset();
        self.token.position = 0;
        TokenListStream { rest: list, token: &mut self.token }
    }
}

/// The tokens of a list.
pub(super) struct TokenListStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl TokenStream for TokenListStream<'_> {
    fn advance(&mut self) -> bool {
        let mut chars = self.rest.chars();
        let Some(distance) = chars.next() else {
            return false;
        };
        let rest = chars.as_str();
        let Some((token, rest)) = rest.split_once(END) else {
            return false;
        };
        self.token.position += (distance as usize).saturating_sub(DISTANCE_BASE);
        self.token.text.clear();
        self.token.text.push_str(token);
        self.rest = rest;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
