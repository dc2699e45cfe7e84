//! Items that may come at all.

use roaring::RoaringBitmap;

use crate::error::Result;
use crate::id::Kind;
use crate::mutation::RelationKind;

use super::{Context, Plan};

/// The items that exist, pass the filter, and are not hidden, blocked, excluded, asked about, or, where the profile
/// says so, seen.
pub(super) fn allowed(context: &Context<'_>, plan: &Plan<'_>) -> Result<RoaringBitmap> {
    let state = context.state;
    let mut allowed = state.items().columns.live().clone();
    if let Some(user) = context.user {
        if let Some(hidden) = state.relations.targets(user, RelationKind::Hide) {
            allowed -= hidden;
        }
        allowed -= state.items_of_related(user, RelationKind::Block);
        if let (true, Some(known)) = (plan.profile.hide_seen, context.user_state()) {
            allowed -= &known.seen;
        }
    }
    if let Some(seed) = context.seed {
        allowed.remove(seed.0);
    }
    // An id that is not there excludes nothing: it may have been removed since it was shown.
    for row in plan.exclude.iter().filter_map(|id| state.items().row(id)) {
        allowed.remove(row.0);
    }
    if let Some(filter) = plan.filter {
        let below = |error: crate::Error| error.below("filter");
        let bound = filter.bind(&state.schema, Kind::Item).map_err(below)?;
        allowed = bound.evaluate_within(context, &allowed).map_err(below)?;
    }
    Ok(allowed)
}
