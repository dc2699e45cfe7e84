//! Folding: what two spellings have in common that a person takes for the same word.
//!
//! 1. Compatibility decomposition (NFKD): `ﬁ` is `fi`, full-width letters are plain ones, `é` is `e` and an accent.
//! 2. Accents and points are dropped, but only the combining marks of the scripts that treat them as decoration
//!    (Latin, Greek, Cyrillic, Hebrew, Arabic). The vowel signs of Thai or Hindi and the voicing marks of Japanese
//!    are letters and stay.
//! 3. Lower case; letters that do not decompose are spelled out: `ß` is `ss`, `ø` is `o`, `ı` is `i`.
//! 4. What is left is composed again (NFC).
//!
//! Invisible format characters (zero-width joiners, direction marks, soft hyphens) vanish; apostrophes and hyphens of
//! all shapes become `'` and `-`.

use unicode_normalization::UnicodeNormalization;

/// The folded form. Folding a folded text changes nothing.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !is_dropped(c)) {
        for lower in c.to_lowercase() {
            push_spelled(lower, &mut folded);
        }
    }
    // Lower-casing may bring a mark back (`İ` became `i` and a dot); composing puts Hangul and kana together.
    folded.nfkd().filter(|&c| !is_dropped(c)).nfc().collect()
}

fn push_spelled(c: char, out: &mut String) {
    match c {
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'þ' => out.push_str("th"),
        'ø' => out.push('o'),
        'đ' | 'ð' => out.push('d'),
        'ł' => out.push('l'),
        'ħ' => out.push('h'),
        'ı' => out.push('i'),
        'ς' => out.push('σ'),
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' => out.push('\''),
        '\u{2010}' | '\u{2011}' => out.push('-'),
        c => out.push(c),
    }
}

/// Decoration and invisible characters.
fn is_dropped(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}'
        | '\u{0591}'..='\u{05BD}' | '\u{05BF}' | '\u{05C1}'..='\u{05C2}' | '\u{05C4}'..='\u{05C5}' | '\u{05C7}'
        | '\u{064B}'..='\u{065F}' | '\u{0670}'
        | '\u{00AD}' | '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}')
}
