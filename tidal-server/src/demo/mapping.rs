//! From a data set to what is written.
//!
//! - Creators, items, users, follows, then the signals of the ratings by time: `view` for each, `like` for 4 stars or
//!   more, `skip` for 2 or fewer, `rating` with the stars as weight.
//! - All times are shifted by one constant, so that the newest rating is at the time of the import: what was fresh when
//!   the data was taken is fresh now, and distances between times stay.
//! - An item counts as added when it was rated first. The data does not say so; it is derived.
//! - A user follows the three creators whose items they rated best, of those they rated often enough. The data does not
//!   say so; it is derived.
//! - Each signal has an idempotency key, so that the whole list can be written again without counting twice.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tidaldb::{Entity, Kind, MICROS_PER_SECOND, Mutation, Relation, RelationKind, Signal, Timestamp};

use super::dataset::{Dataset, Item, Rating, User};
use super::learn::{Interaction, learn};

/// Dimension of the embedding slot in `demo.yaml`.
pub(crate) const DIMENSION: usize = 64;
const SEED: u64 = 20_251_201;
/// Follows derived for a user.
const FOLLOWS: usize = 3;

/// Everything to write, in order, with the newest rating at `now`.
pub(crate) fn mutations(data: &Dataset, vectors: &[Vec<f32>], now: Timestamp) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    for creator in &data.creators {
        let entity = Entity::new(creator.id.as_str()).field("name", creator.name.as_str());
        mutations.push(Mutation::Put(Kind::Creator, entity));
    }
    let added = first_ratings(data, now);
    for ((item, vector), added) in data.items.iter().zip(vectors).zip(added) {
        mutations.push(Mutation::Put(Kind::Item, item_entity(data, item, vector, added)));
    }
    let mut ratings_of = vec![0_i64; data.users.len()];
    data.ratings.iter().for_each(|rating| ratings_of[rating.user] += 1);
    for (user, ratings) in data.users.iter().zip(ratings_of) {
        mutations.push(Mutation::Put(Kind::User, user_entity(user, ratings)));
    }
    mutations.extend(follows(data).into_iter().map(Mutation::Relate));
    mutations.extend(signals(data, now).into_iter().map(Mutation::Signal));
    mutations
}

/// Item vectors from who rated what. What a user did not like still says a little: people rate what they chose to see.
pub(crate) fn vectors(data: &Dataset) -> Vec<Vec<f32>> {
    let interaction = |rating: &Rating| {
        let weight = if rating.stars > 2 { f64::from(rating.stars - 2) } else { 0.2 };
        Interaction { user: rating.user, item: rating.item, weight }
    };
    let interactions: Vec<Interaction> = data.ratings.iter().map(interaction).collect();
    learn(&interactions, data.items.len(), DIMENSION, SEED)
}

/// When each item was rated first: the data does not say since when it is there.
fn first_ratings(data: &Dataset, now: Timestamp) -> Vec<Option<Timestamp>> {
    let mut first = vec![None; data.items.len()];
    let time = shifted(data, now);
    for rating in &data.ratings {
        let at = time(rating);
        let first = &mut first[rating.item];
        *first = Some(first.map_or(at, |first: Timestamp| first.min(at)));
    }
    first
}

/// The time of a rating, with the newest of all at `now`.
fn shifted(data: &Dataset, now: Timestamp) -> impl Fn(&Rating) -> Timestamp {
    let newest = data.ratings.iter().map(|rating| rating.at).max().unwrap_or(0);
    move |rating| Timestamp(now.0 - (newest - rating.at) * MICROS_PER_SECOND)
}

fn item_entity(data: &Dataset, item: &Item, vector: &[f32], added: Option<Timestamp>) -> Entity {
    let creator = &data.creators[item.creator];
    let mut entity = Entity::new(item.id)
        .creator(creator.id.as_str())
        .field("title", item.title.as_str())
        .field("genres", item.genres.clone());
    for (name, text) in [("author", &item.author), ("description", &item.description)] {
        if let Some(text) = text {
            entity = entity.field(name, text.as_str());
        }
    }
    if let Some(year) = item.year {
        entity = entity.field("year", year);
    }
    if let Some(added) = added {
        entity = entity.field("added", added);
    }
    if vector.is_empty() { entity } else { entity.embedding("taste", vector) }
}

fn user_entity(user: &User, ratings: i64) -> Entity {
    let mut entity = Entity::new(user.id).field("ratings", ratings);
    if let Some(age) = user.age {
        entity = entity.field("age", age);
    }
    for (name, text) in [("gender", &user.gender), ("occupation", &user.occupation), ("zip", &user.zip)] {
        if let Some(text) = text {
            entity = entity.field(name, text.as_str());
        }
    }
    entity
}

fn follows(data: &Dataset) -> Vec<Relation> {
    // By user and creator: how many ratings, and their stars added up.
    let mut opinions: BTreeMap<(usize, usize), (usize, u32)> = BTreeMap::new();
    for rating in &data.ratings {
        let opinion = opinions.entry((rating.user, data.items[rating.item].creator)).or_default();
        opinion.0 += 1;
        opinion.1 += u32::from(rating.stars);
    }
    let mut best: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for ((user, creator), (count, stars)) in opinions {
        if count >= data.follow_after {
            best.entry(user).or_default().push((creator, f64::from(stars) / count as f64));
        }
    }
    let mut follows = Vec::new();
    for (user, mut creators) in best {
        // Stable: of equal means the first creator.
        creators.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        for (creator, _) in creators.iter().take(FOLLOWS) {
            let (user, creator) = (data.users[user].id, data.creators[*creator].id.as_str());
            follows.push(Relation::new(RelationKind::Follow, user, creator));
        }
    }
    follows
}

fn signals(data: &Dataset, now: Timestamp) -> Vec<Signal> {
    let mut by_time: Vec<(usize, &Rating)> = data.ratings.iter().enumerate().collect();
    by_time.sort_by_key(|(line, rating)| (rating.at, *line));
    let mut signals = Vec::new();
    let time = shifted(data, now);
    for (line, rating) in by_time {
        let at = time(rating);
        let signal = |name: &str| {
            Signal::new(name, data.items[rating.item].id)
                .by(data.users[rating.user].id)
                .at(at)
                .key(format!("{}:{line}:{name}", data.source.prefix()))
        };
        signals.push(signal("view"));
        match rating.stars {
            4.. => signals.push(signal("like")),
            ..=2 => signals.push(signal("skip")),
            _ => {}
        }
        signals.push(signal("rating").weight(f64::from(rating.stars)));
    }
    signals
}
