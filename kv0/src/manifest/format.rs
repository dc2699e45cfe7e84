//! The bytes of a manifest and of `CURRENT`.

use super::{Lane, LeveledSegment, Manifest, StreamState};
use crate::encoding::{Damage, Input, put_block};
use crate::error::{Error, Result};
use crate::limits;
use crate::segment::SegmentInfo;

/// First bytes of a manifest.
pub(crate) const MAGIC: [u8; 8] = *b"kv0manif";
/// Version of the format that is written.
pub(crate) const VERSION: u32 = 1;
/// Magic, version, checksum of the body, length of the body.
pub(crate) const HEADER_BYTES: usize = 24;

pub(crate) fn encode(manifest: &Manifest) -> Vec<u8> {
    let mut body = Vec::new();
    for number in [manifest.database, manifest.number, manifest.next_segment, manifest.trimmed] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    count(&mut body, manifest.lanes.len());
    for lane in &manifest.lanes {
        for number in [lane.id, lane.first_chunk, lane.flushed] {
            body.extend_from_slice(&number.to_le_bytes());
        }
    }
    count(&mut body, manifest.keyspaces.len());
    for (id, name) in &manifest.keyspaces {
        body.extend_from_slice(&id.to_le_bytes());
        put_block(&mut body, name.as_bytes());
    }
    count(&mut body, manifest.streams.len());
    for (id, stream) in &manifest.streams {
        body.extend_from_slice(&id.to_le_bytes());
        body.extend_from_slice(&stream.trimmed.to_le_bytes());
        put_block(&mut body, stream.name.as_bytes());
    }
    count(&mut body, manifest.segments.len());
    for segment in &manifest.segments {
        body.extend_from_slice(&segment.level.to_le_bytes());
        let mut info = Vec::new();
        segment.info.encode(&mut info);
        put_block(&mut body, &info);
    }
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&checksum(VERSION, &body).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// Reads a manifest; `file` is named in errors.
pub(crate) fn decode(bytes: &[u8], file: &str) -> Result<Manifest> {
    if bytes.len() < HEADER_BYTES || bytes[..8] != MAGIC {
        return Err(Error::corrupt(file, 0, "this is not a manifest: its first bytes are wrong"));
    }
    let mut header = Input::new(&bytes[8..HEADER_BYTES]);
    let at_start = |damage: Damage| Error::corrupt(file, 8, damage);
    let (version, expected) = (header.u32().map_err(at_start)?, header.u32().map_err(at_start)?);
    let length = header.u64().map_err(at_start)?;
    let body = &bytes[HEADER_BYTES..];
    if length != body.len() as u64 {
        let what = format!("the body of the manifest: expected {length} bytes, found {}", body.len());
        return Err(Error::corrupt(file, 16, what));
    }
    let found = checksum(version, body);
    if expected != found {
        let what = format!("checksum of the manifest: expected {expected:08x}, found {found:08x}");
        return Err(Error::corrupt(file, 12, what));
    }
    if version != VERSION {
        return Err(Error::invalid(format!(
            "{file} has format version {version}; this build reads version {VERSION}: use a newer build"
        )));
    }
    let mut fields = Input::new(body);
    let manifest = decode_body(&mut fields, file)?;
    if !fields.is_empty() {
        return Err(Error::corrupt(file, HEADER_BYTES as u64, "bytes are left after the manifest"));
    }
    manifest.check_invariants().map_err(|what| Error::corrupt(file, HEADER_BYTES as u64, what))?;
    Ok(manifest)
}

fn decode_body(fields: &mut Input<'_>, file: &str) -> Result<Manifest> {
    let short = |damage: Damage| Error::corrupt(file, HEADER_BYTES as u64, damage);
    let mut manifest = Manifest::empty(fields.u64().map_err(short)?);
    manifest.number = fields.u64().map_err(short)?;
    manifest.next_segment = fields.u64().map_err(short)?;
    manifest.trimmed = fields.u64().map_err(short)?;
    for _ in 0..fields.u32().map_err(short)? {
        let mut number = || fields.u64().map_err(short);
        manifest.lanes.push(Lane { id: number()?, first_chunk: number()?, flushed: number()? });
    }
    for _ in 0..fields.u32().map_err(short)? {
        let id = fields.u32().map_err(short)?;
        let name = text(fields.block().map_err(short)?, file)?;
        manifest.keyspaces.insert(id, name);
    }
    for _ in 0..fields.u32().map_err(short)? {
        let id = fields.u32().map_err(short)?;
        let trimmed = fields.u64().map_err(short)?;
        let name = text(fields.block().map_err(short)?, file)?;
        manifest.streams.insert(id, StreamState { name, trimmed });
    }
    for _ in 0..fields.u32().map_err(short)? {
        let level = fields.u32().map_err(short)?;
        let info = SegmentInfo::decode(fields.block().map_err(short)?)
            .map_err(|error| Error::corrupt(file, HEADER_BYTES as u64, error))?;
        manifest.segments.push(LeveledSegment { level, info });
    }
    Ok(manifest)
}

/// The content of `CURRENT`: a name, and a checksum that a changed byte does not pass.
pub(crate) fn encode_current(number: u64) -> String {
    let name = manifest_name(number);
    format!("{name} {:08x}\n", crc32fast::hash(name.as_bytes()))
}

/// The number of the manifest that `CURRENT` names.
pub(crate) fn decode_current(bytes: &[u8]) -> Result<u64> {
    let wrong = || {
        let found = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        Error::corrupt(
            "CURRENT",
            0,
            format!("expected the name of a manifest and its checksum, found {found:?}"),
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
    let digits = text.strip_prefix("MANIFEST-").and_then(|rest| rest.split(' ').next()).ok_or_else(wrong)?;
    let number = digits.parse().map_err(|_| wrong())?;
    if encode_current(number) == text { Ok(number) } else { Err(wrong()) }
}

/// The file of a manifest.
pub(crate) fn manifest_name(number: u64) -> String {
    format!("MANIFEST-{number:016}")
}

fn checksum(version: u32, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&version.to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}

fn count(out: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).expect("a manifest lists far fewer than 4 billion things");
    out.extend_from_slice(&count.to_le_bytes());
}

fn text(bytes: &[u8], file: &str) -> Result<String> {
    if bytes.len() > limits::MAX_NAME_BYTES {
        return Err(Error::corrupt(
            file,
            HEADER_BYTES as u64,
            "a name in the manifest is longer than names can be",
        ));
    }
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Error::corrupt(file, HEADER_BYTES as u64, "a name in the manifest is not UTF-8"))
}
