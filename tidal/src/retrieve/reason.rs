//! Why an item is on the page, in words.

use crate::error::Result;
use crate::id::{Kind, Row};
use crate::mutation::RelationKind;
use crate::profile::Source;
use crate::query::Term;
use crate::vector::VectorIndex;

use super::Context;
use super::co_engagement::between;

/// What entities are called.
pub(crate) trait Labels {
    /// A name for people: the first text field, or else the id.
    fn label(&self, kind: Kind, row: Row) -> Result<String>;
}

/// The mean of every term over a page, in the order of the terms.
pub(crate) fn means(page: &[Vec<Term>]) -> Vec<f64> {
    let terms = page.first().map_or(0, Vec::len);
    let mean = |term: usize| page.iter().map(|terms| terms[term].value).sum::<f64>() / page.len() as f64;
    (0..terms).map(mean).collect()
}

/// Part of the score that a term must stand out by to be the reason.
const STANDS_OUT: f64 = 0.05;

/// The main reason: the term by which the item stands out. What lifts the whole page alike explains nobody's place, so
/// it is the term that is furthest above its mean over the page; where none stands out, the largest.
pub(crate) fn reason(
    context: &Context<'_>,
    item: Row,
    terms: &[Term],
    means: &[f64],
    labels: &dyn Labels,
) -> Result<String> {
    let score: f64 = terms.iter().map(|term| term.value).sum();
    let for_it = || terms.iter().zip(means).filter(|(term, _)| term.value > 0.0);
    let standing_out = for_it()
        .map(|(term, mean)| (term, term.value - mean))
        .filter(|(_, above)| *above > STANDS_OUT * score.abs())
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(term, _)| term);
    let greatest = || for_it().map(|(term, _)| term).max_by(|a, b| a.value.total_cmp(&b.value));
    // A profile of one term that is never above zero, such as the age, still ranks by it.
    let largest = standing_out.or_else(greatest).or(if let [only] = terms { Some(only) } else { None });
    let found = |source: Source| found_by(context, item, &source);
    let asks = |feature: &str| largest.is_some_and(|term| term.formula.contains(feature));
    if asks("text_score(") {
        return Ok("matches the words".to_owned());
    }
    if asks("co_engagement(") {
        return co_engaged(context, item, labels);
    }
    if asks("similarity(") {
        return similar(context, item, labels);
    }
    if asks("following(") || asks("affinity(") || found(Source::Followed { limit: 0 }) {
        return creator(context, item, labels);
    }
    if asks("age_hours(") && !asks("decayed(") && !asks("total(") {
        return Ok("new".to_owned());
    }
    if asks("velocity(") || asks("decayed(") {
        return Ok("popular lately".to_owned());
    }
    if asks("count(") || asks("total(") || asks("sum(") || asks("uniques(") {
        return Ok("popular".to_owned());
    }
    if found(Source::Seed { limit: 0 }) {
        return similar(context, item, labels);
    }
    Ok(match largest {
        Some(term) => format!("ranks by {}", term.name),
        None if found(Source::Fresh { limit: 0 }) => "new".to_owned(),
        None => "in the order of the profile".to_owned(),
    })
}

fn found_by(context: &Context<'_>, item: Row, source: &Source) -> bool {
    let place = Source::NAMES.iter().position(|name| *name == source.name());
    place.is_some_and(|place| context.found[place].contains_key(&item.0))
}

fn co_engaged(context: &Context<'_>, item: Row, labels: &dyn Labels) -> Result<String> {
    let events = &context.state.events;
    let strength = |basis: &Row| between(events, *basis, item);
    let closest =
        context.named_basis().into_iter().max_by(|a, b| strength(a).total_cmp(&strength(b)).then(b.cmp(a)));
    let Some(closest) = closest else { return Ok("liked by others with your taste".to_owned()) };
    let label = labels.label(Kind::Item, closest)?;
    Ok(format!("people who liked {label} like it too"))
}

fn similar(context: &Context<'_>, item: Row, labels: &dyn Labels) -> Result<String> {
    let vectors = context.vectors();
    let nearness = |basis: &Row| -> f64 {
        let vectors: Option<&dyn VectorIndex> = vectors;
        let both = vectors.and_then(|vectors| vectors.similarity(vectors.get(*basis)?, item).ok().flatten());
        both.map_or(f64::NEG_INFINITY, f64::from)
    };
    let closest =
        context.named_basis().into_iter().max_by(|a, b| nearness(a).total_cmp(&nearness(b)).then(b.cmp(a)));
    let Some(closest) = closest else { return Ok("close to your interests".to_owned()) };
    Ok(format!("similar to {}", labels.label(Kind::Item, closest)?))
}

fn creator(context: &Context<'_>, item: Row, labels: &dyn Labels) -> Result<String> {
    let Some(creator) = context.state.items().creator(item) else {
        return Ok("you follow its creator".to_owned());
    };
    let label = labels.label(Kind::Creator, creator)?;
    let follows =
        context.user.is_some_and(|user| context.state.relations.holds(user, RelationKind::Follow, creator));
    Ok(if follows { format!("from {label}, whom you follow") } else { format!("you often choose {label}") })
}
