use super::super::blank::blank;

#[track_caller]
fn expect(text: &str, expected: &str) {
    let code = blank(text);
    assert_eq!(code, expected);
    assert_eq!(code.len(), text.len());
}

#[test]
fn comments_become_spaces() {
    expect("a // {\nb", "a     \nb");
    expect("a /* { /* } */ { */ b", "a                   b");
    expect("a /* {\n} */ b", "a     \n     b");
    expect("a /* without end", "a               ");
    expect("a / b", "a / b");
}

#[test]
fn strings_become_spaces() {
    expect(r#"a("{", b)"#, "a(   , b)");
    expect(r#"a("\"{\\", b)"#, "a(       , b)");
    expect(r##"a(r"\", b)"##, "a(r\"  , b)");
    expect("a(\"ä\", b)", "a(    , b)");
    expect("a(\"// {\", b)", "a(      , b)");
    expect("\"without end", "            ");
    expect("\"ends in \\", "          ");
}

#[test]
fn raw_strings_end_at_their_own_hashes() {
    expect("r##\"a \"# b\"## c", "r##\"          c");
    expect("br#\"{\"# c", "br#\"    c");
    expect("r#type { }", "r#type { }");
    expect("bar\"{\" c", "bar    c");
}

#[test]
fn characters_become_spaces_and_lifetimes_stay() {
    expect("'{' }", "'   }");
    expect("'\\'' }", "'    }");
    expect("'\"' }", "'   }");
    expect("'\\u{7d}' }", "'        }");
    expect("'ä' }", "'    }");
    expect("<'a, 'b> { 'c: loop", "<'a, 'b> { 'c: loop");
    expect("b'{' }", "b'   }");
}

#[test]
fn any_text_keeps_its_length_and_lines() {
    let pieces = ["\"", "'", "\\", "/*", "*/", "//", "\n", "r#\"", "\"#", "ä", "{", "x"];
    for first in pieces {
        for second in pieces {
            for third in pieces {
                let text = format!("{first}{second}{third}");
                let code = blank(&text);
                assert_eq!(code.len(), text.len(), "{text:?}");
                assert_eq!(code.matches('\n').count(), text.matches('\n').count(), "{text:?}");
            }
        }
    }
}
