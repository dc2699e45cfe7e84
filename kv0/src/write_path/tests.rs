//! What a thread meets that was overtaken by another between two steps.

use kv0_env::memory;

use crate::engine::Engine;
use crate::{ErrorKind, Options};

/// A commit or a flush may wait for the log's lock while another thread closes the database. The lane is then the next
/// process's: a chunk begun here would stand in the way of the one that it begins.
#[test]
fn no_chunk_is_begun_after_closing() {
    let (env, world) = memory::env(1);
    let engine = Engine::open(env, Options::default()).unwrap();
    engine.close().unwrap();
    let before = world.files.operations();
    let error = engine.freeze(&mut engine.log.lock()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(world.files.operations(), before, "nothing may be asked of the files any more");
}
