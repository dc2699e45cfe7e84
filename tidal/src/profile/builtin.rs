//! The built-in profiles.
//!
//! They speak of signals by role: `view`, `like`, `comment`, `share`, and `skip`, which counts against. All are optional
//! (`?`): a schema that lacks one ranks by the others and is told so. `docs/profiles.md` says where each formula is
//! from; a test holds the two together.

use crate::signal::Window;

use super::{DiversityRules, Form, Profile, Source, Term};

/// What one item is worth by what was done with it lately. The weights are ours: an act counts by what it costs a person.
const ENGAGEMENT: &str =
    "decayed(view?) + 3 * decayed(like?) + 5 * decayed(comment?) + 5 * decayed(share?) - 2 * decayed(skip?)";
/// The same for a single user, where what many looked at says more: on MovieLens-100K, split by time, heavier likes rank worse.
const ENGAGEMENT_FOR_YOU: &str =
    "decayed(view?) + decayed(like?) + 2 * decayed(comment?) + 2 * decayed(share?) - decayed(skip?)";
/// The first over all time.
const ENGAGEMENT_TOTAL: &str =
    "total(view?) + 3 * total(like?) + 5 * total(comment?) + 5 * total(share?) - 2 * total(skip?)";
/// The first per hour within the window.
const ENGAGEMENT_RATE: &str = "3600 * (velocity(view?, window) + 3 * velocity(like?, window) + 5 * velocity(comment?, window) + 5 * velocity(share?, window) - 2 * velocity(skip?, window))";

/// All built-in profiles, by name.
pub(crate) fn builtin() -> Vec<Profile> {
    let mut profiles = vec![for_you(), following(), related(), search(), trending(), rising(), hot()];
    profiles.extend(by_votes());
    profiles.extend(by_time());
    profiles.extend(top());
    profiles.extend(most());
    profiles.sort_by(|a, b| a.name.cmp(&b.name));
    profiles
}

fn profile(name: &str, description: &str, sources: Vec<Source>, terms: &[(&str, &str)]) -> Profile {
    Profile {
        name: name.to_owned(),
        version: 1,
        description: description.to_owned(),
        window: Window::Week,
        hide_seen: false,
        diversity: DiversityRules::default(),
        sources,
        gates: Vec::new(),
        terms: terms.iter().map(|(name, formula)| Term::new(name, formula)).collect(),
        cold: None,
    }
}

fn by(number: &str, limit: usize) -> Source {
    Source::Signal { by: number.to_owned(), limit }
}

/// Popularity lately is the strongest single ranker where users come in bursts; what is personal moves items within it.
fn for_you() -> Profile {
    let popular = format!("ln1p(max(0, {ENGAGEMENT_FOR_YOU}))");
    let quality = "0.5 * wilson(total(like?), total(view?))";
    let mut profile = profile(
        "for_you",
        "What this user may like: popular lately, close to their interests, engaged with by users like them.",
        vec![
            by("decayed(view?)", 500),
            by("decayed(like?)", 500),
            Source::Interest { limit: 300 },
            Source::CoEngaged { limit: 500 },
            Source::Followed { limit: 100 },
            Source::Fresh { limit: 100 },
        ],
        &[
            ("popular", &popular),
            ("co_engaged", "2 * co_engagement()"),
            ("similar", "0.5 * max(0, similarity())"),
            ("affinity", "0.3 * ln1p(max(0, affinity()))"),
            ("following", "0.5 * following()"),
            ("fresh", "0.5 * exp(-age_hours() / 48)"),
            ("muted", "-3 * muted()"),
        ],
    );
    profile.hide_seen = true;
    profile.diversity.max_per_creator = Some(3);
    profile.cold = Some(Form {
        sources: vec![by("decayed(view?)", 500), by("decayed(like?)", 500), Source::Fresh { limit: 200 }],
        gates: Vec::new(),
        terms: vec![
            Term::new("popular", &popular),
            Term::new("quality", quality),
            Term::new("fresh", "0.5 * exp(-age_hours() / 48)"),
            Term::new("following", "0.5 * following()"),
            Term::new("muted", "-3 * muted()"),
        ],
    });
    profile
}

fn following() -> Profile {
    profile(
        "following",
        "Items of the creators that the user follows, newest first.",
        vec![Source::Followed { limit: 1_000 }],
        &[("newest", "-age_hours()")],
    )
}

fn related() -> Profile {
    profile(
        "related",
        "Items like the one that the query names: near to it, and engaged with by the same users.",
        vec![Source::Seed { limit: 300 }, Source::CoEngaged { limit: 300 }],
        &[
            ("similar", "max(0, similarity())"),
            ("co_engaged", "co_engagement()"),
            ("popular", &format!("0.02 * ln1p(max(0, {ENGAGEMENT}))")),
            ("muted", "-3 * muted()"),
        ],
    )
}

fn search() -> Profile {
    profile(
        "search",
        "How well the words match; popularity and the user's interests order near-equals.",
        vec![Source::Text { limit: 1_000 }],
        &[
            ("text", "text_score()"),
            ("popular", &format!("0.05 * ln1p(max(0, {ENGAGEMENT_TOTAL}))")),
            ("similar", "0.1 * max(0, similarity())"),
            ("affinity", "0.05 * ln1p(max(0, affinity()))"),
            ("muted", "-0.5 * muted()"),
        ],
    )
}

fn trending() -> Profile {
    let mut profile = profile(
        "trending",
        "Most engagement per hour within the window.",
        vec![
            by("count(view?, window)", 1_000),
            by("count(like?, window)", 500),
            by("count(share?, window)", 500),
            Source::Fresh { limit: 100 },
        ],
        &[
            ("rate", ENGAGEMENT_RATE),
            // Orders what has no events in the window; below any single event of the longest.
            ("lately", &format!("1e-6 * ln1p(max(0, {ENGAGEMENT}))")),
        ],
    );
    profile.window = Window::Day;
    profile.hide_seen = true;
    profile
}

fn rising() -> Profile {
    profile(
        "rising",
        "More views in the last 24 hours than the last 7 days let expect, in standard deviations of chance.",
        vec![by("count(view?, 24h)", 1_000)],
        &[("surprise", "(count(view?, 24h) - count(view?, 7d) / 7) / sqrt(count(view?, 7d) / 7 + 1)")],
    )
}

fn hot() -> Profile {
    profile(
        "hot",
        "Engagement against age: new items need less of it.",
        vec![by("decayed(view?)", 1_000), by("decayed(like?)", 500), Source::Fresh { limit: 500 }],
        &[("gravity", &format!("({ENGAGEMENT_TOTAL}) / pow(age_hours() + 2, 1.8)"))],
    )
}

fn by_votes() -> Vec<Profile> {
    let mut gems = profile(
        "hidden_gems",
        "Liked by a large share of few viewers.",
        vec![Source::All],
        &[("gem", "wilson(total(like?), total(view?)) / log10(total(view?) + 10)")],
    );
    gems.gates = vec![Term::new("has_likes", "total(like?) > 0")];
    let mut controversial = profile(
        "controversial",
        "Many likes and skips in equal parts.",
        vec![Source::All],
        &[(
            "balance",
            "pow(total(like?) + total(skip?), min(total(like?), total(skip?)) / max(total(like?), total(skip?)))",
        )],
    );
    controversial.gates = vec![Term::new("both", "total(like?) > 0 and total(skip?) > 0")];
    let mut best = profile(
        "best",
        "Share of likes among likes and skips, as far as it is certain.",
        vec![Source::All],
        &[("share", "wilson(total(like?), total(like?) + total(skip?))")],
    );
    best.gates = vec![Term::new("has_likes", "total(like?) > 0")];
    vec![gems, controversial, best]
}

fn by_time() -> Vec<Profile> {
    vec![
        profile("new", "Newest first.", vec![Source::All], &[("newest", "-age_hours()")]),
        profile("old", "Oldest first.", vec![Source::All], &[("oldest", "age_hours()")]),
    ]
}

/// Most engagement within fixed windows.
fn top() -> Vec<Profile> {
    let windows = [
        ("top_hour", Window::Hour),
        ("top_day", Window::Day),
        ("top_week", Window::Week),
        ("top_month", Window::Month),
        ("top_year", Window::Year),
        ("top_all_time", Window::All),
    ];
    let top = |(name, window): (&str, Window)| {
        let formula = format!(
            "count(view?, {window}) + 3 * count(like?, {window}) + 5 * count(comment?, {window}) + 5 * count(share?, {window}) - 2 * count(skip?, {window})"
        );
        let mut profile = profile(
            name,
            "Most engagement within a fixed window.",
            vec![Source::All],
            &[("engagement", &formula)],
        );
        profile.gates = vec![Term::new("any", &format!("({formula}) > 0"))];
        profile
    };
    windows.into_iter().map(top).collect()
}

/// Most events of one signal.
fn most() -> Vec<Profile> {
    let most = |(name, signal): (&str, &str)| {
        let number = format!("total({signal}?)");
        let mut profile = profile(
            name,
            "Most events of one signal, of all time.",
            vec![Source::All],
            &[("total", &number)],
        );
        profile.gates = vec![Term::new("any", &format!("{number} > 0"))];
        profile
    };
    let names = [
        ("most_viewed", "view"),
        ("most_liked", "like"),
        ("most_commented", "comment"),
        ("most_shared", "share"),
    ];
    names.into_iter().map(most).collect()
}
