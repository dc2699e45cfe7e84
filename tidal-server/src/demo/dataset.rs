//! What a data set of the demo consists of, whatever file it came from.

/// Things that people rated, the people, and the ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Which one it is.
    pub source: Source,
    /// What was rated.
    pub items: Vec<Item>,
    /// Who rated.
    pub users: Vec<User>,
    /// Who made the items.
    pub creators: Vec<Creator>,
    /// In the order of the source.
    pub ratings: Vec<Rating>,
    /// Of how many items of a creator a user's ratings must be before a follow is derived from them.
    pub follow_after: usize,
}

/// The data sets that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// MovieLens-100K: real ratings of films.
    MovieLens,
    /// Real books, simulated readers.
    Bundled,
}

impl Source {
    /// What it is, for people.
    pub fn title(self) -> &'static str {
        match self {
            Source::MovieLens => "MovieLens-100K",
            Source::Bundled => "Public-domain books with simulated readers",
        }
    }

    /// Under which terms it may be used, for people.
    pub fn notice(self) -> &'static str {
        match self {
            Source::MovieLens => {
                "MovieLens-100K is by GroupLens, University of Minnesota: for research, not to be redistributed. Cite \
                 F. M. Harper and J. A. Konstan, \"The MovieLens Datasets: History and Context\", ACM Transactions on \
                 Interactive Intelligent Systems 5(4), 2015."
            }
            Source::Bundled => {
                "The books are real, their descriptions ours (CC0); the readers and their ratings are simulated."
            }
        }
    }

    /// Begins the idempotency keys of its signals.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Source::MovieLens => "ml",
            Source::Bundled => "books",
        }
    }
}

/// A film or book.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Item {
    /// Its id in the database.
    pub id: u64,
    /// As on the cover.
    pub title: String,
    /// Who wrote it, where the source says.
    pub author: Option<String>,
    /// One sentence, where the source has one.
    pub description: Option<String>,
    /// Of first publication.
    pub year: Option<i64>,
    /// Genres or subjects.
    pub genres: Vec<String>,
    /// Place of its creator in [`Dataset::creators`].
    pub creator: usize,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct User {
    /// The id in the database.
    pub id: u64,
    /// In years.
    pub age: Option<i64>,
    /// As the source has it.
    pub gender: Option<String>,
    /// As the source has it.
    pub occupation: Option<String>,
    /// As the source has it.
    pub zip: Option<String>,
}

/// An author or channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Creator {
    /// The id in the database.
    pub id: String,
    /// For people.
    pub name: String,
}

/// A user's opinion of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating {
    /// Place in [`Dataset::users`].
    pub user: usize,
    /// Place in [`Dataset::items`].
    pub item: usize,
    /// 1 to 5.
    pub stars: u8,
    /// Seconds since 1970, as the source has it.
    pub at: i64,
}

/// Gives every creator's name one place.
#[derive(Debug, Default)]
pub(crate) struct Creators {
    creators: Vec<Creator>,
}

impl Creators {
    /// The place of the creator with this name.
    pub(crate) fn place(&mut self, name: &str) -> usize {
        self.creators.iter().position(|creator| creator.name == name).unwrap_or_else(|| {
            self.creators.push(Creator { id: slug(name), name: name.to_owned() });
            self.creators.len() - 1
        })
    }

    pub(crate) fn into_list(self) -> Vec<Creator> {
        self.creators
    }
}

/// `Film-Noir · 1940s` is `film-noir-1940s`.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<String>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_creator_has_one_place_and_a_readable_id() {
        let mut creators = Creators::default();
        assert_eq!((creators.place("Film-Noir · 1940s"), creators.place("W. B. Yeats")), (0, 1));
        assert_eq!(creators.place("Film-Noir · 1940s"), 0);
        let ids: Vec<String> = creators.into_list().into_iter().map(|creator| creator.id).collect();
        assert_eq!(ids, ["film-noir-1940s", "w-b-yeats"]);
    }
}
