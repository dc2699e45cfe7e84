//! The checkpoint of the events' part of the state: one file, replaced atomically. `docs/format/tidal.md` describes it.

use std::collections::BTreeMap;

use kv0_env::FileSystem;

use crate::error::{Error, ErrorKind, Result};
use crate::id::Kind;
use crate::schema::Schema;
use crate::signal::SignalTable;
use crate::state::{EventState, decays};
use crate::user::{StoredUser, UserState};

/// First bytes of a checkpoint.
pub(crate) const MAGIC: [u8; 8] = *b"tidalckp";
/// Version of the format that is written.
pub(crate) const VERSION: u32 = 1;
/// Magic, version, checksum of the rest.
pub(crate) const HEADER_BYTES: usize = 16;

const FILE: &str = "events.checkpoint";
const DRAFT: &str = "events.checkpoint.tmp";

/// Saves the state as of `position`. The log must be durable up to there.
pub(crate) fn save(
    files: &dyn FileSystem,
    position: u64,
    fingerprint: u64,
    events: &EventState,
) -> Result<()> {
    let bytes = encode(position, fingerprint, events);
    let failed = |error| unavailable("write", &error);
    if files.size(DRAFT).map_err(failed)?.is_some() {
        files.remove(DRAFT).map_err(failed)?;
    }
    let file = files.create_new(DRAFT).map_err(failed)?;
    file.write_at(&bytes, 0).map_err(failed)?;
    file.sync().map_err(failed)?;
    files.rename(DRAFT, FILE).map_err(failed)?;
    files.sync_dir("").map_err(failed)
}

/// The saved state and its position, if there is one for this schema. The text says why one that is there is of no use:
/// it can be made again of the log.
pub(crate) fn load(files: &dyn FileSystem, schema: &Schema) -> Result<Option<(u64, EventState)>, String> {
    let file = match files.open_read(FILE) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{FILE}: {error}")),
    };
    let size = file.size().map_err(|error| format!("{FILE}: {error}"))?;
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| format!("{FILE}: too large"))?];
    file.read_exact_at(&mut bytes, 0).map_err(|error| format!("{FILE}: {error}"))?;
    decode(&bytes, schema)
}

pub(crate) fn encode(position: u64, fingerprint: u64, events: &EventState) -> Vec<u8> {
    let mut body = Vec::new();
    for number in [position, fingerprint, events.count] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    for kind in [Kind::Item, Kind::User, Kind::Creator] {
        put_block(&mut body, &events.signals(kind).encode());
    }
    let users: BTreeMap<u32, StoredUser> =
        events.users.iter().map(|(&user, state)| (user, state.to_stored())).collect();
    put_block(
        &mut body,
        &postcard::to_allocvec(&users).expect("user states hold nothing that cannot be stored"),
    );
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

pub(crate) fn decode(bytes: &[u8], schema: &Schema) -> Result<Option<(u64, EventState)>, String> {
    let (header, body) =
        bytes.split_at_checked(HEADER_BYTES).ok_or_else(|| format!("{FILE}, offset 0: too short"))?;
    let (version, checksum) = (number32(&header[8..12]), number32(&header[12..16]));
    if header[..8] != MAGIC || version != VERSION {
        return Err(format!("{FILE}, offset 0: not a checkpoint of version {VERSION}"));
    }
    let found = crc32fast::hash(body);
    if checksum != found {
        return Err(format!("{FILE}, offset 12: checksum: expected {checksum:08x}, found {found:08x}"));
    }
    let short = || format!("{FILE}: ends too soon");
    let (numbers, mut rest) = body.split_at_checked(24).ok_or_else(short)?;
    let [position, fingerprint, count] =
        [0, 8, 16].map(|at| u64::from_le_bytes(numbers[at..at + 8].try_into().expect("eight bytes")));
    if fingerprint != schema.fingerprint() {
        return Ok(None);
    }
    let decays = decays(schema);
    let mut table = || -> Result<SignalTable, String> {
        SignalTable::decode(&decays, take_block(&mut rest).ok_or_else(short)?)
            .map_err(|error| format!("{FILE}: {error}"))
    };
    let signals = [table()?, table()?, table()?];
    let users = take_block(&mut rest).ok_or_else(short)?;
    let users: BTreeMap<u32, StoredUser> =
        postcard::from_bytes(users).map_err(|error| format!("{FILE}: user states: {error}"))?;
    let users = users.into_iter().map(|(user, stored)| (user, UserState::from_stored(stored))).collect();
    Ok(Some((position, EventState::from_parts(count, signals, users))))
}

fn put_block(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn take_block<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_at_checked(8)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    let (block, after) = after.split_at_checked(length)?;
    *rest = after;
    Some(block)
}

fn number32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

fn unavailable(doing: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("cannot {doing} {FILE}: {error}"))
}
