//! The database handle.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kv0_env::{Background, Env, FileSystem, Turn, TurnHandle, memory};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use crate::entity::Entity;
use crate::error::{Error, ErrorKind, Result};
use crate::id::{Id, Kind, Row};
use crate::keys;
use crate::mutation::{Batch, Mutation, Relation, RelationKind, Signal};
use crate::profile::{ResolvedProfile, builtin};
use crate::query::{Answer, Retrieve, Search};
use crate::record::{EntityRecord, Record, decode};
use crate::retrieve::{self, Plan, reason::Labels};
use crate::root;
use crate::schema::{FieldType, Schema};
use crate::state::State;
use crate::store::Store;
use crate::text::Parsing;
use crate::time::Timestamp;
use crate::view::{self, TextView, checkpoint};
use crate::write::{Prepared, Writer, to_commit};

/// How long the views run behind their last checkpoint at most, while something is written.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(30);

/// How a database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether a write returns only when it would survive a power cut; otherwise it survives the end of the process.
    pub durable: bool,
}

/// An open database. Cloning shares it; all methods may be called from any thread.
///
/// ```
/// use tidaldb::{Database, Entity, Kind, Retrieve, Schema, Signal};
///
/// let schema = Schema::parse("
/// items:
///   fields: {title: text, genre: keyword}
/// signals:
///   view: {on: item, half_life: 7d, seen: true}
/// ")?;
/// let db = Database::ephemeral(schema)?;
/// db.put(Kind::Item, Entity::new("kind-of-blue").field("title", "Kind of Blue").field("genre", "jazz"))?;
/// db.put(Kind::Item, Entity::new("blue-train").field("title", "Blue Train").field("genre", "jazz"))?;
/// db.signal(Signal::new("view", "blue-train").by("ann"))?;
/// let answer = db.retrieve(&Retrieve::using("trending").limit(10).explain())?;
/// assert_eq!(answer.results[0].id, "blue-train".into());
/// # Ok::<(), tidaldb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Database {
    shared: Arc<Shared>,
}

/// What all handles share.
///
/// Locks, in the order in which they may be taken: `writing`, `state`. A query holds `state` for reading from its first
/// step to its last: it sees every write as a whole or not at all.
struct Shared {
    schema: Arc<Schema>,
    store: Store,
    views: Arc<dyn FileSystem>,
    env: Env,
    /// One write at a time, from its check to the views' taking it in.
    writing: Mutex<()>,
    state: RwLock<State>,
    text: TextView,
    profiles: Vec<ResolvedProfile>,
    /// Position of the last checkpoint.
    checkpointed: AtomicU64,
    closed: AtomicBool,
    /// Set when the views could not take in what the log has: the message. Reopening heals it.
    stale: Mutex<Option<String>>,
    report: OpenReport,
    background: Mutex<Option<Box<dyn TurnHandle>>>,
}

/// What opening took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenReport {
    /// Events that the views took in after their last checkpoint.
    pub replayed: u64,
    /// Views that had to be made again, and why. Nothing is lost by that.
    pub rebuilt: Vec<String>,
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// Position in the log after the write.
    pub position: u64,
    /// Signals that were not counted because their idempotency key had been seen.
    pub duplicates: usize,
    /// Relations that were not written because there was nothing to change: one to be made was there, one to be ended was
    /// not.
    pub unchanged: usize,
    /// Parts of texts that were not indexed, and why.
    pub warnings: Vec<String>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("files", &self.env.files.describe()).finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the database in a directory, creating it with this schema if there is none. A schema that adds to the
    /// stored one is taken in place.
    ///
    /// # Errors
    /// `Invalid` if the directory holds no database and is not empty, naming a file of somebody else's; `Busy`, naming the process that holds it; `SchemaMismatch` with the difference; `Corrupt`, naming file and offset.
    pub fn open(directory: impl AsRef<Path>, schema: Schema, options: Options) -> Result<Database> {
        let directory = directory.as_ref();
        let env = kv0_env::local::env(directory).map_err(|error| {
            Error::new(ErrorKind::Unavailable, format!("cannot open {}: {error}", directory.display()))
        })?;
        Database::open_in(env, schema, options)
    }

    /// Opens a database in the root of `env.files`.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_in(env: Env, schema: Schema, options: Options) -> Result<Database> {
        root::check(&*env.files)?;
        let directory = |name| view::directory(&*env.files, name);
        let store = Store::open(Env { files: directory(root::STORE)?, ..env.clone() }, options.durable)?;
        let schema = Arc::new(settle_schema(&store, schema)?);
        let profiles = builtin().iter().map(|profile| profile.resolve(&*schema)).collect::<Result<_>>()?;
        let views = directory(root::VIEWS)?;
        let loaded = view::load(&store, &*views, directory(root::TEXT)?, &schema)?;
        let shared = Arc::new(Shared {
            schema,
            store,
            views,
            writing: Mutex::new(()),
            checkpointed: AtomicU64::new(loaded.state.position),
            state: RwLock::new(loaded.state),
            text: loaded.text,
            profiles,
            closed: AtomicBool::new(false),
            stale: Mutex::new(None),
            report: OpenReport { replayed: loaded.replayed, rebuilt: loaded.rebuilt },
            background: Mutex::new(None),
            env,
        });
        // What was replayed or made again is saved soon.
        if shared.report != OpenReport::default() {
            shared.checkpointed.store(0, Ordering::Release);
        }
        let work = Checkpoints(Arc::downgrade(&shared));
        *shared.background.lock() = Some(shared.env.turns.spawn("tidal-checkpoint", Box::new(work)));
        Ok(Database { shared })
    }

    /// A database in memory that is gone when the last handle is dropped. No file is made.
    ///
    /// # Errors
    /// None that a valid schema can cause.
    pub fn ephemeral(schema: Schema) -> Result<Database> {
        let (world, _controls) = memory::env(0);
        let clock = Arc::new(kv0_env::local::SystemClock::new());
        let env = Env { clock, ..world };
        Database::open_in(env, schema, Options::default())
    }

    /// The schema it was opened with, together with what was stored before.
    pub fn schema(&self) -> &Schema {
        &self.shared.schema
    }

    /// What opening took.
    pub fn opening(&self) -> &OpenReport {
        &self.shared.report
    }

    /// Makes all changes of a batch, or none. The next query, of anyone, sees them.
    ///
    /// # Errors
    /// `Invalid` or `NotFound`, naming the change and its field: nothing was written. `Unavailable`: as
    /// [`kv0::Db::write`].
    pub fn write(&self, batch: Batch) -> Result<Receipt> {
        self.shared.write(batch)
    }

    /// Writes an entity.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn put(&self, kind: Kind, entity: Entity) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Put(kind, entity)] })
    }

    /// Removes an entity.
    ///
    /// # Errors
    /// As [`Database::write`]; `NotFound` if there is none.
    pub fn delete(&self, kind: Kind, id: &Id) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Delete(kind, id.clone())] })
    }

    /// Makes a relation.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn relate(&self, relation: Relation) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Relate(relation)] })
    }

    /// Ends a relation.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn unrelate(&self, relation: Relation) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Unrelate(relation)] })
    }

    /// Records a signal.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn signal(&self, signal: Signal) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Signal(signal)] })
    }

    /// An entity as it was written, or `None`.
    pub fn get(&self, kind: Kind, id: &Id) -> Result<Option<Entity>> {
        let state = self.shared.open_state()?;
        let Some(row) = state.table(kind).live_row(id) else { return Ok(None) };
        let record = self.shared.record(kind, row)?;
        Ok(record.entity(|creator| state.table(Kind::Creator).id(creator).cloned()))
    }

    /// Ids of a kind in the order of their first write, from the `from`-th on, at most `limit`.
    pub fn list(&self, kind: Kind, from: usize, limit: usize) -> Result<Vec<Id>> {
        let state = self.shared.open_state()?;
        let table = state.table(kind);
        let rows = table.columns.live().iter().skip(from).take(limit);
        Ok(rows.filter_map(|row| table.id(Row(row)).cloned()).collect())
    }

    /// How many entities of a kind there are.
    pub fn count(&self, kind: Kind) -> Result<usize> {
        let count = self.shared.open_state()?.table(kind).columns.live().len();
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The targets of a user's relations of one kind, in the order of the targets' first write.
    ///
    /// # Errors
    /// `NotFound` if there is no such user.
    pub fn relations(&self, user: &Id, kind: RelationKind) -> Result<Vec<Id>> {
        let state = self.shared.open_state()?;
        let user = state.require(Kind::User, user, "user")?;
        let targets = state.relations.targets(user, kind);
        let table = state.table(kind.target_kind());
        Ok(targets.into_iter().flatten().filter_map(|row| table.id(Row(row)).cloned()).collect())
    }

    /// Users who have a relation of one kind to a target, such as the followers of a creator, in the order of their first
    /// write.
    ///
    /// # Errors
    /// `NotFound` if there is no such target.
    pub fn related_users(&self, kind: RelationKind, target: &Id) -> Result<Vec<Id>> {
        let state = self.shared.open_state()?;
        let target = state.require(kind.target_kind(), target, "target")?;
        let users = state.relations.sources(kind, target);
        let table = state.table(Kind::User);
        Ok(users.into_iter().flatten().filter_map(|row| table.id(Row(row)).cloned()).collect())
    }

    /// Names of the ranking profiles.
    pub fn profiles(&self) -> Vec<String> {
        self.shared.profiles.iter().map(|profile| profile.name.clone()).collect()
    }

    /// Items by a ranking profile.
    ///
    /// # Errors
    /// `Invalid` or `NotFound`, naming the field.
    pub fn retrieve(&self, request: &Retrieve) -> Result<Answer> {
        let profile = self.shared.profile(&request.profile)?;
        let with_window = request.window.map(|window| profile.with_window(window));
        let plan = Plan {
            profile: with_window.as_ref().unwrap_or(profile),
            user: request.user.as_ref(),
            filter: request.filter.as_ref(),
            similar_to: request.similar_to.as_ref(),
            exclude: &request.exclude,
            diversity: request.diversity,
            words: None,
            limit: request.limit,
            explain: request.explain,
        };
        self.shared.run(&plan)
    }

    /// Items by words.
    ///
    /// # Errors
    /// `Invalid` or `NotFound`, naming the field; for a strict query with the byte in it.
    pub fn search(&self, request: &Search) -> Result<Answer> {
        let parsing = if request.strict { Parsing::Strict } else { Parsing::Lenient };
        let plan = Plan {
            profile: self.shared.profile(&request.profile)?,
            user: request.user.as_ref(),
            filter: request.filter.as_ref(),
            similar_to: None,
            exclude: &[],
            diversity: request.diversity,
            words: Some((&request.query, parsing)),
            limit: request.limit,
            explain: request.explain,
        };
        self.shared.run(&plan)
    }

    /// Saves the views, so that the next open has little to catch up.
    ///
    /// # Errors
    /// `Unavailable` if the disk fails; the checkpoint before stays in force.
    pub fn checkpoint(&self) -> Result<()> {
        self.shared.checkpoint()
    }

    /// Compares every view with the log and every stored byte with its checksum. Nothing is written meanwhile.
    ///
    /// # Errors
    /// `Corrupt`, naming the first disagreement.
    pub fn check(&self) -> Result<()> {
        self.shared.check()
    }

    /// Checkpoints and ends the handle and its clones. Closing twice is no error.
    pub fn close(&self) -> Result<()> {
        self.shared.close()
    }
}

/// The schema to run with: the stored one and what the given one adds.
fn settle_schema(store: &Store, given: Schema) -> Result<Schema> {
    let Some(stored) = store.meta.get(keys::SCHEMA)? else {
        store.meta.put(keys::SCHEMA, given.encode())?;
        return Ok(given);
    };
    let stored = Schema::decode(&stored)?;
    let schema = Schema::extend(&stored, &given)?;
    if schema.fingerprint() != stored.fingerprint() {
        store.meta.put(keys::SCHEMA, schema.encode())?;
    }
    Ok(schema)
}

impl Shared {
    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::Closed, "the database was closed"));
        }
        if let Some(stale) = &*self.stale.lock() {
            return Err(Error::new(
                ErrorKind::Unavailable,
                format!("the database must be reopened: {stale}"),
            ));
        }
        Ok(())
    }

    /// The state, for reading. It is checked once it is held: a write may have failed in the middle while this waited.
    fn open_state(&self) -> Result<RwLockReadGuard<'_, State>> {
        let state = self.state.read();
        self.check_open()?;
        Ok(state)
    }

    fn now(&self) -> Timestamp {
        Timestamp(self.env.clock.unix_micros())
    }

    fn profile(&self, name: &str) -> Result<&ResolvedProfile> {
        self.profiles.iter().find(|profile| profile.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.profiles.iter().map(|profile| profile.name.as_str()).collect();
            Error::not_found(
                "profile",
                format!("there is no profile {name:?}; there are {}", names.join(", ")),
            )
        })
    }

    fn record(&self, kind: Kind, row: Row) -> Result<EntityRecord> {
        let stored = self.store.entities(kind).get(keys::entity(row))?;
        let stored =
            stored.ok_or_else(|| Error::corrupt(format!("{kind} of row {} is not stored", row.0)))?;
        decode(&stored, &format!("{kind} of row {}", row.0))
    }

    fn write(&self, batch: Batch) -> Result<Receipt> {
        let receipt = {
            let _writing = self.writing.lock();
            self.check_open()?;
            let prepared = Writer::new(&self.state.read(), &self.store, self.now()).prepare(batch)?;
            let position = self.store.commit(to_commit(&self.store, &prepared.records))?;
            let warnings = self.apply(&prepared.records, position)?;
            let Prepared { duplicates, unchanged, .. } = prepared;
            Receipt { position, duplicates, unchanged, warnings }
        };
        // Outside of the lock, so that one sync serves all writes that came meanwhile.
        self.store.make_durable()?;
        Ok(receipt)
    }

    /// Lets the views take in what was committed, all at once for every query.
    fn apply(&self, records: &[Record], position: u64) -> Result<Vec<String>> {
        let mut state = self.state.write();
        let warnings = self.apply_to(&mut state, records).inspect_err(|error| {
            // The log has it and the views have a part at most: nothing may be answered or saved of them any more.
            // Noted before the state is let go, so that whoever waits for it finds the note.
            *self.stale.lock() = Some(error.to_string());
        })?;
        state.position = position;
        Ok(warnings)
    }

    fn apply_to(&self, state: &mut State, records: &[Record]) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        for record in records {
            state.apply(record)?;
            if let Record::Entity(Kind::Item, row, entity) = record {
                warnings.extend(self.text.apply(*row, entity)?);
            }
        }
        Ok(warnings)
    }

    fn run(&self, plan: &Plan<'_>) -> Result<Answer> {
        let state = self.open_state()?;
        let labels = StoredLabels { shared: self, state: &state };
        retrieve::run(&state, &self.text.index, self.now(), plan, &labels)
    }

    fn checkpoint(&self) -> Result<()> {
        let _writing = self.writing.lock();
        let state = self.open_state()?;
        self.save(&state)
    }

    /// Saves the views as of the state. Its caller holds `writing`, so that the text index does not run ahead of it.
    fn save(&self, state: &State) -> Result<()> {
        if self.checkpointed.load(Ordering::Acquire) == state.position {
            return Ok(());
        }
        // A view must not be ahead of the log after a power cut.
        self.store.db.sync()?;
        checkpoint::save(&*self.views, state.position, self.schema.fingerprint(), &state.events)?;
        self.text.checkpoint(&self.store, state.position)?;
        self.checkpointed.store(state.position, Ordering::Release);
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let _writing = self.writing.lock();
        let state = self.open_state()?;
        state.check_invariants()?;
        let report = self.store.db.check()?;
        if let Some(damage) = report.damage.first() {
            return Err(Error::corrupt(damage.to_string()));
        }
        let rebuilt = view::rebuild_events(&self.store, &self.schema)?;
        let encode = |events| checkpoint::encode(0, 0, events);
        if encode(&rebuilt) != encode(&state.events) {
            return Err(Error::corrupt("the view of events differs from the log"));
        }
        self.text.check(&state, |row| self.record(Kind::Item, row))
    }

    fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        drop(self.background.lock().take());
        let saved = {
            let _writing = self.writing.lock();
            let state = self.state.read();
            if self.stale.lock().is_some() { Ok(()) } else { self.save(&state) }
        };
        let closed = self.store.db.close().map_err(Error::from);
        saved.and(closed)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Whoever wants to know whether the last checkpoint worked calls `close`. Nothing acknowledged depends on it.
        drop(self.close());
    }
}

/// Saves the views when it is given turns.
struct Checkpoints(std::sync::Weak<Shared>);

impl Background for Checkpoints {
    fn turn(&mut self) -> Turn {
        let Some(shared) = self.0.upgrade() else { return Turn::Done };
        // A checkpoint that failed is tried again with the next turn; the log has everything.
        drop(shared.checkpoint());
        Turn::IdleFor(CHECKPOINT_INTERVAL)
    }
}

/// Labels out of the stored entities.
struct StoredLabels<'a> {
    shared: &'a Shared,
    state: &'a State,
}

impl Labels for StoredLabels<'_> {
    fn label(&self, kind: Kind, row: Row) -> Result<String> {
        let fields = self.shared.schema.fields(kind);
        let name = fields.iter().find(|field| field.of == FieldType::Text).map(|field| field.name.as_str());
        let content = self.shared.record(kind, row)?.content;
        let text = content.as_ref().zip(name).and_then(|(content, name)| content.metadata.get(name));
        Ok(match (text, self.state.table(kind).id(row)) {
            (Some(crate::Value::Text(text)), _) => text.clone(),
            (_, Some(Id::Text(id))) => id.clone(),
            (_, Some(id)) => format!("{kind} {id}"),
            (_, None) => format!("an unknown {kind}"),
        })
    }
}

#[cfg(test)]
mod tests;
