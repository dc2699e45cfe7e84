//! Simulated readers. Nothing here is about real people.
//!
//! 1. Each reader has a main taste and a weaker second one; a taste is a set of subjects.
//! 2. A book appeals to a reader by how many of its subjects belong to the tastes, plus a private whim.
//! 3. A reader picks books by appeal and by how widely each is known, and rates them by appeal.

use super::super::dataset::{Item, Rating, User};
use super::super::random::Seeded;

const SEED: u64 = 0x7464_6C31;
const READERS: u64 = 160;
/// Fewest and most ratings of one reader.
const RATINGS: (usize, usize) = (15, 70);
/// The first rating is this many seconds before the last: 120 days.
const SPAN_SECONDS: usize = 120 * 86_400;
/// Of how much of a taste's weight the second one has.
const SECOND: f64 = 0.4;

const TASTES: [&[&str]; 9] = [
    &["adventure", "sea", "travel", "spies"],
    &["gothic", "horror", "ghosts"],
    &["mystery", "crime", "spies"],
    &["romance", "society", "coming of age"],
    &["science fiction", "fantasy"],
    &["comedy", "satire", "drama"],
    &["philosophy", "psychology", "fable"],
    &["children", "nature", "fantasy"],
    &["history", "war", "politics", "tragedy"],
];

const OCCUPATIONS: [&str; 10] = [
    "baker",
    "carpenter",
    "clerk",
    "engineer",
    "gardener",
    "librarian",
    "nurse",
    "sailor",
    "student",
    "teacher",
];

pub(super) fn simulate(books: &[Item]) -> (Vec<User>, Vec<Rating>) {
    let mut random = Seeded::new(SEED);
    // How widely a book is known: a few very, most little.
    let fame: Vec<f64> = books.iter().map(|_| (0.8 * random.normal()).exp()).collect();
    let mut users = Vec::new();
    let mut ratings = Vec::new();
    for id in 1..=READERS {
        let user = users.len();
        users.push(person(id, &mut random));
        let tastes = (TASTES[random.below(TASTES.len())], TASTES[random.below(TASTES.len())]);
        let appeal: Vec<f64> =
            books.iter().map(|book| appeal(book, tastes) + 0.35 * random.normal()).collect();
        let wanted = RATINGS.0 + random.below(RATINGS.1 - RATINGS.0 + 1);
        let mut weights: Vec<f64> = appeal.iter().zip(&fame).map(|(a, f)| (1.6 * a).exp() * f).collect();
        for _ in 0..wanted.min(books.len()) {
            let item = pick(&weights, &mut random);
            weights[item] = 0.0;
            let at = i64::try_from(random.below(SPAN_SECONDS)).expect("a few months of seconds");
            ratings.push(Rating { user, item, stars: stars(appeal[item]), at });
        }
    }
    ratings.sort_by_key(|rating| (rating.at, rating.user, rating.item));
    (users, ratings)
}

fn person(id: u64, random: &mut Seeded) -> User {
    let age = 16 + i64::try_from(random.below(60)).expect("below 60");
    let occupation = OCCUPATIONS[random.below(OCCUPATIONS.len())];
    User { id, age: Some(age), occupation: Some(occupation.to_owned()), ..User::default() }
}

/// 0 for a book of other tastes, about 2 for one right in the middle.
fn appeal(book: &Item, (main, second): (&[&str], &[&str])) -> f64 {
    let share = |taste: &[&str]| {
        let common = book.genres.iter().filter(|subject| taste.contains(&subject.as_str())).count();
        (common as f64).min(2.0)
    };
    share(main) + SECOND * share(second)
}

fn stars(appeal: f64) -> u8 {
    match appeal {
        a if a < -0.2 => 1,
        a if a < 0.25 => 2,
        a if a < 0.8 => 3,
        a if a < 1.4 => 4,
        _ => 5,
    }
}

/// A place, with the probability that its weight has of all. At least one weight must be positive.
fn pick(weights: &[f64], random: &mut Seeded) -> usize {
    let mut rest = random.unit() * weights.iter().sum::<f64>();
    for (place, weight) in weights.iter().enumerate() {
        if rest < *weight {
            return place;
        }
        rest -= weight;
    }
    // Rounding may leave a little over: the last one that can be picked.
    weights.iter().rposition(|weight| *weight > 0.0).expect("a weight is positive")
}
