//! Profiles against schemas, and the built-in ones.

use std::collections::BTreeMap;

use super::{Features, Names, Profile, ResolvedFeature, ResolvedForm, SignalName, Source, builtin};
use crate::error::ErrorKind;
use crate::id::Row;
use crate::retrieve::score::score;
use crate::signal::{Measure, Window};

const SIGNALS: [&str; 5] = ["view", "like", "comment", "share", "skip"];

/// A schema with some of the signals that built-in profiles speak of.
struct Schema(&'static [&'static str]);

impl Names for Schema {
    fn signal(&self, name: &str) -> Option<SignalName> {
        let signal = (0..).zip(SIGNALS).find(|(_, known)| *known == name)?.0;
        self.0.contains(&name).then_some(SignalName { signal, decayed: 1 })
    }

    fn field(&self, name: &str) -> Option<u16> {
        (name == "year").then_some(0)
    }
}

/// Features of a few items; what is not set is 0.
#[derive(Default)]
struct Values(BTreeMap<(u32, ResolvedFeatureKey), f64>);

type ResolvedFeatureKey = String;

impl Values {
    fn with(mut self, row: u32, feature: ResolvedFeature, value: f64) -> Values {
        self.0.insert((row, format!("{feature:?}")), value);
        self
    }

    /// Sets every count, the total and the decayed value of a signal.
    fn signal(mut self, row: u32, name: &str, value: f64) -> Values {
        let signal = (0..).zip(SIGNALS).find(|(_, known)| *known == name).unwrap().0;
        let windows = Window::ALL.into_iter();
        let measures = windows.flat_map(|window| [Measure::Count(window), Measure::Velocity(window)]);
        for measure in measures.chain([Measure::Total, Measure::Decayed(0)]) {
            self = self.with(row, ResolvedFeature::Signal(signal, measure), value);
        }
        self
    }
}

impl Features for Values {
    fn value(&self, feature: ResolvedFeature, row: Row) -> f64 {
        self.0.get(&(row.0, format!("{feature:?}"))).copied().unwrap_or(0.0)
    }
}

fn named(name: &str) -> Profile {
    builtin().into_iter().find(|profile| profile.name == name).unwrap()
}

fn order(form: &ResolvedForm, values: &Values, rows: u32) -> Vec<u32> {
    score((0..rows).map(Row), form, values, usize::MAX).iter().map(|scored| scored.row.0).collect()
}

#[track_caller]
fn check_order(profile: &str, values: &Values, expected: &[u32]) {
    let resolved = named(profile).resolve(&Schema(&SIGNALS)).unwrap();
    let rows = 1 + values.0.keys().map(|(row, _)| *row).max().unwrap_or(0);
    assert_eq!(order(&resolved.form, values, rows), expected, "{profile}");
}

#[test]
fn every_built_in_fits_any_schema_and_says_what_is_missing() {
    for profile in builtin() {
        let full = profile.resolve(&Schema(&SIGNALS)).unwrap();
        assert!(full.warnings.is_empty(), "{}: {:?}", profile.name, full.warnings);
        let none = profile.resolve(&Schema(&[])).unwrap();
        for (place, warning) in none.warnings.iter().enumerate() {
            assert!(!none.warnings[..place].contains(warning), "{}: {warning} twice", profile.name);
        }
        for form in [Some(&none.form), none.cold.as_ref()].into_iter().flatten() {
            let scored = score((0..3).map(Row), form, &Values::default(), usize::MAX);
            assert!(scored.iter().all(|scored| scored.score.is_finite()));
        }
    }
    let partial = named("trending").resolve(&Schema(&["view"])).unwrap();
    assert_eq!(partial.warnings.len(), 4);
    let by_signal = partial.form.sources.iter().filter(|source| source.by.is_some()).count();
    assert_eq!(by_signal, 1, "sources by a signal that does not exist are left out");
}

#[test]
fn built_ins_have_names_of_their_own_and_are_described() {
    let page = include_str!("../../../docs/profiles.md");
    let profiles = builtin();
    assert!(profiles.windows(2).all(|pair| pair[0].name < pair[1].name));
    for profile in &profiles {
        assert!(page.contains(&format!("`{}`", profile.name)), "docs/profiles.md lacks {}", profile.name);
    }
    let form = named("for_you");
    for term in &form.terms[1..] {
        assert!(page.contains(&term.formula), "docs/profiles.md lacks the formula of {}", term.name);
    }
}

#[test]
fn a_profile_reads_back_from_json() {
    for profile in builtin() {
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
    }
    let misspelt = r#"{"name": "x", "sources": ["all"], "terms": [], "hide_sene": true}"#;
    assert!(serde_json::from_str::<Profile>(misspelt).unwrap_err().to_string().contains("hide_sene"));
}

#[test]
fn errors_name_the_part_of_the_profile() {
    let profile = |json: &str| serde_json::from_str::<Profile>(json).unwrap();
    let cases = [
        (r#"{"name": "", "sources": ["all"], "terms": []}"#, "name"),
        (r#"{"name": "x", "sources": [], "terms": []}"#, "sources"),
        (r#"{"name": "x", "sources": ["all", {"fresh": {"limit": 0}}], "terms": []}"#, "sources[1].limit"),
        (
            r#"{"name": "x", "sources": [{"signal": {"by": "total(lik)", "limit": 9}}], "terms": []}"#,
            "sources[0].by",
        ),
        (
            r#"{"name": "x", "sources": [{"signal": {"by": "1 + 1", "limit": 9}}], "terms": []}"#,
            "sources[0].by",
        ),
        (r#"{"name": "x", "sources": [{"signal": {"by": "0", "limit": 9}}], "terms": []}"#, "sources[0].by"),
        (
            r#"{"name": "x", "sources": ["all"], "terms": [{"name": "a", "formula": "1"}, {"name": "b", "formula": "total(lik)"}]}"#,
            "terms[1].formula",
        ),
        (
            r#"{"name": "x", "sources": ["all"], "terms": [{"name": "a", "formula": "1"}, {"name": "a", "formula": "1"}]}"#,
            "terms[1].name",
        ),
        (
            r#"{"name": "x", "sources": ["all"], "gates": [{"name": "a", "formula": "1 +"}], "terms": []}"#,
            "gates[0].formula",
        ),
        (
            r#"{"name": "x", "sources": ["all"], "terms": [], "cold": {"sources": ["all"], "terms": [{"name": "a", "formula": "?"}]}}"#,
            "cold.terms[0].formula",
        ),
        (
            r#"{"name": "x", "sources": ["all"], "terms": [], "diversity": {"max_per_creator": 0}}"#,
            "diversity.max_per_creator",
        ),
    ];
    for (json, field) in cases {
        let error = profile(json).resolve(&Schema(&SIGNALS)).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(field)), "{error}");
    }
}

#[test]
fn the_window_of_a_query_reaches_terms_and_sources() {
    let resolved = named("trending").resolve(&Schema(&SIGNALS)).unwrap();
    assert_eq!(resolved.form.sources[0].by, Some((0, Measure::Count(Window::Day))));
    let hour = resolved.with_window(Window::Hour);
    assert_eq!(hour.form.sources[0].by, Some((0, Measure::Count(Window::Hour))));
    let rate = hour.form.terms[0].formula.features().next();
    assert_eq!(rate, Some(ResolvedFeature::Signal(0, Measure::Velocity(Window::Hour))));
}

#[test]
fn a_user_without_history_gets_the_cold_form() {
    let resolved = named("for_you").resolve(&Schema(&SIGNALS)).unwrap();
    let personal =
        |form: &ResolvedForm| form.sources.iter().any(|s| matches!(s.source, Source::Interest { .. }));
    assert!(personal(resolved.form_for(true)));
    assert!(!personal(resolved.form_for(false)));
    let trending = named("trending").resolve(&Schema(&SIGNALS)).unwrap();
    assert_eq!(trending.form_for(false), trending.form_for(true));
}

#[test]
fn for_you_equals_the_sum_by_hand() {
    let values = Values::default()
        .signal(0, "view", 10.0)
        .signal(0, "like", 2.0)
        .signal(0, "skip", 1.0)
        .with(0, ResolvedFeature::Similarity, 0.5)
        .with(0, ResolvedFeature::CoEngagement, 0.25)
        .with(0, ResolvedFeature::Affinity, 1.0)
        .with(0, ResolvedFeature::Following, 1.0)
        .with(0, ResolvedFeature::AgeHours, 48.0);
    let resolved = named("for_you").resolve(&Schema(&SIGNALS)).unwrap();
    let found = score([Row(0)], &resolved.form, &values, 1)[0].score;
    let expected = 12_f64.ln() + 2.0 * 0.25 + 0.5 * 0.5 + 0.3 * 2_f64.ln() + 0.5 + 0.5 * (-1_f64).exp();
    assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
}

#[test]
fn built_in_orders() {
    let age = |values: Values, row, hours| values.with(row, ResolvedFeature::AgeHours, hours);
    let aged = || age(age(age(Values::default(), 0, 5.0), 1, 1.0), 2, 9.0);
    check_order("new", &aged(), &[1, 0, 2]);
    check_order("old", &aged(), &[2, 0, 1]);
    check_order("following", &aged(), &[1, 0, 2]);
    // Half of 100 against nine in ten of 100; nobody disagrees about the third.
    let votes = Values::default()
        .signal(0, "like", 90.0)
        .signal(0, "skip", 10.0)
        .signal(1, "like", 50.0)
        .signal(1, "skip", 50.0)
        .signal(2, "like", 500.0);
    check_order("controversial", &votes, &[1, 0]);
    check_order("best", &votes, &[2, 0, 1]);
    // The same share of likes with fewer views; likes without views to speak of are no evidence.
    let gems = Values::default()
        .signal(0, "view", 100_000.0)
        .signal(0, "like", 50_000.0)
        .signal(1, "view", 200.0)
        .signal(1, "like", 100.0)
        .signal(2, "view", 50.0);
    check_order("hidden_gems", &gems, &[1, 0]);
    let hot = age(age(Values::default().signal(0, "view", 100.0).signal(1, "view", 50.0), 0, 100.0), 1, 2.0);
    check_order("hot", &hot, &[1, 0]);
    let rate = Values::default().signal(0, "view", 5.0).signal(1, "like", 5.0).signal(2, "skip", 5.0);
    check_order("trending", &rate, &[1, 0, 2]);
    check_order("top_week", &rate, &[1, 0]);
    check_order("most_viewed", &rate, &[0]);
    check_order("most_liked", &rate, &[1]);
    // A breakout against a big steady one.
    let count = |row, window, value| (row, ResolvedFeature::Signal(0, Measure::Count(window)), value);
    let rising = [
        count(0, Window::Day, 1_000.0),
        count(0, Window::Week, 7_000.0),
        count(1, Window::Day, 80.0),
        count(1, Window::Week, 90.0),
    ];
    let rising =
        rising.into_iter().fold(Values::default(), |values, (row, f, value)| values.with(row, f, value));
    check_order("rising", &rising, &[1, 0]);
    let words = Values::default()
        .with(0, ResolvedFeature::TextScore, 2.0)
        .with(1, ResolvedFeature::TextScore, 4.0)
        .signal(0, "view", 1_000_000.0)
        .with(2, ResolvedFeature::TextScore, 2.0);
    check_order("search", &words, &[1, 0, 2]);
    let near =
        Values::default().with(0, ResolvedFeature::Similarity, 0.4).with(1, ResolvedFeature::Similarity, 0.9);
    check_order("related", &near, &[1, 0]);
}
