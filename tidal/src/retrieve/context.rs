//! What a query knows: one state, one moment, one user.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use crate::columns::Columns;
use crate::error::Result;
use crate::filter::{FilterContext, UserSet};
use crate::id::{Id, Kind, Row};
use crate::mutation::RelationKind;
use crate::profile::{Features, ResolvedFeature};
use crate::schema::FieldType;
use crate::signal::Window;
use crate::state::State;
use crate::time::Timestamp;
use crate::user::UserState;
use crate::vector::VectorIndex;

use super::co_engagement::CoEngagement;
use super::interest::interest_vectors;

/// Items that say something of a user's taste which make the interest vectors, the newest first.
const MOST_INTERESTS: usize = 50;
/// Items that speak for a user's taste whose co-engagement counts, the newest first. Few, so that what the user does
/// now shows at once.
const MOST_BASIS: usize = 5;
/// Seconds in an hour.
const HOUR_SECONDS: f64 = 3_600.0;

/// A query against a state that does not change while it runs.
pub(crate) struct Context<'a> {
    pub(crate) state: &'a State,
    pub(crate) now: Timestamp,
    pub(crate) user: Option<Row>,
    pub(crate) seed: Option<Row>,
    /// Vectors whose nearness counts as similarity: the seed's, or else the user's interests.
    pub(crate) anchors: Vec<Vec<f32>>,
    /// The field that says when an item is from.
    time_field: Option<usize>,
    co_engagement: OnceCell<CoEngagement>,
    /// What the sources found: for each place in `Source::NAMES`, the place of each row, from 1.
    pub(crate) found: Vec<BTreeMap<u32, usize>>,
    /// How well rows match the words of the query.
    pub(crate) text_scores: BTreeMap<u32, f64>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(state: &'a State, now: Timestamp, user: Option<Row>, seed: Option<Row>) -> Context<'a> {
        let time_field =
            state.schema.fields(Kind::Item).iter().position(|field| field.of == FieldType::Timestamp);
        let mut context = Context {
            state,
            now,
            user,
            seed,
            anchors: Vec::new(),
            time_field,
            co_engagement: OnceCell::new(),
            found: vec![BTreeMap::new(); crate::profile::Source::NAMES.len()],
            text_scores: BTreeMap::new(),
        };
        context.anchors = match (seed, context.vectors()) {
            (_, None) => Vec::new(),
            (Some(seed), Some(vectors)) => vectors.get(seed).map(<[f32]>::to_vec).into_iter().collect(),
            (None, Some(vectors)) => interest_vectors(vectors, &context.interests()),
        };
        context
    }

    /// The vectors by which items are compared: those of the first slot.
    pub(crate) fn vectors(&self) -> Option<&'a dyn VectorIndex> {
        self.state.items().vectors.first().map(|vectors| vectors as &dyn VectorIndex)
    }

    pub(crate) fn user_state(&self) -> Option<&'a UserState> {
        self.user.and_then(|user| self.state.user(user))
    }

    /// Whether something is known of the user's taste.
    pub(crate) fn has_history(&self) -> bool {
        self.user_state().is_some_and(|user| !user.is_cold())
    }

    /// Items that say something about the user's taste, and what they say now.
    pub(crate) fn interests(&self) -> Vec<(Row, f64)> {
        self.user_state().map(|user| user.interests(self.now, MOST_INTERESTS)).unwrap_or_default()
    }

    /// The items that speak for what is asked: the seed, or else what the user liked.
    pub(crate) fn basis(&self) -> Vec<Row> {
        match self.seed {
            Some(seed) => vec![seed],
            None => {
                let liked = self.interests().into_iter().filter(|(_, weight)| *weight > 0.0);
                liked.map(|(row, _)| row).take(MOST_BASIS).collect()
            }
        }
    }

    /// Items of the basis that a reason may name. What was removed is in no answer, and what the user hid or blocked is
    /// not brought up again, unless they ask about it.
    pub(crate) fn named_basis(&self) -> Vec<Row> {
        let may_be_named = |row: &Row| {
            let hidden = self.user.is_some_and(|user| {
                self.state.relations.holds(user, RelationKind::Hide, *row)
                    || self.creator_holds(RelationKind::Block, *row)
            });
            self.seed == Some(*row) || self.state.items().is_live(*row) && !hidden
        };
        self.basis().into_iter().filter(may_be_named).collect()
    }

    /// Co-engagement of all items with the basis.
    pub(crate) fn co_engagement(&self) -> &CoEngagement {
        self.co_engagement.get_or_init(|| CoEngagement::new(&self.state.events, &self.basis()))
    }

    /// When an item is from: its time field, or else its first write.
    pub(crate) fn time_of(&self, item: Row) -> Timestamp {
        let items = self.state.items();
        let declared = self.time_field.and_then(|field| items.columns.integer(field, item));
        declared.map(Timestamp).or_else(|| items.created(item)).unwrap_or(self.now)
    }

    fn creator_holds(&self, relation: RelationKind, item: Row) -> bool {
        let creator = self.state.items().creator(item);
        matches!((self.user, creator), (Some(user), Some(creator))
            if self.state.relations.holds(user, relation, creator))
    }

    fn similarity(&self, item: Row) -> f64 {
        let Some(vectors) = self.vectors() else { return 0.0 };
        let best = self.anchors.iter().filter_map(|anchor| vectors.similarity(anchor, item).ok().flatten());
        best.map(f64::from).reduce(f64::max).unwrap_or(0.0)
    }
}

impl Features for Context<'_> {
    fn value(&self, feature: ResolvedFeature, row: Row) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match feature {
            ResolvedFeature::Signal(signal, measure) => {
                self.state.events.signals(Kind::Item).value(row, signal, measure, self.now)
            }
            ResolvedFeature::AgeHours => self.now.seconds_since(self.time_of(row)) / HOUR_SECONDS,
            ResolvedFeature::Field(field) => {
                self.state.items().columns.number(usize::from(field), row).unwrap_or(0.0)
            }
            ResolvedFeature::Similarity => self.similarity(row),
            ResolvedFeature::Affinity => match (self.user_state(), self.state.items().creator(row)) {
                (Some(user), Some(creator)) => user.affinity(creator, self.now),
                _ => 0.0,
            },
            ResolvedFeature::Following => truth(self.creator_holds(RelationKind::Follow, row)),
            ResolvedFeature::Muted => truth(self.creator_holds(RelationKind::Mute, row)),
            ResolvedFeature::TextScore => self.text_scores.get(&row.0).copied().unwrap_or(0.0),
            ResolvedFeature::Seen => truth(self.user_state().is_some_and(|user| user.seen.contains(row.0))),
            ResolvedFeature::CoEngagement => self.co_engagement().score(row),
            ResolvedFeature::SourceRank(source) => {
                let place = self.found.get(usize::from(source)).and_then(|found| found.get(&row.0));
                place.map_or(0.0, |&place| 1.0 / place as f64)
            }
        }
    }
}

impl FilterContext for Context<'_> {
    fn columns(&self) -> &Columns {
        &self.state.items().columns
    }

    fn user_set(&self, set: UserSet) -> Result<Option<RoaringBitmap>> {
        let Some(row) = self.user else { return Ok(None) };
        let relations = &self.state.relations;
        let of_state =
            |pick: fn(&UserState) -> &RoaringBitmap| self.user_state().map(pick).cloned().unwrap_or_default();
        Ok(Some(match set {
            UserSet::Seen => of_state(|user| &user.seen),
            UserSet::Liked => of_state(|user| &user.liked),
            UserSet::Saved => {
                let saved = relations.targets(row, RelationKind::Save).cloned().unwrap_or_default();
                saved | of_state(|user| &user.saved)
            }
            UserSet::Hidden => relations.targets(row, RelationKind::Hide).cloned().unwrap_or_default(),
            UserSet::Following => self.state.items_of_related(row, RelationKind::Follow),
        }))
    }

    fn signal_value(&self, signal: usize, window: Window, row: Row) -> f64 {
        let signal = u16::try_from(signal).expect("a schema has far fewer signals");
        self.state.events.signals(Kind::Item).sum(row, signal, window, self.now)
    }

    fn rows_of_creators(&self, creators: &[Id]) -> RoaringBitmap {
        let table = self.state.table(Kind::Creator);
        let rows = creators.iter().filter_map(|creator| table.row(creator));
        rows.filter_map(|creator| self.state.made_by(creator))
            .fold(RoaringBitmap::new(), |all, made| all | made)
    }

    fn row_of(&self, id: &Id) -> Option<Row> {
        self.state.items().live_row(id)
    }
}
