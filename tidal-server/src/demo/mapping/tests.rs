use std::collections::HashSet;

use tidaldb::{Kind, Mutation, RelationKind, Timestamp};

use super::{DIMENSION, mutations, vectors};
use crate::demo::bundled;
use crate::demo::dataset::{Creator, Dataset, Item, Rating, Source, User};

fn small() -> Dataset {
    let item = |id, creator| Item { id, title: format!("t{id}"), creator, ..Item::default() };
    let creator = |id: &str| Creator { id: id.to_owned(), name: id.to_owned() };
    let rating = |item, stars, at| Rating { user: 0, item, stars, at };
    Dataset {
        source: Source::Bundled,
        items: vec![item(10, 0), item(11, 0), item(12, 1), item(13, 1)],
        users: vec![User { id: 7, ..User::default() }],
        creators: vec![creator("a"), creator("b")],
        ratings: vec![rating(0, 3, 500), rating(1, 5, 100), rating(2, 1, 900)],
        follow_after: 2,
    }
}

#[test]
fn ratings_become_signals_by_time_with_the_newest_now() {
    let data = small();
    let now = Timestamp(5_000_000_000);
    let signals: Vec<_> = mutations(&data, &vec![Vec::new(); 4], now)
        .into_iter()
        .filter_map(|mutation| match mutation {
            Mutation::Signal(signal) => Some(signal),
            _ => None,
        })
        .collect();
    let seen: Vec<(&str, i64, f64, &str)> = signals
        .iter()
        .map(|s| (s.signal.as_str(), s.at.unwrap().0, s.weight, s.key.as_deref().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [
            ("view", 4_200_000_000, 1.0, "books:1:view"),
            ("like", 4_200_000_000, 1.0, "books:1:like"),
            ("rating", 4_200_000_000, 5.0, "books:1:rating"),
            ("view", 4_600_000_000, 1.0, "books:0:view"),
            ("rating", 4_600_000_000, 3.0, "books:0:rating"),
            ("view", 5_000_000_000, 1.0, "books:2:view"),
            ("skip", 5_000_000_000, 1.0, "books:2:skip"),
            ("rating", 5_000_000_000, 1.0, "books:2:rating"),
        ]
    );
}

#[test]
fn a_follow_needs_enough_ratings() {
    let follows: Vec<_> = mutations(&small(), &vec![Vec::new(); 4], Timestamp(0))
        .into_iter()
        .filter_map(|mutation| match mutation {
            Mutation::Relate(relation) => Some(relation),
            _ => None,
        })
        .collect();
    assert_eq!(follows.len(), 1, "b has one rating only");
    assert_eq!((follows[0].kind, &follows[0].target), (RelationKind::Follow, &"a".into()));
}

#[test]
fn the_bundled_set_maps_to_whole_entities_and_unique_keys() {
    let data = bundled::dataset();
    let mutations = mutations(&data, &vectors(&data), Timestamp(0));
    let mut keys = HashSet::new();
    let mut items = 0;
    for mutation in &mutations {
        match mutation {
            Mutation::Signal(signal) => assert!(keys.insert(signal.key.clone()), "{:?} twice", signal.key),
            Mutation::Put(Kind::Item, item) => {
                items += 1;
                if let Some(vector) = item.embeddings.get("taste") {
                    assert_eq!(vector.len(), DIMENSION);
                }
            }
            _ => {}
        }
    }
    assert_eq!(items, data.items.len());
}

#[test]
fn books_by_one_author_are_nearer_than_books_by_two() {
    let data = bundled::dataset();
    let vectors = vectors(&data);
    let (mut same, mut other) = ((0.0, 0), (0.0, 0));
    for a in 0..vectors.len() {
        for b in 0..a {
            let cosine: f32 = vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum();
            let sum = if data.items[a].creator == data.items[b].creator { &mut same } else { &mut other };
            *sum = (sum.0 + f64::from(cosine), sum.1 + 1);
        }
    }
    let (same, other) = (same.0 / f64::from(same.1), other.0 / f64::from(other.1));
    assert!(same > other + 0.05, "{same} {other}");
}
