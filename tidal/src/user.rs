//! What is known of a user: what they saw, liked and saved, and how much each item and creator means to them.
//!
//! All of it is a function of the user's events and not of their order: meanings are sums of weights that fade by
//! halves, each kept as of the time of its newest event. Interest vectors are not stored: they are made of the
//! embeddings that the items have now, so that a replaced embedding counts at once and a new slot has them too.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

use crate::id::Row;
use crate::schema::SignalDef;
use crate::time::Timestamp;

/// Half-life of what an item says about a user's taste, in seconds: 30 days.
pub(crate) const INTEREST_HALF_LIFE_SECONDS: f64 = 30.0 * 86_400.0;
/// Half-life of a user's interaction weight with a creator, in seconds: 30 days.
pub(crate) const AFFINITY_HALF_LIFE_SECONDS: f64 = 30.0 * 86_400.0;

/// A sum of weights that fades by halves, as of the newest of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Faded {
    value: f64,
    at: Timestamp,
}

impl Faded {
    fn new(at: Timestamp) -> Faded {
        Faded { value: 0.0, at }
    }

    fn add(&mut self, weight: f64, at: Timestamp, half_life_seconds: f64) {
        let newest = self.at.max(at);
        self.value =
            self.read(newest, half_life_seconds) + weight * fade(newest.seconds_since(at), half_life_seconds);
        self.at = newest;
    }

    /// The sum as of `now`; as of the newest weight if that is later.
    pub(crate) fn read(&self, now: Timestamp, half_life_seconds: f64) -> f64 {
        self.value * fade(now.seconds_since(self.at), half_life_seconds)
    }

    pub(crate) fn newest(&self) -> Timestamp {
        self.at
    }
}

fn fade(age_seconds: f64, half_life_seconds: f64) -> f64 {
    (-age_seconds / half_life_seconds).exp2()
}

/// What is known of one user.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct UserState {
    pub(crate) seen: RoaringBitmap,
    pub(crate) liked: RoaringBitmap,
    pub(crate) saved: RoaringBitmap,
    /// Items of which at least one signal spoke for the user's taste.
    pub(crate) engaged: RoaringBitmap,
    /// Item rows and what they say about the user's taste: above zero what they like.
    interest: BTreeMap<u32, Faded>,
    /// Creator rows and the interaction weight.
    affinity: BTreeMap<u32, Faded>,
}

impl UserState {
    /// Takes in a signal that the user gave on an item.
    pub(crate) fn apply(
        &mut self,
        signal: &SignalDef,
        item: Row,
        creator: Option<Row>,
        weight: f64,
        at: Timestamp,
    ) {
        if signal.seen {
            self.seen.insert(item.0);
        }
        if signal.liked {
            self.liked.insert(item.0);
        }
        if signal.saved {
            self.saved.insert(item.0);
        }
        if signal.interest * weight > 0.0 {
            self.engaged.insert(item.0);
        }
        if signal.interest != 0.0 {
            let interest = self.interest.entry(item.0).or_insert_with(|| Faded::new(at));
            interest.add(signal.interest * weight, at, INTEREST_HALF_LIFE_SECONDS);
        }
        if let (Some(creator), true) = (creator, signal.affinity != 0.0) {
            let affinity = self.affinity.entry(creator.0).or_insert_with(|| Faded::new(at));
            affinity.add(signal.affinity * weight, at, AFFINITY_HALF_LIFE_SECONDS);
        }
    }

    /// The interaction weight with a creator; 0 without any.
    pub(crate) fn affinity(&self, creator: Row, now: Timestamp) -> f64 {
        self.affinity.get(&creator.0).map_or(0.0, |affinity| affinity.read(now, AFFINITY_HALF_LIFE_SECONDS))
    }

    /// Items that say something about the taste, the newest first, at most `most`, with what they say now.
    pub(crate) fn interests(&self, now: Timestamp, most: usize) -> Vec<(Row, f64)> {
        let mut newest: Vec<(Timestamp, u32, f64)> = self
            .interest
            .iter()
            .map(|(&item, interest)| {
                (interest.newest(), item, interest.read(now, INTEREST_HALF_LIFE_SECONDS))
            })
            .collect();
        newest.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        newest.truncate(most);
        newest.into_iter().map(|(_, item, weight)| (Row(item), weight)).collect()
    }

    /// Whether nothing is known of the taste.
    pub(crate) fn is_cold(&self) -> bool {
        self.interest.values().all(|interest| interest.value <= 0.0)
    }

    /// The parts of the stored form.
    pub(crate) fn to_stored(&self) -> StoredUser {
        StoredUser {
            sets: [&self.seen, &self.liked, &self.saved, &self.engaged].map(|set| set.iter().collect()),
            interest: self.interest.clone(),
            affinity: self.affinity.clone(),
        }
    }

    /// From the parts of the stored form.
    pub(crate) fn from_stored(stored: StoredUser) -> UserState {
        let [seen, liked, saved, engaged] = stored.sets.map(|set| set.into_iter().collect());
        UserState { seen, liked, saved, engaged, interest: stored.interest, affinity: stored.affinity }
    }
}

/// A user's state as a checkpoint holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredUser {
    sets: [Vec<u32>; 4],
    interest: BTreeMap<u32, Faded>,
    affinity: BTreeMap<u32, Faded>,
}
