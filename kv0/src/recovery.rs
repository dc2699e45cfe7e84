//! Opening.
//!
//! 1. Take the lock (for writing), read the manifest, or write the first one.
//! 2. Read the headers of the lane's chunks; replay those that hold keys which are in no segment.
//! 3. Find the end of the last chunk: a torn tail is cut, damage is an error.
//! 4. For writing, go on at that end.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64};

use kv0_env::{Env, FileLock, FileSystem, LockError};
use parking_lot::{Condvar, Mutex, RwLock};

use crate::cache::Cache;
use crate::engine::{Chunk, Engine, Log};
use crate::entry::Version;
use crate::error::{Error, ErrorKind, Result};
use crate::flush::Flusher;
use crate::lane::format::FrameKind;
use crate::lane::{self, ChunkReader, LaneWriter, Tail};
use crate::limits;
use crate::manifest::{Lane, Manifest, ManifestStore};
use crate::memtable::Memtable;
use crate::moment::utc;
use crate::options::{Mode, Options};
use crate::read_path::ReadView;
use crate::segment::{Segment, segment_path};
use crate::write_path::{SyncGroup, insert};

const LOCK: &str = "LOCK";

/// What the log held.
struct Replayed {
    memtable: Memtable,
    chunks: Vec<Chunk>,
    /// Sequence of the newest commit.
    sequence: u64,
    /// Where the last chunk ends; `None` if there is no chunk.
    tail: Option<Tail>,
    /// Bytes of the commits that are in no segment.
    unflushed_bytes: usize,
    /// Whether the last frame is a marker, or there is no frame to mark.
    marked: bool,
}

impl Engine {
    /// Opens a database.
    pub(crate) fn open(env: Env, options: Options) -> Result<Arc<Engine>> {
        check_options(&options)?;
        let lock = match options.mode {
            Mode::Exclusive => Some(take_lock(&env)?),
            Mode::Read => None,
        };
        let (store, replayed) = match options.mode {
            Mode::Exclusive => load(&env, options.mode)?,
            Mode::Read => look_beside_a_writer(|| load(&env, Mode::Read))?,
        };
        let writer = match options.mode {
            Mode::Exclusive => Some(open_writer(&env, store.manifest(), &replayed)?),
            Mode::Read => None,
        };
        let engine = assemble(env, options, store, replayed, writer, lock);
        if engine.options.mode == Mode::Exclusive {
            let manifest = engine.manifest.lock().manifest().clone();
            engine.remove_leftovers(&manifest)?;
            let flusher = engine.env.turns.spawn("kv0-flush", Box::new(Flusher(Arc::downgrade(&engine))));
            *engine.flusher.lock() = Some(flusher);
        }
        Ok(engine)
    }
}

fn check_options(options: &Options) -> Result<()> {
    if !limits::MEMORY_BUDGET_BYTES.contains(&options.memory_budget) {
        return Err(Error::invalid(format!(
            "memory_budget is {} bytes; it must be from {} to {}",
            options.memory_budget,
            limits::MEMORY_BUDGET_BYTES.start(),
            limits::MEMORY_BUDGET_BYTES.end()
        )));
    }
    Ok(())
}

fn take_lock(env: &Env) -> Result<Box<dyn FileLock>> {
    let owner = format!("process {} since {}", std::process::id(), utc(env.clock.unix_micros()));
    env.files.lock(LOCK, &owner).map_err(|error| match error {
        LockError::Held(holder) => Error::new(
            ErrorKind::Busy,
            format!("{} is open for writing elsewhere: {holder}", env.files.describe()),
        ),
        LockError::Io(error) => Error::io("lock", LOCK, error),
    })
}

fn load(env: &Env, mode: Mode) -> Result<(ManifestStore, Replayed)> {
    let store = load_manifest(env, mode)?;
    let replayed = replay(&*env.files, store.manifest())?;
    if mode == Mode::Exclusive {
        store.sync_names()?;
    }
    Ok((store, replayed))
}

/// Looks at the files without a lock. A writer may replace the manifest and remove what only the old one names between
/// two looks, and that looks like damage. Damage says the same at the next look, and the writer's steps do not.
pub(crate) fn look_beside_a_writer<T>(mut look: impl FnMut() -> Result<T>) -> Result<T> {
    let mut before = None;
    for _ in 1..limits::READ_ATTEMPTS {
        match look() {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                let text = error.to_string();
                if before.replace(text.clone()) == Some(text) {
                    return Err(error);
                }
            }
            other => return other,
        }
    }
    look()
}

fn load_manifest(env: &Env, mode: Mode) -> Result<ManifestStore> {
    if let Some(mut store) = ManifestStore::load(&env.files)? {
        // A crash right after the creation can leave a database without a lane.
        if mode == Mode::Exclusive && store.manifest().lanes.is_empty() {
            let id = env.random.next_u64();
            store.replace(|next| next.lanes.push(Lane { id, first_chunk: 1, flushed: 0 }))?;
        }
        return Ok(store);
    }
    if mode == Mode::Read {
        return Err(Error::invalid(format!("there is no database in {}", env.files.describe())));
    }
    let mut store = ManifestStore::create(&env.files, env.random.next_u64())?;
    let id = env.random.next_u64();
    store.replace(|next| next.lanes.push(Lane { id, first_chunk: 1, flushed: 0 }))?;
    Ok(store)
}

/// Reads the log as far as it is needed: all headers, and the frames of the chunks that are not flushed.
fn replay(files: &dyn FileSystem, manifest: &Manifest) -> Result<Replayed> {
    let mut replayed = Replayed {
        memtable: Memtable::new(),
        chunks: Vec::new(),
        sequence: manifest.trimmed.max(manifest.lanes.iter().map(|lane| lane.flushed).max().unwrap_or(0)),
        tail: None,
        unflushed_bytes: 0,
        marked: true,
    };
    for lane in &manifest.lanes {
        replay_lane(files, lane, &mut replayed)?;
    }
    Ok(replayed)
}

fn replay_lane(files: &dyn FileSystem, lane: &Lane, replayed: &mut Replayed) -> Result<()> {
    let numbers = chunk_numbers(files, lane)?;
    let mut following = match numbers.first() {
        Some(&number) => Some(open_chunk(files, lane, number)?),
        None => None,
    };
    // Two chunks are open at a time, however many there are.
    for &number in &numbers {
        let mut reader = following.take().expect("the chunk before opened this one");
        if number < *numbers.last().expect("there is this one") {
            following = Some(open_chunk(files, lane, number + 1)?);
        }
        let next = following.as_ref().map(|next| *next.header());
        let reader = &mut reader;
        let header = *reader.header();
        if let Some(next) = next {
            reader.set_limit(next.previous_bytes);
        }
        let is_flushed = next.is_some_and(|next| next.first_sequence <= lane.flushed + 1);
        if !is_flushed {
            replay_chunk(reader, lane.flushed, replayed)?;
        }
        let bytes = match next {
            Some(next) => next.previous_bytes,
            None => reader.offset(),
        };
        replayed.chunks.push(Chunk { number: header.number, first_sequence: header.first_sequence, bytes });
        match next {
            Some(next) if !is_flushed && reader.offset() != next.previous_bytes => {
                let what = format!(
                    "expected a commit, as the chunk goes on to offset {}, found bytes that fail their checksum",
                    next.previous_bytes
                );
                return Err(Error::corrupt(reader.path(), reader.offset(), what));
            }
            Some(_) => {}
            None => {
                reader.classify_end()?;
                replayed.sequence = replayed.sequence.max(header.first_sequence.saturating_sub(1));
                let (incarnation, bytes) = (reader.incarnation(), reader.offset());
                let durable_bytes = reader.durable_bytes();
                replayed.tail = Some(Tail { header, incarnation, bytes, durable_bytes });
            }
        }
    }
    Ok(())
}

fn open_chunk(files: &dyn FileSystem, lane: &Lane, number: u64) -> Result<ChunkReader> {
    let path = lane::chunk_path(lane.id, number);
    let reader = ChunkReader::open(files, &path, None)?;
    let header = reader.header();
    if (header.lane, header.number) != (lane.id, number) {
        let what = format!(
            "expected chunk {number} of lane {:016x}, found chunk {} of lane {:016x}",
            lane.id, header.number, header.lane
        );
        return Err(Error::corrupt(&path, 16, what));
    }
    Ok(reader)
}

/// Puts the commits of a chunk that are in no segment into the memtable.
fn replay_chunk(reader: &mut ChunkReader, flushed: u64, replayed: &mut Replayed) -> Result<()> {
    let path = reader.path().to_owned();
    while let Some(frame) = reader.next_frame()? {
        let header = frame.header;
        replayed.marked = header.kind == FrameKind::Marker;
        replayed.sequence = replayed.sequence.max(header.sequence);
        if header.kind == FrameKind::Commit && header.sequence > flushed {
            replayed.unflushed_bytes += header.frame_bytes as usize;
            insert(&replayed.memtable, Version(header.sequence), frame.body)
                .map_err(|what| Error::corrupt(&path, frame.offset, what))?;
        }
    }
    Ok(())
}

/// Numbers of the chunks of a lane that the manifest counts, without a gap.
fn chunk_numbers(files: &dyn FileSystem, lane: &Lane) -> Result<Vec<u64>> {
    let dir = lane::directory(lane.id);
    let entries = match files.list(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Error::io("list", &dir, error)),
    };
    let numbers: Vec<u64> = entries
        .iter()
        .filter_map(|entry| lane::chunk_number(&entry.name))
        .filter(|&number| number >= lane.first_chunk)
        .collect();
    // A lane that has flushed anything has a chunk, and the first one of all can be missing only before it was made.
    let may_be_empty = lane.first_chunk == 1 && lane.flushed == 0;
    let mut expected = lane.first_chunk;
    for &number in &numbers {
        if number != expected {
            break;
        }
        expected += 1;
    }
    let is_complete = expected == lane.first_chunk + numbers.len() as u64;
    if !is_complete || (numbers.is_empty() && !may_be_empty) {
        return Err(Error::corrupt(
            &lane::chunk_path(lane.id, expected),
            0,
            "this chunk of the log is missing",
        ));
    }
    Ok(numbers)
}

fn open_writer(env: &Env, manifest: &Manifest, replayed: &Replayed) -> Result<LaneWriter> {
    let (files, random) = (Arc::clone(&env.files), Arc::clone(&env.random));
    match replayed.tail {
        Some(tail) => LaneWriter::resume(files, random, tail),
        None => LaneWriter::create(files, random, manifest.lanes[0].id, replayed.sequence + 1),
    }
}

fn assemble(
    env: Env,
    options: Options,
    store: ManifestStore,
    replayed: Replayed,
    writer: Option<LaneWriter>,
    lock: Option<Box<dyn FileLock>>,
) -> Arc<Engine> {
    let cache = Arc::new(Cache::new(options.memory_budget / 2));
    let memtable = Arc::new(replayed.memtable);
    let segments = store.manifest().segments.iter().map(|segment| {
        let (files, info) = (Arc::clone(&env.files), segment.info.clone());
        Arc::new(Segment::new(files, segment_path(info.id), info, Arc::clone(&cache)))
    });
    let view = ReadView::new(vec![Arc::clone(&memtable)], segments.collect());
    let mut chunks = replayed.chunks;
    if let (true, Some(writer)) = (chunks.is_empty(), &writer) {
        let header = writer.header();
        chunks.push(Chunk {
            number: header.number,
            first_sequence: header.first_sequence,
            bytes: writer.bytes(),
        });
    }
    let log = Log {
        lane: store.manifest().lanes.first().map_or(0, |lane| lane.id),
        writer,
        sequence: replayed.sequence,
        unflushed_bytes: replayed.unflushed_bytes,
        frozen_sequence: 0,
        memtable,
        chunks,
        marked: replayed.marked,
    };
    Arc::new(Engine {
        database: store.manifest().database,
        trimmed: AtomicU64::new(store.manifest().trimmed),
        manifest: Mutex::new(store),
        log: Mutex::new(log),
        view: RwLock::new(Arc::new(view)),
        visible: AtomicU64::new(replayed.sequence),
        sync_group: SyncGroup::default(),
        arrivals: (Mutex::new(()), Condvar::new()),
        flushed: (Mutex::new(()), Condvar::new()),
        closed: AtomicBool::new(false),
        poison: OnceLock::new(),
        flusher: Mutex::new(None),
        lock: Mutex::new(lock),
        env,
        options,
        cache,
    })
}
