//! Keyspaces and streams by name.

use crate::changes::Position;
use crate::engine::Engine;
use crate::entry::{KeyspaceId, StreamId};
use crate::error::{Error, Result};
use crate::limits;
use crate::manifest::StreamState;

impl Engine {
    /// The number of a keyspace, which is created if there is none.
    pub(crate) fn keyspace(&self, name: &str) -> Result<KeyspaceId> {
        self.check_open()?;
        check_name("keyspace", name)?;
        let mut manifest = self.manifest.lock();
        let known = &manifest.manifest().keyspaces;
        if let Some((id, _)) = known.iter().find(|(_, known)| *known == name) {
            return Ok(KeyspaceId(*id));
        }
        let id = next_id("keyspace", name, known.len(), known.keys().last())?;
        self.check_writable()?;
        manifest.replace(|next| drop(next.keyspaces.insert(id, name.to_owned())))?;
        Ok(KeyspaceId(id))
    }

    /// The number of a stream, which is created if there is none.
    pub(crate) fn stream(&self, name: &str) -> Result<StreamId> {
        self.check_open()?;
        check_name("stream", name)?;
        let mut manifest = self.manifest.lock();
        let known = &manifest.manifest().streams;
        if let Some((id, _)) = known.iter().find(|(_, known)| known.name == name) {
            return Ok(StreamId(*id));
        }
        let id = next_id("stream", name, known.len(), known.keys().last())?;
        self.check_writable()?;
        let state = StreamState { name: name.to_owned(), trimmed: 0 };
        manifest.replace(|next| drop(next.streams.insert(id, state)))?;
        Ok(StreamId(id))
    }

    /// Up to where a stream was trimmed.
    pub(crate) fn stream_trimmed(&self, stream: StreamId) -> u64 {
        self.manifest.lock().manifest().streams.get(&stream.0).map_or(0, |state| state.trimmed)
    }

    /// Gives up the records of a stream up to a position.
    pub(crate) fn trim(&self, stream: StreamId, before: Position) -> Result<()> {
        self.check_writable()?;
        let newest = self.log.lock().sequence;
        if before.0 > newest {
            let before = before.0;
            return Err(Error::invalid(format!(
                "cannot trim up to position {before}: the newest commit has {newest}"
            )));
        }
        let mut manifest = self.manifest.lock();
        if manifest.manifest().streams.get(&stream.0).is_some_and(|state| state.trimmed >= before.0) {
            return Ok(());
        }
        // What the trim refers to must not be lost by a power cut that the trim survives.
        self.sync()?;
        manifest.replace(|next| {
            if let Some(state) = next.streams.get_mut(&stream.0) {
                state.trimmed = before.0;
            }
        })
    }
}

fn check_name(what: &str, name: &str) -> Result<()> {
    let length = name.len();
    if name.is_empty() || length > limits::MAX_NAME_BYTES {
        let most = limits::MAX_NAME_BYTES;
        return Err(Error::invalid(format!(
            "the name of a {what} has 1 to {most} bytes; this one has {length}"
        )));
    }
    Ok(())
}

fn next_id(what: &str, name: &str, count: usize, last: Option<&u32>) -> Result<u32> {
    if count >= limits::MAX_NAMES {
        return Err(Error::invalid(format!(
            "cannot create {what} {name:?}: there are {count}, the most there can be"
        )));
    }
    Ok(last.map_or(1, |last| last + 1))
}
