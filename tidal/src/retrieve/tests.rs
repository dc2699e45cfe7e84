//! Scores and diversity over random candidates.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of these tests are small")]

use std::collections::BTreeMap;

use super::diversify::{Page, diversify};
use super::score::{Scored, explain, score};
use crate::id::Row;
use crate::profile::{Features, Names, Profile, ResolvedFeature, ResolvedForm, SignalName};
use crate::query::Diversity;
use crate::signal::Measure;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One signal and no fields.
struct Schema;

impl Names for Schema {
    fn signal(&self, name: &str) -> Option<SignalName> {
        (name == "view").then_some(SignalName { signal: 0, decayed: 1 })
    }

    fn field(&self, _: &str) -> Option<u16> {
        None
    }
}

/// Values that collide often and are extreme now and then.
struct Values(u64);

impl Features for Values {
    fn value(&self, feature: ResolvedFeature, row: Row) -> f64 {
        let mut random = Random(self.0 ^ (u64::from(row.0) << 20));
        random.below(2);
        match feature {
            ResolvedFeature::Signal(0, Measure::Total) => random.below(5) as f64,
            _ => [0.0, 1.0, 1e308, -1e308, f64::NAN, f64::INFINITY][random.below(6) as usize],
        }
    }
}

fn form(gate: &str, terms: &[&str]) -> ResolvedForm {
    let text = serde_json::json!({
        "name": "test",
        "sources": ["all"],
        "gates": [{"name": "gate", "formula": gate}],
        "terms": terms.iter().enumerate()
            .map(|(n, formula)| serde_json::json!({"name": format!("t{n}"), "formula": formula}))
            .collect::<Vec<_>>(),
    });
    let profile: Profile = serde_json::from_value(text).unwrap();
    profile.resolve(&Schema).unwrap().form
}

#[test]
fn the_best_are_the_head_of_the_full_order_and_terms_sum_to_the_score() {
    let form = form("total(view) != 2", &["total(view)", "similarity() * 2", "affinity() / 3"]);
    for seed in 0..200 {
        let mut random = Random(seed);
        let values = Values(seed);
        let count = random.below(300) as u32;
        let mut rows: Vec<Row> = (0..count).map(Row).collect();
        let all = score(rows.iter().copied(), &form, &values, usize::MAX);
        assert!(
            all.windows(2)
                .all(|p| p[0].score > p[1].score || (p[0].score == p[1].score && p[0].row < p[1].row))
        );
        let gated =
            rows.iter().filter(|row| values.value(ResolvedFeature::Signal(0, Measure::Total), **row) == 2.0);
        assert_eq!(all.len() + gated.count(), rows.len());
        rows.reverse();
        for keep in [0, 1, 10, 299, 1_000] {
            assert_eq!(score(rows.iter().copied(), &form, &values, keep), all[..keep.min(all.len())]);
        }
        for scored in &all {
            assert!(scored.score.is_finite());
            let terms = explain(scored.row, &form, &values);
            let sum = terms.iter().fold(0.0, |sum: f64, term| (sum + term.value).clamp(f64::MIN, f64::MAX));
            assert_eq!(sum, scored.score);
            assert_eq!(terms[1].formula, "similarity() * 2");
        }
    }
}

fn scored(count: u32) -> Vec<Scored> {
    (0..count).map(|n| Scored { row: Row(n), score: -f64::from(n) }).collect()
}

fn most(max_per_creator: usize) -> Diversity {
    Diversity { max_per_creator: Some(max_per_creator) }
}

/// By the description: passes with a cap that rises by one.
fn by_passes(all: &[Scored], creators: &[Option<Row>], cap: usize, limit: usize) -> Page {
    let mut items: Vec<Scored> = Vec::new();
    let mut satisfied = true;
    let mut cap = cap;
    loop {
        let mut seen: BTreeMap<Row, usize> = BTreeMap::new();
        for candidate in all {
            let level = match creators[candidate.row.0 as usize] {
                None => 0,
                Some(creator) => {
                    *seen.entry(creator).or_default() += 1;
                    seen[&creator]
                }
            };
            if level <= cap && items.len() < limit && !items.contains(candidate) {
                items.push(*candidate);
            }
        }
        if items.len() == limit.min(all.len()) {
            return Page { items, satisfied };
        }
        satisfied = false;
        cap += 1;
    }
}

#[test]
fn ten_thousand_random_sets_keep_the_rules_or_give_way_in_order() {
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let all = scored(random.below(40) as u32);
        let different = 1 + random.below(10);
        let creators: Vec<Option<Row>> =
            all.iter().map(|_| (random.below(8) > 0).then(|| Row(random.below(different) as u32))).collect();
        let cap = 1 + random.below(4) as usize;
        let limit = random.below(45) as usize;
        let creator_of = |row: Row| creators[row.0 as usize];
        let page = diversify(&all, creator_of, most(cap), limit);
        assert_eq!(page, by_passes(&all, &creators, cap, limit));
        assert_eq!(page.items.len(), limit.min(all.len()), "never fewer than there are");
        let mut counts: BTreeMap<Row, usize> = BTreeMap::new();
        page.items
            .iter()
            .filter_map(|item| creator_of(item.row))
            .for_each(|c| *counts.entry(c).or_default() += 1);
        assert_eq!(
            page.satisfied,
            counts.values().all(|count| *count <= cap),
            "the flag says whether the rule held"
        );
        // A longer page begins as a shorter one does.
        let shorter = diversify(&all, creator_of, most(cap), limit / 2);
        assert_eq!(page.items[..shorter.items.len()], shorter.items);
    }
}

#[test]
fn one_creator_of_the_best_500_gives_way_to_others_and_then_fills() {
    let all = scored(520);
    let creator_of = |row: Row| Some(if row.0 < 500 { Row(0) } else { Row(row.0) });
    let page = diversify(&all, creator_of, most(2), 50);
    assert!(!page.satisfied);
    let rows: Vec<u32> = page.items.iter().map(|item| item.row.0).collect();
    let expected: Vec<u32> = [0, 1].into_iter().chain(500..520).chain(2..30).collect();
    assert_eq!(rows, expected);
    let enough = diversify(&all, creator_of, most(2), 22);
    assert!(enough.satisfied);
}

#[test]
fn without_rules_the_page_is_the_head() {
    let all = scored(10);
    let page = diversify(&all, |_| Some(Row(0)), Diversity::default(), 4);
    assert_eq!(page, Page { items: all[..4].to_vec(), satisfied: true });
    assert!(diversify(&[], |_| None, most(1), 4).items.is_empty());
}
