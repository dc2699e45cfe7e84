use proptest::prelude::*;
use roaring::RoaringBitmap;

use super::super::{Matching, Parsing, Total};
use super::{add, empty, hits, ranked, rows, titles};
use crate::{ErrorKind, Row};

#[test]
fn all_words_or_else_any() {
    let index = titles(&["night jazz", "night train", "blue train", "day"]);
    assert_eq!(rows(&index, "night train"), [1]);
    assert_eq!(hits(&index, "night train").matching, Matching::Exact);
    assert_eq!(rows(&index, "jazz train"), [0, 1, 2]);
    assert_eq!(hits(&index, "jazz train").matching, Matching::AnyWord);
    assert_eq!(rows(&index, "jazz AND train"), Vec::<u32>::new());
    assert_eq!(rows(&index, "+jazz train"), [0]);
    assert_eq!(rows(&index, "jazz OR blue"), [0, 2]);
    assert_eq!(rows(&index, "train -blue"), [1]);
    assert_eq!(rows(&index, "-train"), [0, 3]);
    assert_eq!(rows(&index, "(night OR blue) train"), [1, 2]);
    assert_eq!(rows(&index, "train NOT (night OR red)"), [2]);
    assert_eq!(rows(&index, "zebra"), Vec::<u32>::new());
    assert_eq!(rows(&index, ""), Vec::<u32>::new());
}

#[test]
fn case_10_phrases() {
    let index = empty();
    index.upsert(Row(0), &[(0, vec!["the end of the night"])]).unwrap();
    index.upsert(Row(1), &[(0, vec!["end", "of the night"])]).unwrap();
    index.upsert(Row(2), &[(0, vec!["night of end"]), (1, vec!["of the night"])]).unwrap();
    // Stop words are words like any other.
    assert_eq!(rows(&index, "\"end of the night\""), [0]);
    assert_eq!(rows(&index, "\"of the\""), [0, 1, 2]);
    assert_eq!(rows(&index, "title:\"of the\""), [0, 1]);
    assert_eq!(rows(&index, "\"end of\""), [0]);
    assert_eq!(rows(&index, "\"end night\""), Vec::<u32>::new());
    assert_eq!(rows(&index, "\"night\""), [0, 1, 2]);
}

#[test]
fn a_phrase_is_excluded_wherever_it_stands() {
    let index = titles(&["x y", "y x", "x", "x z y", "x y x y", "y"]);
    for (query, expected) in [
        ("-\"x y\"", vec![1, 2, 3, 5]),
        ("x -\"x y\"", vec![1, 2, 3]),
        ("x -\"x y\" -\"z y\"", vec![1, 2]),
        ("-\"no such\"", vec![0, 1, 2, 3, 4, 5]),
        ("-x-y", vec![1, 2, 3, 5]),
        ("y -x -\"y y\"", vec![5]),
    ] {
        assert_eq!(rows(&index, query), expected, "{query}");
    }
}

#[test]
fn case_10_no_phrase_across_many_values() {
    let index = empty();
    let values: Vec<String> = (0..200).map(|i| format!("v{i}a v{i}b")).collect();
    index.upsert(Row(0), &[(0, values.iter().map(String::as_str).collect())]).unwrap();
    for i in 0..199 {
        assert_eq!(rows(&index, &format!("\"v{i}a v{i}b\"")), [0]);
        assert_eq!(rows(&index, &format!("\"v{i}b v{}a\"", i + 1)), Vec::<u32>::new());
    }
}

#[test]
fn prefixes_and_fields() {
    let index = empty();
    index.upsert(Row(0), &[(0, vec!["piano"]), (1, vec!["solo work"]), (2, vec!["Piano Solo"])]).unwrap();
    index.upsert(Row(1), &[(0, vec!["solo"]), (1, vec!["for pianists"])]).unwrap();
    assert_eq!(rows(&index, "pian*"), [0, 1]);
    assert_eq!(rows(&index, "PIANI*"), [1]);
    assert_eq!(rows(&index, "title:pian*"), [0]);
    assert_eq!(rows(&index, "tags:piano*"), [0]);
    assert_eq!(rows(&index, "title:solo"), [1]);
    assert_eq!(rows(&index, "description:(solo work)"), [0]);
    // The title weighs more than the description.
    assert_eq!(ranked(&index, "solo"), [1, 0]);
}

#[test]
fn case_12_typos_by_length() {
    let index = titles(&[
        "piano",
        "on",
        "interpretation",
        "camera x100v",
        "jazz",
        "late night",
        "notebook",
        "iPhone 15",
    ]);
    for (query, expected) in [
        ("pinao", vec![0]), // a swap counts once
        ("piamo", vec![0]),
        ("pian", vec![0]),
        ("oiano", vec![0]), // the first letter
        ("poamo", vec![]),  // two typos in five letters
        ("om", vec![]),     // no tolerance in two letters
        ("jaz", vec![]),    // nor in three
        ("jazzz", vec![4]),
        ("interpretatoin", vec![2]),
        ("imterpretatiom", vec![2]), // two in a long word
        ("imterpretatiomm", vec![]), // not three
        ("x100f", vec![]),           // never on a number
        ("x10v", vec![]),
        ("latenight", vec![5]), // a space missing
        ("late nihgt", vec![5]),
        ("note book", vec![6]), // a space too many
        ("iphone15", vec![7]),
    ] {
        assert_eq!(rows(&index, query), expected, "{query}");
    }
    assert_eq!(hits(&index, "pinao").matching, Matching::Loose);
    assert_eq!(hits(&index, "piano").matching, Matching::Exact);
    // Excluded words, phrases and prefixes mean what they say.
    assert_eq!(rows(&index, "\"pinao\""), Vec::<u32>::new());
    assert_eq!(rows(&index, "pina*"), Vec::<u32>::new());
    assert_eq!(rows(&index, "jazz -jaxz"), [4]);
}

#[test]
fn typo_matches_rank_below_exact_ones() {
    let index = empty();
    // The exact matches are weak: long, in the lighter field; the misspelled one is rare, short, in the title.
    let filler = "word ".repeat(300);
    for row in 1..6 {
        index.upsert(Row(row), &[(1, vec![&format!("{filler} piano")])]).unwrap();
    }
    add(&index, 0, "pinao");
    let found = hits(&index, "piano");
    assert_eq!(found.hits.iter().map(|hit| hit.row.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 0]);
    assert!(found.hits[5].score < found.hits[4].score && found.hits[5].score > 0.0);
    assert_eq!(found.matching, Matching::Loose);
    // A shorter page is the start of a longer one.
    for limit in 1..=6 {
        let page = index.search("piano", Parsing::Lenient, limit, None).unwrap();
        assert_eq!(page.hits, found.hits[..limit]);
    }
}

#[test]
fn case_13_lenient_answers_and_strict_refuses() {
    let index = titles(&["late night piano"]);
    let found = hits(&index, "\"late night AND");
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.ignored.iter().map(|part| part.at).collect::<Vec<_>>(), [0, 12]);
    let error = index.search("\"late", Parsing::Strict, 10, None).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("query")));
    assert_eq!(error.message(), "the quote is not closed at byte 0");
    for query in ["AND", "-", ":", "*", "\u{200F}", "\0", "😀", "(", ")))", "title:", "#"] {
        assert_eq!(hits(&index, query).hits, [], "{query}");
    }
}

#[test]
fn case_14_a_snapshot_stays() {
    let index = titles(&["jazz one", "jazz two", "jazz three", "jazz four"]);
    index.checkpoint(1).unwrap();
    let pinned = index.snapshot().unwrap();
    let before = pinned.search("jazz", Parsing::Lenient, 4, None).unwrap();
    let first = pinned.search("jazz", Parsing::Lenient, 2, None).unwrap();
    add(&index, 3, "jazz jazz jazz jazz");
    index.remove(Row(0)).unwrap();
    index.checkpoint(2).unwrap();
    assert_eq!(rows(&index, "jazz"), [1, 2, 3]);
    assert_eq!(first.hits, before.hits[..2]);
    assert_eq!(pinned.search("jazz", Parsing::Lenient, 4, None).unwrap(), before);
    assert_eq!(before.hits.len(), 4);
}

#[test]
fn limits_and_totals() {
    let index = titles(&["a", "a", "a"]);
    let search = |limit| index.search("a", Parsing::Lenient, limit, None);
    assert_eq!(search(0).unwrap().total, Total::AtLeast(1));
    assert_eq!(search(0).unwrap().hits, []);
    assert_eq!(search(2).unwrap().total, Total::AtLeast(3));
    assert_eq!(search(3).unwrap().total, Total::Exactly(3));
    assert_eq!(search(10_001).unwrap_err().kind(), ErrorKind::Invalid);
    let none = RoaringBitmap::new();
    assert_eq!(index.search("a", Parsing::Lenient, 3, Some(&none)).unwrap().hits, []);
    let one: RoaringBitmap = [1].into_iter().collect();
    assert_eq!(index.search("a", Parsing::Lenient, 1, Some(&one)).unwrap().hits[0].row, Row(1));
    assert_eq!(empty().search("a", Parsing::Lenient, 3, None).unwrap().hits, []);
}

#[test]
fn a_page_of_exact_hits_needs_no_typos() {
    let index = empty();
    for row in 0..30 {
        add(&index, row, "piano");
    }
    add(&index, 30, "pinao");
    let found = hits(&index, "piano");
    assert_eq!((found.hits.len(), found.matching), (30, Matching::Exact));
    // With a filter that leaves little, they are wanted again.
    let filter: RoaringBitmap = [3, 30].into_iter().collect();
    let found = index.search("piano", Parsing::Lenient, 10, Some(&filter)).unwrap();
    assert_eq!(found.hits.iter().map(|hit| hit.row.0).collect::<Vec<_>>(), [3, 30]);
}

/// The number of cases unless the environment says another.
fn config(cases: u32) -> ProptestConfig {
    let given = std::env::var("PROPTEST_CASES").is_ok();
    if given { ProptestConfig::default() } else { ProptestConfig::with_cases(cases) }
}

#[test]
fn any_query_is_answered() {
    let index = titles(&["a b c++ ac/dc", "b #tag 東京都 1.2.3", "cab o'brien \u{1F600}", "abacus bachelor"]);
    index.upsert(Row(9), &[(1, vec!["a c", "b a"]), (2, vec!["tag", "a b"])]).unwrap();
    let snapshot = index.snapshot().unwrap();
    let query = concat!(
        r#"([a-c]{1,9}|AND|OR|NOT|title:|tags:|tags:"|nope:|"|\(|\)|-|\+|\*|#|:|\.|'|/| |東|京|都|1|2|"#,
        r"\PC|\x00){0,25}"
    );
    proptest!(config(1500), |(query in query, limit in 0_usize..8)| {
        let found = snapshot.search(&query, Parsing::Lenient, limit, None).unwrap();
        prop_assert!(found.hits.len() <= limit);
        for hit in &found.hits {
            prop_assert!(hit.score.is_finite() && hit.score >= 0.0);
        }
        let longer = snapshot.search(&query, Parsing::Lenient, 100, None).unwrap();
        prop_assert_eq!(&found.hits[..], &longer.hits[..found.hits.len()]);
        match snapshot.search(&query, Parsing::Strict, limit, None) {
            Ok(strict) => prop_assert_eq!(strict, found),
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Invalid),
        }
    });
}
