//! The bundled set: real books, and readers who are simulated.

mod readers;
#[cfg(test)]
mod tests;

use super::dataset::{Creators, Dataset, Item, Source};

const BOOKS: &str = include_str!("../../../data/books.tsv");
/// Ratings of books of one author that make a reader a follower.
const FOLLOW_AFTER: usize = 2;

/// The books with their simulated readers; the same in every call.
pub fn dataset() -> Dataset {
    let mut creators = Creators::default();
    let items: Vec<Item> =
        BOOKS.lines().skip(1).zip(1..).map(|(line, id)| book(line, id, &mut creators)).collect();
    let (users, ratings) = readers::simulate(&items);
    let creators = creators.into_list();
    Dataset { source: Source::Bundled, items, users, creators, ratings, follow_after: FOLLOW_AFTER }
}

fn book(line: &str, id: u64, creators: &mut Creators) -> Item {
    let columns: Vec<&str> = line.split('\t').collect();
    let [title, author, year, subjects, description] = columns[..] else {
        panic!("books.tsv is part of the program and its test reads it: {line:?}");
    };
    Item {
        id,
        title: title.to_owned(),
        author: Some(author.to_owned()),
        description: Some(description.to_owned()),
        year: year.parse().ok(),
        genres: subjects.split(", ").map(str::to_owned).collect(),
        creator: creators.place(author),
    }
}
