//! Which segments to merge. Pure: sizes in, a choice out.

use super::limits::{MERGE_DELETED_PERCENT, MERGE_IN_PASSING_DOCS_MAX, MERGE_SMALL_DOCS, MERGE_WIDTH};

/// The size of a segment, in documents; deleted ones count in `docs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentSize {
    pub(super) docs: u32,
    pub(super) deleted: u32,
}

/// When the merge would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Within a search: only what is quick.
    InPassing,
    /// At a checkpoint.
    Checkpoint,
}

/// The indexes of the segments to merge into one now; none if all is well. Called again after each merge until it has
/// nothing more to do, which takes at most as many calls as there are segments.
///
/// 1. Segments are sorted into sizes, each [`MERGE_WIDTH`] times the one before; the first reaches up to
///    [`MERGE_SMALL_DOCS`]. The smallest size that holds [`MERGE_WIDTH`] segments is merged.
/// 2. At a checkpoint, a segment of which too much is deleted is rewritten.
pub(super) fn pick(segments: &[SegmentSize], occasion: Occasion) -> Option<Vec<usize>> {
    let mut by_size: Vec<Vec<usize>> = Vec::new();
    for (i, segment) in segments.iter().enumerate() {
        let size = size_class(segment.docs - segment.deleted);
        if by_size.len() <= size {
            by_size.resize(size + 1, Vec::new());
        }
        by_size[size].push(i);
    }
    let full = by_size.into_iter().find(|members| members.len() >= MERGE_WIDTH);
    if let Some(members) = full {
        let live: u64 = members.iter().map(|&i| u64::from(segments[i].docs - segments[i].deleted)).sum();
        let fits = occasion == Occasion::Checkpoint || live <= u64::from(MERGE_IN_PASSING_DOCS_MAX);
        return fits.then_some(members);
    }
    if occasion == Occasion::InPassing {
        return None;
    }
    let too_much = |segment: &SegmentSize| {
        u64::from(segment.deleted) * 100 > u64::from(segment.docs) * u64::from(MERGE_DELETED_PERCENT)
    };
    segments.iter().position(too_much).map(|i| vec![i])
}

fn size_class(docs: u32) -> usize {
    let mut class = 0;
    let mut bound = u64::from(MERGE_SMALL_DOCS);
    while u64::from(docs) > bound {
        bound *= MERGE_WIDTH as u64;
        class += 1;
    }
    class
}
