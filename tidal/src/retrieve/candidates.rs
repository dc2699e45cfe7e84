//! Candidates: what the sources of a profile find among the items that may come.

use roaring::RoaringBitmap;

use crate::best::Best;
use crate::error::Result;
use crate::id::{Kind, Row};
use crate::mutation::RelationKind;
use crate::profile::{ResolvedForm, ResolvedSource, Source};
use crate::text::{Matching, TextIndex};

use super::{Context, Plan};

/// Longest part of a query that a warning quotes, in characters.
const MAX_QUOTED: usize = 40;

/// Asks every source, and notes in the context what each found at which place. All rows found, each once.
pub(super) fn collect(
    context: &mut Context<'_>,
    text: &TextIndex,
    form: &ResolvedForm,
    allowed: &RoaringBitmap,
    plan: &Plan<'_>,
    warnings: &mut Vec<String>,
) -> Result<RoaringBitmap> {
    let mut all = RoaringBitmap::new();
    for source in &form.sources {
        let rows = match &source.source {
            Source::All => {
                // Every item at the place of its row says nothing worth noting.
                all |= allowed;
                continue;
            }
            Source::Text { limit } => words(context, text, *limit, allowed, plan, warnings)?,
            _ => find(context, source, allowed)?,
        };
        let found = &mut context.found[number(&source.source)];
        for (place, row) in rows.into_iter().enumerate() {
            found.entry(row.0).or_insert(place + 1);
            all.insert(row.0);
        }
    }
    Ok(all)
}

/// The place of a source in [`Source::NAMES`].
fn number(source: &Source) -> usize {
    Source::NAMES.iter().position(|name| *name == source.name()).expect("every source has its name there")
}

/// What a source finds, best first.
fn find(context: &Context<'_>, source: &ResolvedSource, allowed: &RoaringBitmap) -> Result<Vec<Row>> {
    match source.source {
        Source::Signal { limit, .. } => {
            let Some((signal, measure)) = source.by else { return Ok(Vec::new()) };
            let signals = context.state.events.signals(Kind::Item);
            let top = signals.top(signal, measure, context.now, limit, |row| allowed.contains(row.0));
            Ok(top.into_iter().map(|(row, _)| row).collect())
        }
        Source::Interest { limit } | Source::Seed { limit } => nearest(context, limit, allowed),
        Source::Followed { limit } => {
            let Some(user) = context.user else { return Ok(Vec::new()) };
            let followed = context.state.items_of_related(user, RelationKind::Follow) & allowed;
            Ok(newest(context, &followed, limit))
        }
        Source::Fresh { limit } => Ok(newest(context, allowed, limit)),
        Source::CoEngaged { limit } => {
            let scores = context.co_engagement().iter().filter(|(row, _)| allowed.contains(row.0));
            Ok(best(scores, limit))
        }
        Source::Text { .. } | Source::All => unreachable!("handled by the caller"),
    }
}

/// The items nearest to the anchors, the nearest of each anchor in turn.
fn nearest(context: &Context<'_>, limit: usize, allowed: &RoaringBitmap) -> Result<Vec<Row>> {
    let Some(vectors) = context.vectors() else { return Ok(Vec::new()) };
    let lists = context
        .anchors
        .iter()
        .map(|anchor| vectors.search(anchor, limit, Some(allowed)))
        .collect::<Result<Vec<_>>>()?;
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = RoaringBitmap::new();
    let in_turn = (0..longest).flat_map(|place| lists.iter().filter_map(move |list| list.get(place)));
    Ok(in_turn.map(|(row, _)| *row).filter(|row| seen.insert(row.0)).take(limit).collect())
}

/// The newest of these items, newest first.
fn newest(context: &Context<'_>, items: &RoaringBitmap, limit: usize) -> Vec<Row> {
    // A time in the future counts as now: it does not lead for longer than what is new today.
    let time = |row| context.time_of(Row(row)).min(context.now).0 as f64;
    best(items.iter().map(|row| (Row(row), time(row))), limit)
}

fn best(scores: impl Iterator<Item = (Row, f64)>, limit: usize) -> Vec<Row> {
    let mut best = Best::new(limit, limit);
    scores.for_each(|(row, score)| best.offer(row, score));
    best.into_sorted().into_iter().map(|(row, _)| row).collect()
}

/// A part of the query for a message, shortened if it is long: an answer is not as long as what was asked.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// The items that match the words, best match first; notes how well.
fn words(
    context: &mut Context<'_>,
    text: &TextIndex,
    limit: usize,
    allowed: &RoaringBitmap,
    plan: &Plan<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Row>> {
    let Some((query, parsing)) = plan.words else { return Ok(Vec::new()) };
    let found = text.search(query, parsing, limit, Some(allowed))?;
    for ignored in &found.ignored {
        let text = quoted(&ignored.text);
        warnings.push(format!("query: {text} at byte {} is ignored: {}", ignored.at, ignored.reason));
    }
    match found.matching {
        Matching::Exact => {}
        Matching::Loose => warnings.push("query: includes matches that are spelled differently".to_owned()),
        Matching::AnyWord | Matching::AnyWordLoose => {
            warnings.push("query: nothing has all of the words; these have some".to_owned());
        }
    }
    for hit in &found.hits {
        context.text_scores.insert(hit.row.0, f64::from(hit.score));
    }
    Ok(found.hits.into_iter().map(|hit| hit.row).collect())
}
