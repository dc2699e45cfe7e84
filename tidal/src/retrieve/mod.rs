//! From a request to a page: plan → allowed → candidates → score → diversify → explain.
//!
//! A query runs on one state that does not change meanwhile. What may not come (hidden, blocked, filtered out, seen
//! where the profile says so) is taken out before anything is searched or scored, so that sources give of the rest as
//! much as they are asked for, and no step later on can bring it back.

mod allowed;
mod candidates;
mod co_engagement;
mod context;
pub(crate) mod diversify;
mod interest;
pub(crate) mod reason;
pub(crate) mod score;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::id::{Id, Kind, Row};
use crate::limits;
use crate::profile::{ResolvedForm, ResolvedProfile, Source};
use crate::query::{Answer, Diversity, Explain, Hit, SourceHit, Stats};
use crate::schema::SignalDef;
use crate::state::State;
use crate::text::{Parsing, TextIndex};
use crate::time::Timestamp;

pub(crate) use context::Context;
use reason::Labels;

/// A query of either kind, its names found.
pub(crate) struct Plan<'a> {
    pub(crate) profile: &'a ResolvedProfile,
    pub(crate) user: Option<&'a Id>,
    pub(crate) filter: Option<&'a Filter>,
    pub(crate) similar_to: Option<&'a Id>,
    pub(crate) exclude: &'a [Id],
    pub(crate) diversity: Option<Diversity>,
    pub(crate) words: Option<(&'a str, Parsing)>,
    pub(crate) limit: usize,
    pub(crate) explain: bool,
}

/// Runs a query.
///
/// # Errors
/// `Invalid` or `NotFound`, naming the field.
pub(crate) fn run(
    state: &State,
    text: &TextIndex,
    now: Timestamp,
    plan: &Plan<'_>,
    labels: &dyn Labels,
) -> Result<Answer> {
    check(plan)?;
    let mut warnings = plan.profile.warnings.clone();
    let user = find_user(state, plan.user, &mut warnings);
    let seed = plan.similar_to.map(|seed| state.require(Kind::Item, seed, "similar_to")).transpose()?;
    let mut context = Context::new(state, now, user, seed);
    if plan.profile.cold.is_some() && user.is_some() && !context.has_history() {
        warnings.push("nothing is known of the user's taste yet: ranked as for everyone".to_owned());
    }
    let form = plan.profile.form_for(context.has_history());

    let allowed = allowed::allowed(&context, plan)?;
    if allowed.len() < plan.limit as u64 {
        warnings.push(format!("there are only {} items that may come", allowed.len()));
    }
    let candidates = candidates::collect(&mut context, text, form, &allowed, plan, &mut warnings)?;
    let rules = plan.diversity.unwrap_or(plan.profile.diversity);
    let keep = if rules == Diversity::default() { plan.limit } else { usize::MAX };
    let scored = score::score(candidates.iter().map(Row), form, &context, keep);
    let page = diversify::diversify(&scored, |row| state.items().creator(row), rules, plan.limit);

    let mut results = hits(&context, &page.items);
    if plan.explain {
        explain(&context, form, &page.items, &mut results, labels)?;
    }
    Ok(Answer {
        results,
        warnings,
        constraints_satisfied: page.satisfied,
        stats: Stats {
            candidates: count(candidates.len()),
            filtered: count(state.items().columns.live().len() - allowed.len()),
            scored: count(candidates.len()),
        },
    })
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn check(plan: &Plan<'_>) -> Result<()> {
    if plan.limit == 0 || plan.limit > limits::MAX_LIMIT {
        let what =
            format!("{} is out of range: 1 to {} results can be asked for", plan.limit, limits::MAX_LIMIT);
        return Err(Error::invalid("limit", what));
    }
    if plan.exclude.len() > limits::MAX_EXCLUDED {
        let what = format!("{} ids; at most {} are possible", plan.exclude.len(), limits::MAX_EXCLUDED);
        return Err(Error::invalid("exclude", what));
    }
    if plan.diversity.is_some_and(|rules| rules.max_per_creator == Some(0)) {
        return Err(Error::invalid("diversity.max_per_creator", "0 would leave nothing"));
    }
    let form = &plan.profile.form;
    check_words(plan)?;
    let needs_seed = form.sources.iter().any(|source| matches!(source.source, Source::Seed { .. }));
    if needs_seed && plan.similar_to.is_none() {
        let what = format!("the profile {:?} ranks by nearness to an item: name one", plan.profile.name);
        return Err(Error::invalid("similar_to", what));
    }
    let needs_user = form.sources.iter().all(|source| matches!(source.source, Source::Followed { .. }));
    if needs_user && plan.user.is_none() {
        let what = format!("the profile {:?} ranks what a user follows: name one", plan.profile.name);
        return Err(Error::invalid("user", what));
    }
    Ok(())
}

/// A search needs a profile that looks for words, and one that does nothing else needs a search.
fn check_words(plan: &Plan<'_>) -> Result<()> {
    let (name, sources) = (&plan.profile.name, &plan.profile.form.sources);
    let of_words = sources.iter().filter(|source| matches!(source.source, Source::Text { .. })).count();
    let what = match plan.words {
        Some(_) if of_words == 0 => format!(
            "the profile {name:?} does not look for words: send it to /retrieve (Database::retrieve), or search with \
             the profile \"search\""
        ),
        None if of_words == sources.len() => format!(
            "the profile {name:?} finds items by words, which only a search has: send it to /search \
             (Database::search) with a query"
        ),
        _ => return Ok(()),
    };
    Err(Error::invalid("profile", what))
}

/// The row of the query's user. One who is not known has no history and no hides, and the answer says so. The hides of
/// one who was removed still hold.
fn find_user(state: &State, user: Option<&Id>, warnings: &mut Vec<String>) -> Option<Row> {
    let user = user?;
    let users = state.table(Kind::User);
    let row = users.row(user);
    if !row.is_some_and(|row| users.is_live(row)) {
        warnings.push(format!("user {user} is not known: the answer is not personal"));
    }
    row
}

fn hits(context: &Context<'_>, page: &[score::Scored]) -> Vec<Hit> {
    let state = context.state;
    let signals = state.events.signals(Kind::Item);
    let counts = |row| {
        let of = move |(number, signal): (usize, &SignalDef)| {
            let total = signals.total(row, u16::try_from(number).ok()?);
            (total > 0).then(|| (signal.name.clone(), total as f64))
        };
        state.schema.signals().iter().enumerate().filter_map(of).collect()
    };
    let hit = |(place, item): (usize, &score::Scored)| Hit {
        id: state.items().id(item.row).cloned().expect("a candidate is an item"),
        rank: place + 1,
        score: item.score,
        signals: counts(item.row),
        explain: None,
    };
    page.iter().enumerate().map(hit).collect()
}

/// Gives every result of a page its reasons.
fn explain(
    context: &Context<'_>,
    form: &ResolvedForm,
    page: &[score::Scored],
    results: &mut [Hit],
    labels: &dyn Labels,
) -> Result<()> {
    let terms: Vec<_> = page.iter().map(|item| score::explain(item.row, form, context)).collect();
    let means = reason::means(&terms);
    for ((item, terms), hit) in page.iter().zip(terms).zip(results) {
        let reason = reason::reason(context, item.row, &terms, &means, labels)?;
        hit.explain = Some(Explain { reason, sources: sources(context, item.row), terms });
    }
    Ok(())
}

fn sources(context: &Context<'_>, row: Row) -> Vec<SourceHit> {
    let of = |(name, found): (&&str, &BTreeMap<u32, usize>)| {
        Some(SourceHit { source: (*name).to_owned(), rank: *found.get(&row.0)? })
    };
    Source::NAMES.iter().zip(&context.found).filter_map(of).collect()
}
