use std::collections::HashSet;

use super::dataset;

#[test]
fn every_line_is_a_whole_book() {
    let data = dataset();
    assert!(data.items.len() >= 150);
    for item in &data.items {
        assert!(!item.title.is_empty() && item.author.as_ref().is_some_and(|name| !name.is_empty()));
        assert!(item.year.is_some_and(|year| (0..1930).contains(&year)), "{item:?}");
        assert!(!item.genres.is_empty() && item.description.as_ref().is_some_and(|text| text.ends_with('.')));
    }
    let ids: HashSet<&str> = data.creators.iter().map(|creator| creator.id.as_str()).collect();
    assert_eq!(ids.len(), data.creators.len(), "two authors share an id");
}

#[test]
fn the_readers_are_the_same_every_time_and_like_their_taste() {
    let data = dataset();
    assert_eq!(data, dataset());
    let mut seen = HashSet::new();
    assert!(
        data.ratings.iter().all(|rating| seen.insert((rating.user, rating.item))),
        "one book rated twice"
    );
    assert!(data.ratings.is_sorted_by_key(|rating| rating.at));
    for stars in 1..=5 {
        let share = data.ratings.iter().filter(|rating| rating.stars == stars).count() as f64;
        assert!(share > 0.02 * data.ratings.len() as f64, "hardly any rating of {stars} stars");
    }
}
