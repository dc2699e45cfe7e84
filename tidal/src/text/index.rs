//! The text index of one kind: a view that the change feed fills and that can always be rebuilt.
//!
//! - A write goes to tantivy's writer and is *pending*. It costs no commit.
//! - A search that finds something pending commits it first, into memory, so that it sees every earlier write with the
//!   same scores as ever after. Nothing of that reaches the disk.
//! - [`TextIndex::checkpoint`] commits, merges, writes what is new to disk and then, last and at once, the position.
//!
//! So after a crash the disk holds exactly the state of the last checkpoint with its position: the follower repeats
//! what came after it. Repeating more than that does no harm, since a write replaces the document of its row.
//!
//! tantivy keeps three threads of its own for each index (inverting, committing, merging). They reach the disk only
//! through [`SegmentDirectory`], and every call here waits for them, so that none runs on after a call returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kv0_env::FileSystem;
use parking_lot::Mutex;
use roaring::RoaringBitmap;
use tantivy::index::{IndexSettings, SegmentComponent};
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy, UserOperation};
use tantivy::schema::Term;
use tantivy::store::Compressor;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument};

use crate::{Error, ErrorKind, Result, Row};

use super::checkpoint::{CHECKPOINT_FILE, Checkpoint};
use super::directory::SegmentDirectory;
use super::limits::WRITER_MEMORY_BYTES;
use super::merge::{Occasion, SegmentSize, pick};
use super::parse::Parsing;
use super::schema::{Fields, TextField};
use super::search::{TextHits, TextSnapshot};
use super::tokens::{NotIndexed, TOKENIZER, TokenListTokenizer, tokenize};
use super::{disk_failure, failure};

/// What was found when the index was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Opened {
    /// The index holds everything in the change feed before this position; go on from there.
    At(u64),
    /// There is nothing to build on: the index is empty, at position 0. Fill it from the store or from the start of
    /// the change feed.
    Rebuild(RebuildReason),
}

/// Why an index starts empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RebuildReason {
    /// No index was stored.
    New,
    /// It was built for other fields or by an older analyzer.
    Outdated,
    /// What was stored is damaged: where and how.
    Damaged(String),
}

/// The files that every segment has; one with deleted documents has one more.
const COMPONENTS: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::Terms,
    SegmentComponent::Store,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
];

/// The text index of one kind.
pub(crate) struct TextIndex {
    directory: SegmentDirectory,
    fields: Arc<Fields>,
    index: Index,
    reader: IndexReader,
    writer: Mutex<Writer>,
    /// Something was written that a search does not see yet. Set and cleared under the writer's lock.
    pending: AtomicBool,
    /// The position of the last checkpoint.
    position: AtomicU64,
}

struct Writer {
    tantivy: IndexWriter,
    /// Why nothing more can be written. Once set it stays: reopen.
    failed: Option<String>,
}

impl TextIndex {
    /// Opens the index stored in `files`, which it has for itself, for these fields. What does not fit or is damaged
    /// is thrown away; then the index is empty and says why. Reads every stored file once, to verify it.
    ///
    /// # Errors
    /// `Invalid` for impossible fields; `Unavailable` if the disk fails.
    pub(crate) fn open(files: Arc<dyn FileSystem>, fields: &[TextField]) -> Result<(TextIndex, Opened)> {
        let fields = Arc::new(Fields::new(fields)?);
        let reason = match Checkpoint::read(&*files).map_err(|error| disk_failure(&error))? {
            None => RebuildReason::New,
            Some(Err(damage)) => RebuildReason::Damaged(format!("{CHECKPOINT_FILE}: {damage}")),
            Some(Ok(stored)) if stored.built_for != fields.built_for() => RebuildReason::Outdated,
            Some(Ok(stored)) => match open_stored(&files, &fields, &stored)? {
                Ok(index) => return Ok((index, Opened::At(stored.position))),
                Err(damage) => RebuildReason::Damaged(damage),
            },
        };
        let index = create(files, &fields)?;
        Ok((index, Opened::Rebuild(reason)))
    }

    /// Puts a document in place of the one that the row has, if any. `values` are pairs of a field's index and its
    /// values; a field may be left out. Returns what is not indexed because it exceeds a bound.
    ///
    /// The next search sees it. It is durable after the next checkpoint.
    ///
    /// # Errors
    /// `Invalid` for a field that does not exist; `Unavailable` if the index failed and must be reopened.
    pub(crate) fn upsert(&self, row: Row, values: &[(usize, Vec<&str>)]) -> Result<Vec<NotIndexed>> {
        let mut document = TantivyDocument::new();
        document.add_u64(self.fields.row, u64::from(row.0));
        let mut left_out = Vec::new();
        for (field, values) in values {
            let Some(&id) = self.fields.theirs.get(*field) else {
                return Err(Error::invalid("fields", format!("there is no text field with index {field}")));
            };
            let (tokens, incomplete) = tokenize(*field, self.fields.kind(*field), values);
            document.add_text(id, tokens);
            left_out.extend(incomplete);
        }
        self.write([UserOperation::Delete(self.term(row)), UserOperation::Add(document)])?;
        Ok(left_out)
    }

    /// Removes the document of a row, if it has one. The next search does not see it.
    ///
    /// # Errors
    /// `Unavailable` if the index failed and must be reopened.
    pub(crate) fn remove(&self, row: Row) -> Result<()> {
        self.write([UserOperation::Delete(self.term(row))])
    }

    /// Makes everything written so far durable and notes that it is all of the change feed before `position`. Merges
    /// segments if it is time to.
    ///
    /// # Errors
    /// `Unavailable` if the disk fails: the last checkpoint still holds and it may be tried again.
    pub(crate) fn checkpoint(&self, position: u64) -> Result<()> {
        let mut writer = self.writer.lock();
        self.publish(&mut writer, Occasion::Checkpoint)?;
        let live = self.live_files().map_err(|error| failure(&error))?;
        self.directory
            .persist(position, &self.fields.built_for(), &live)
            .map_err(|error| disk_failure(&error))?;
        self.position.store(position, Ordering::Release);
        Ok(())
    }

    /// The position of the last checkpoint; 0 before the first.
    #[cfg(test)]
    pub(crate) fn position(&self) -> u64 {
        self.position.load(Ordering::Acquire)
    }

    /// The index with every write up to now, pinned.
    ///
    /// # Errors
    /// `Unavailable` if the index failed and must be reopened.
    pub(crate) fn snapshot(&self) -> Result<TextSnapshot> {
        if self.pending.load(Ordering::Acquire) {
            let mut writer = self.writer.lock();
            self.publish(&mut writer, Occasion::InPassing)?;
        }
        Ok(TextSnapshot { searcher: self.reader.searcher(), fields: self.fields.clone() })
    }

    /// [`TextSnapshot::search`] on the present state.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn search(
        &self,
        query: &str,
        parsing: Parsing,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<TextHits> {
        self.snapshot()?.search(query, parsing, limit, filter)
    }

    fn term(&self, row: Row) -> Term {
        Term::from_field_u64(self.fields.row, u64::from(row.0))
    }

    fn write<const N: usize>(&self, operations: [UserOperation; N]) -> Result<()> {
        let mut writer = self.writer.lock();
        writer.check()?;
        self.pending.store(true, Ordering::Release);
        let result = writer.tantivy.run(operations);
        writer.note(result).map(|_| ())
    }

    /// Makes pending writes visible.
    fn publish(&self, writer: &mut Writer, occasion: Occasion) -> Result<()> {
        writer.check()?;
        let result = self.publish_in(&mut writer.tantivy, occasion);
        writer.note(result)
    }

    fn publish_in(&self, writer: &mut IndexWriter, occasion: Occasion) -> tantivy::Result<()> {
        if self.pending.load(Ordering::Acquire) {
            writer.commit()?;
        }
        while let Some(segments) = self.to_merge(occasion)? {
            writer.merge(&segments).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        self.reader.reload()?;
        self.pending.store(false, Ordering::Release);
        Ok(())
    }

    fn to_merge(&self, occasion: Occasion) -> tantivy::Result<Option<Vec<tantivy::index::SegmentId>>> {
        let segments = self.index.searchable_segment_metas()?;
        let sizes: Vec<SegmentSize> = segments
            .iter()
            .map(|segment| SegmentSize { docs: segment.max_doc(), deleted: segment.num_deleted_docs() })
            .collect();
        let picked = pick(&sizes, occasion);
        Ok(picked.map(|picked| picked.into_iter().map(|i| segments[i].id()).collect()))
    }

    /// The files that the committed segments have.
    fn live_files(&self) -> tantivy::Result<Vec<String>> {
        let mut live = Vec::new();
        for segment in self.index.searchable_segment_metas()? {
            let deletes = segment.has_deletes().then_some(SegmentComponent::Delete);
            for component in COMPONENTS.into_iter().chain(deletes) {
                live.push(segment.relative_path(component).to_string_lossy().into_owned());
            }
        }
        Ok(live)
    }
}

impl Writer {
    fn check(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(reason) => Err(Error::new(
                ErrorKind::Unavailable,
                format!("the text index failed and must be reopened: {reason}"),
            )),
        }
    }

    /// After an error of tantivy's writer its state is unknown.
    fn note<T>(&mut self, result: tantivy::Result<T>) -> Result<T> {
        result.map_err(|error| {
            self.failed = Some(error.to_string());
            failure(&error)
        })
    }
}

/// Inside: what is damaged.
fn open_stored(
    files: &Arc<dyn FileSystem>,
    fields: &Arc<Fields>,
    stored: &Checkpoint,
) -> Result<std::result::Result<TextIndex, String>> {
    let loaded = SegmentDirectory::load(files.clone(), stored).map_err(|error| disk_failure(&error))?;
    let directory = match loaded {
        Ok(directory) => directory,
        Err(damage) => return Ok(Err(damage)),
    };
    let index = match Index::open(directory.clone()) {
        Ok(index) if index.schema() == fields.schema => index,
        Ok(_) => {
            return Ok(Err("the segments have other fields than the checkpoint says".to_owned()));
        }
        Err(error) => return Ok(Err(error.to_string())),
    };
    directory.sweep().map_err(|error| disk_failure(&error))?;
    match start(directory, index, fields.clone(), stored.position) {
        Ok(index) => Ok(Ok(index)),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// An empty index; what was stored is removed, the checkpoint first.
fn create(files: Arc<dyn FileSystem>, fields: &Arc<Fields>) -> Result<TextIndex> {
    forget_checkpoint(&*files).map_err(|error| disk_failure(&error))?;
    let directory = SegmentDirectory::empty(files);
    directory.sweep().map_err(|error| disk_failure(&error))?;
    let settings = IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    let index =
        Index::create(directory.clone(), fields.schema.clone(), settings).map_err(|error| failure(&error))?;
    start(directory, index, fields.clone(), 0).map_err(|error| failure(&error))
}

fn forget_checkpoint(files: &dyn FileSystem) -> std::io::Result<()> {
    if files.size(CHECKPOINT_FILE)?.is_some() {
        files.remove(CHECKPOINT_FILE)?;
        files.sync_dir("")?;
    }
    Ok(())
}

fn start(
    directory: SegmentDirectory,
    index: Index,
    fields: Arc<Fields>,
    position: u64,
) -> tantivy::Result<TextIndex> {
    index.tokenizers().register(TOKENIZER, TokenListTokenizer::default());
    let options = IndexWriterOptions::builder()
        .memory_budget_per_thread(WRITER_MEMORY_BYTES)
        .num_worker_threads(1)
        .num_merge_threads(1)
        .build();
    let writer: IndexWriter = index.writer_with_options(options)?;
    // Merges happen when this file says so, so that no thread writes files behind a caller's back.
    writer.set_merge_policy(Box::new(NoMergePolicy));
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(TextIndex {
        directory,
        fields,
        index,
        reader,
        writer: Mutex::new(Writer { tantivy: writer, failed: None }),
        pending: AtomicBool::new(false),
        position: AtomicU64::new(position),
    })
}
