//! MovieLens-100K as the Python package `recbole` carries it: three files of tab-separated values with a heading.
//!
//! The data has no makers of films, so a creator is a channel: main genre and decade, such as `Drama · 1990s`.

pub(crate) mod fetch;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::Hash;

use super::dataset::{Creators, Dataset, Item, Rating, Source, User};

/// The three files' contents.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// `ml-100k.item`.
    pub items: String,
    /// `ml-100k.user`.
    pub users: String,
    /// `ml-100k.inter`.
    pub ratings: String,
}

/// Ratings of items of one channel that make a user a follower of it.
const FOLLOW_AFTER: usize = 3;

/// Reads the three files.
///
/// # Errors
/// Says file, line and what is wrong there.
pub fn parse(files: &Files) -> Result<Dataset, String> {
    let mut creators = Creators::default();
    let heading = "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq";
    let items = rows("ml-100k.item", &files.items, heading, |[id, title, year, genres]| {
        let genres: Vec<String> = genres
            .split(' ')
            .filter(|name| !name.is_empty() && *name != "unknown")
            .map(str::to_owned)
            .collect();
        // One film is only known as "unkonwn", of no year.
        let year = year.parse().ok();
        let creator = creators.place(&channel(&genres, year));
        let id = id.parse().map_err(|_| format!("the item's id is {id:?}, not a number"))?;
        let title = title_as_spoken(title);
        Ok(Item { id, title, author: None, description: None, year, genres, creator })
    })?;
    let heading = "user_id:token\tage:token\tgender:token\toccupation:token\tzip_code:token";
    let users = rows("ml-100k.user", &files.users, heading, |[id, age, gender, occupation, zip]| {
        Ok(User {
            id: id.parse().map_err(|_| format!("the user's id is {id:?}, not a number"))?,
            age: Some(age.parse().map_err(|_| format!("the age is {age:?}, not a number"))?),
            gender: Some(gender.to_owned()),
            occupation: Some(occupation.to_owned()),
            zip: Some(zip.to_owned()),
        })
    })?;
    let item_places = places(items.iter().map(|item| item.id));
    let user_places = places(users.iter().map(|user| user.id));
    let heading = "user_id:token\titem_id:token\trating:float\ttimestamp:float";
    let ratings = rows("ml-100k.inter", &files.ratings, heading, |[user, item, stars, at]| {
        Ok(Rating {
            user: find(&user_places, user).ok_or_else(|| format!("there is no user {user:?}"))?,
            item: find(&item_places, item).ok_or_else(|| format!("there is no item {item:?}"))?,
            stars: parse_stars(stars)?,
            at: at.parse().map_err(|_| format!("the timestamp is {at:?}, not a whole number"))?,
        })
    })?;
    let creators = creators.into_list();
    Ok(Dataset { source: Source::MovieLens, items, users, creators, ratings, follow_after: FOLLOW_AFTER })
}

/// Reads every line below the heading, which must be the expected one.
fn rows<'a, T, const N: usize>(
    file: &str,
    text: &'a str,
    heading: &str,
    mut read: impl FnMut([&'a str; N]) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, line)) if line == heading => {}
        other => {
            return Err(format!("{file}, line 1: expected the heading {heading:?}, found {other:?}"));
        }
    }
    let one = |(index, line): (usize, &'a str)| {
        let columns: Vec<&str> = line.split('\t').collect();
        let count = columns.len();
        <[&str; N]>::try_from(columns)
            .map_err(|_| format!("expected {N} columns, found {count}"))
            .and_then(&mut read)
            .map_err(|reason| format!("{file}, line {}: {reason}", index + 1))
    };
    lines.map(one).collect()
}

fn places<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> HashMap<K, usize> {
    keys.enumerate().map(|(place, key)| (key, place)).collect()
}

fn find(places: &HashMap<u64, usize>, id: &str) -> Option<usize> {
    places.get(&id.parse().ok()?).copied()
}

fn parse_stars(stars: &str) -> Result<u8, String> {
    let wrong = || format!("the rating is {stars:?}, not a whole number from 1 to 5");
    let number: u8 = stars.strip_suffix(".0").unwrap_or(stars).parse().map_err(|_| wrong())?;
    if (1..=5).contains(&number) { Ok(number) } else { Err(wrong()) }
}

/// `Godfather: Part II, The` is `The Godfather: Part II`.
fn title_as_spoken(title: &str) -> String {
    let articles = ["The", "A", "An", "La", "Le", "Les", "L'", "Il", "Das", "Der", "Die", "El", "Los", "Las"];
    match title.rsplit_once(", ") {
        Some((rest, "L'")) => format!("L'{rest}"),
        Some((rest, article)) if articles.contains(&article) => format!("{article} {rest}"),
        _ if title == "unkonwn" => "Unknown".to_owned(),
        _ => title.to_owned(),
    }
}

/// The genres are in the order of the alphabet, so the first says little: the main genre of a film is the one of these
/// that comes first here, from the most to the least telling.
const TELLING: [&str; 18] = [
    "Documentary",
    "Film-Noir",
    "Western",
    "Musical",
    "Animation",
    "War",
    "Sci-Fi",
    "Horror",
    "Fantasy",
    "Mystery",
    "Children's",
    "Crime",
    "Adventure",
    "Thriller",
    "Action",
    "Romance",
    "Comedy",
    "Drama",
];

fn channel(genres: &[String], year: Option<i64>) -> String {
    let main = TELLING.iter().find(|name| genres.iter().any(|genre| genre == *name)).unwrap_or(&"Other");
    match year {
        Some(year) => format!("{main} · {}s", year.div_euclid(10) * 10),
        None => (*main).to_owned(),
    }
}
