//! The disk of these tests: the world in memory, with what they do to it.

use std::io;
use std::sync::Arc;

use kv0_env::FileSystem;
use kv0_env::memory::{Failure, MemoryFileSystem};

#[derive(Debug)]
pub(super) struct TestFiles {
    disk: Arc<MemoryFileSystem>,
}

impl TestFiles {
    pub(super) fn new() -> Arc<TestFiles> {
        Arc::new(TestFiles { disk: MemoryFileSystem::new() })
    }

    /// What a restart finds if the power fails now. This disk goes on.
    pub(super) fn crash(&self) -> Arc<TestFiles> {
        self.crash_with(1)
    }

    /// One of the states that a power cut may leave, chosen by the seed.
    pub(super) fn crash_with(&self, seed: u64) -> Arc<TestFiles> {
        let disk = self.disk.fork();
        disk.clear_failures();
        disk.power_cut(seed);
        Arc::new(TestFiles { disk })
    }

    /// Lets so many calls succeed and then none.
    pub(super) fn fail_after(&self, calls: u64) {
        self.disk.fail_at(self.disk.operations() + 1 + calls, Failure::from_then_on(io::ErrorKind::Other));
    }

    pub(super) fn heal(&self) {
        self.disk.clear_failures();
    }

    pub(super) fn file_names(&self) -> Vec<String> {
        self.disk.files().into_iter().map(|(name, _)| name).collect()
    }

    pub(super) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = self.disk.read_all(name).unwrap();
        change(&mut bytes);
        self.disk.write_all(name, &bytes).unwrap();
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        self.disk.write_all(name, bytes).unwrap();
    }
}

/// The disk as a process sees it.
pub(super) fn shared(files: &Arc<TestFiles>) -> Arc<dyn FileSystem> {
    files.disk.process()
}
