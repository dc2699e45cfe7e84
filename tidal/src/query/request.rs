//! What can be asked.

use crate::filter::Filter;
use crate::id::Id;
use crate::signal::Window;

/// Which items, in which order: by a ranking profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieve {
    /// For whom. Hides and blocks of this user always apply.
    pub user: Option<Id>,
    /// Name of the ranking profile.
    pub profile: String,
    /// Only items that match.
    pub filter: Option<Filter>,
    /// Items like this one, which is left out itself. `related` needs it.
    pub similar_to: Option<Id>,
    /// Items that must not come.
    pub exclude: Vec<Id>,
    /// Instead of the profile's own rules of diversity.
    pub diversity: Option<Diversity>,
    /// Instead of the window that the profile counts signals in.
    pub window: Option<Window>,
    /// Results wanted, 1 to [`crate::limits::MAX_LIMIT`].
    pub limit: usize,
    /// Whether each result says which source found it and how its score came about.
    pub explain: bool,
}

impl Retrieve {
    /// The 20 best by a profile.
    pub fn using(profile: &str) -> Retrieve {
        Retrieve {
            user: None,
            profile: profile.to_owned(),
            filter: None,
            similar_to: None,
            exclude: Vec::new(),
            diversity: None,
            window: None,
            limit: 20,
            explain: false,
        }
    }

    /// Says for whom.
    #[must_use]
    pub fn user(mut self, user: impl Into<Id>) -> Retrieve {
        self.user = Some(user.into());
        self
    }

    /// Keeps only items that match.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Retrieve {
        self.filter = Some(filter);
        self
    }

    /// Asks for items like this one.
    #[must_use]
    pub fn similar_to(mut self, item: impl Into<Id>) -> Retrieve {
        self.similar_to = Some(item.into());
        self
    }

    /// Says how many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Retrieve {
        self.limit = limit;
        self
    }

    /// Asks for the reasons.
    #[must_use]
    pub fn explain(mut self) -> Retrieve {
        self.explain = true;
        self
    }
}

/// Which items match words, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// The words; their language is described in `docs/search.md`.
    pub query: String,
    /// Refuse a query that is not well-formed, naming the position, instead of ignoring that part.
    pub strict: bool,
    /// For whom: hides and blocks of this user always apply, and the order is personal.
    pub user: Option<Id>,
    /// Only items that match.
    pub filter: Option<Filter>,
    /// Name of the ranking profile; `search` unless said otherwise.
    pub profile: String,
    /// Rules of diversity; none unless said otherwise.
    pub diversity: Option<Diversity>,
    /// Results wanted, 1 to [`crate::limits::MAX_LIMIT`].
    pub limit: usize,
    /// Whether each result says how its score came about.
    pub explain: bool,
}

impl Search {
    /// The 20 best matches.
    pub fn new(query: &str) -> Search {
        Search {
            query: query.to_owned(),
            strict: false,
            user: None,
            filter: None,
            profile: "search".to_owned(),
            diversity: None,
            limit: 20,
            explain: false,
        }
    }

    /// Says for whom.
    #[must_use]
    pub fn user(mut self, user: impl Into<Id>) -> Search {
        self.user = Some(user.into());
        self
    }

    /// Keeps only items that match.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Search {
        self.filter = Some(filter);
        self
    }

    /// Says how many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Search {
        self.limit = limit;
        self
    }

    /// Asks for the reasons.
    #[must_use]
    pub fn explain(mut self) -> Search {
        self.explain = true;
        self
    }
}

/// Rules of diversity. They give way, and the answer says so, before results run short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Diversity {
    /// Most items of one creator in the answer.
    pub max_per_creator: Option<usize>,
}
