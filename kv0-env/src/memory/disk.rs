//! The state of the disk in memory. One lock guards it, so each call is atomic to other threads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

use super::content::{Content, Tendency};
use super::failure::{Effect, Failures};
use super::names::{Entry, Inode, Names};
use crate::generator::Generator;
use crate::path::ancestors;

/// Which process a handle belongs to: how many died before it.
pub(super) type Process = u64;

#[derive(Clone, Default)]
pub(super) struct Disk {
    pub(super) names: Names,
    nodes: BTreeMap<Inode, Node>,
    next_inode: Inode,
    locked: BTreeSet<Inode>,
    process: Process,
    pub(super) failures: Failures,
    pub(super) capacity: Option<u64>,
    pub(super) syncs_lie: bool,
}

#[derive(Debug, Clone, Default)]
struct Node {
    content: Content,
    /// How many handles of the living process are open.
    open: usize,
}

impl Disk {
    pub(super) fn process(&self) -> Process {
        self.process
    }

    /// Refuses the handles of dead processes.
    fn check_alive(&self, process: Process) -> io::Result<()> {
        if process == self.process {
            return Ok(());
        }
        Err(io::Error::other(format!("process {process} is dead, process {} runs now", self.process)))
    }

    /// A call on a tree or file, other than a write or a sync: counted, failed if planned, done.
    pub(super) fn call<T>(
        &mut self,
        process: Process,
        work: impl FnOnce(&mut Disk) -> io::Result<T>,
    ) -> io::Result<T> {
        self.check_alive(process)?;
        let Some(failure) = self.failures.count() else {
            return work(self);
        };
        if failure.effect == Effect::Full {
            work(self)?;
        }
        Err(self.failures.error(failure))
    }

    /// The file of this name, which must be one.
    pub(super) fn file(&self, path: &str) -> io::Result<Inode> {
        self.check_directories(path)?;
        match self.names.get(path) {
            Some(Entry::File(inode)) => Ok(inode),
            Some(Entry::Dir) => Err(error(io::ErrorKind::IsADirectory, path)),
            None => Err(error(io::ErrorKind::NotFound, path)),
        }
    }

    pub(super) fn check_dir(&self, dir: &str) -> io::Result<()> {
        self.check_directories(dir)?;
        match self.names.get(dir) {
            Some(Entry::Dir) => Ok(()),
            Some(Entry::File(_)) => Err(error(io::ErrorKind::NotADirectory, dir)),
            None => Err(error(io::ErrorKind::NotFound, dir)),
        }
    }

    /// Every part of the path but the last must be a directory.
    fn check_directories(&self, path: &str) -> io::Result<()> {
        for dir in ancestors(path) {
            match self.names.get(dir) {
                Some(Entry::Dir) => {}
                Some(Entry::File(_)) => return Err(error(io::ErrorKind::NotADirectory, dir)),
                None => return Err(error(io::ErrorKind::NotFound, dir)),
            }
        }
        Ok(())
    }

    pub(super) fn create_dir_all(&mut self, dir: &str) -> io::Result<()> {
        for part in ancestors(dir).chain(std::iter::once(dir)) {
            match self.names.get(part) {
                Some(Entry::Dir) => {}
                Some(Entry::File(_)) if part == dir => return Err(error(io::ErrorKind::AlreadyExists, dir)),
                Some(Entry::File(_)) => return Err(error(io::ErrorKind::NotADirectory, part)),
                None => {
                    self.check_space_for_name(part)?;
                    self.names.add(part, Entry::Dir);
                }
            }
        }
        Ok(())
    }

    pub(super) fn create_new(&mut self, path: &str) -> io::Result<Inode> {
        self.check_directories(path)?;
        if self.names.get(path).is_some() {
            return Err(error(io::ErrorKind::AlreadyExists, path));
        }
        self.check_space_for_name(path)?;
        let inode = self.next_inode;
        self.next_inode += 1;
        self.nodes.insert(inode, Node::default());
        self.names.add(path, Entry::File(inode));
        Ok(inode)
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        self.file(from)?;
        self.check_directories(to)?;
        if self.names.get(to) == Some(Entry::Dir) {
            return Err(error(io::ErrorKind::IsADirectory, to));
        }
        self.names.rename(from, to);
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &str) -> io::Result<()> {
        self.file(path)?;
        self.names.remove(path);
        Ok(())
    }

    pub(super) fn sync_dir(&mut self, dir: &str) -> io::Result<()> {
        self.check_dir(dir)?;
        if !self.syncs_lie {
            self.names.sync(dir);
            self.forget_unreachable();
        }
        Ok(())
    }

    /// Takes the lock, or returns what its holder wrote. A full disk has room for the lock, but not for the text.
    pub(super) fn lock(&mut self, inode: Inode, owner: &str) -> io::Result<Option<String>> {
        if self.locked.contains(&inode) {
            return Ok(Some(String::from_utf8_lossy(self.content(inode).bytes()).into_owned()));
        }
        self.content_mut(inode).set_size(0)?;
        match self.write(inode, owner.as_bytes(), 0) {
            Err(error) if error.kind() != io::ErrorKind::StorageFull => return Err(error),
            _ => {}
        }
        self.locked.insert(inode);
        Ok(None)
    }

    pub(super) fn unlock(&mut self, process: Process, inode: Inode) {
        if process == self.process {
            self.locked.remove(&inode);
        }
    }

    /// A handle was opened.
    pub(super) fn opened(&mut self, inode: Inode) {
        self.node_mut(inode).open += 1;
    }

    /// A handle was dropped. Those of dead processes were closed when these died.
    pub(super) fn closed(&mut self, process: Process, inode: Inode) {
        if process == self.process {
            self.node_mut(inode).open -= 1;
        }
    }

    pub(super) fn content(&self, inode: Inode) -> &Content {
        &self.nodes.get(&inode).expect("a file is kept while it has a name or a handle").content
    }

    pub(super) fn content_mut(&mut self, inode: Inode) -> &mut Content {
        &mut self.node_mut(inode).content
    }

    fn node_mut(&mut self, inode: Inode) -> &mut Node {
        self.nodes.get_mut(&inode).expect("a file is kept while it has a name or a handle")
    }

    /// The call that writes.
    pub(super) fn write_call(
        &mut self,
        process: Process,
        inode: Inode,
        data: &[u8],
        offset: u64,
    ) -> io::Result<()> {
        self.check_alive(process)?;
        let Some(failure) = self.failures.count() else {
            return self.write(inode, data, offset);
        };
        let written = match failure.effect {
            Effect::None => 0,
            Effect::Prefix(bytes) => bytes.min(data.len()),
            Effect::Full => data.len(),
        };
        self.write(inode, &data[..written], offset)?;
        Err(self.failures.error(failure))
    }

    /// Writes what fits on the disk, and says so if that is not all.
    fn write(&mut self, inode: Inode, data: &[u8], offset: u64) -> io::Result<()> {
        let size = self.content(inode).size() as u64;
        let end = offset.saturating_add(data.len() as u64);
        let largest = self.free_bytes().map_or(u64::MAX, |free| size.saturating_add(free));
        if data.is_empty() || end <= largest {
            return self.content_mut(inode).write_at(data, offset);
        }
        let fits = usize::try_from(largest.saturating_sub(offset)).unwrap_or(usize::MAX).min(data.len());
        self.content_mut(inode).write_at(&data[..fits], offset)?;
        let message = format!("the disk is full: {fits} of {} bytes were written", data.len());
        Err(io::Error::new(io::ErrorKind::StorageFull, message))
    }

    pub(super) fn set_size(&mut self, inode: Inode, size: u64) -> io::Result<()> {
        let grows_by = size.saturating_sub(self.content(inode).size() as u64);
        if self.free_bytes().is_some_and(|free| free < grows_by) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the disk is full"));
        }
        self.content_mut(inode).set_size(size)
    }

    /// The call that makes a file durable. A failed one drops what it should have written.
    pub(super) fn sync_call(&mut self, process: Process, inode: Inode) -> io::Result<()> {
        self.check_alive(process)?;
        let failure = self.failures.count();
        let reaches_disk = failure.is_none_or(|failure| failure.effect == Effect::Full);
        if !reaches_disk {
            self.content_mut(inode).drop_unsynced();
        } else if !self.syncs_lie {
            self.content_mut(inode).sync();
        }
        failure.map_or(Ok(()), |failure| Err(self.failures.error(failure)))
    }

    /// The bytes of all files that have a name or a handle.
    pub(super) fn used_bytes(&self) -> u64 {
        let mut used: BTreeSet<Inode> = self.names.files().map(|(_, inode)| inode).collect();
        used.extend(self.nodes.iter().filter(|(_, node)| node.open > 0).map(|(&inode, _)| inode));
        used.into_iter().map(|inode| self.content(inode).size() as u64).sum()
    }

    /// `None` if the disk has no end.
    fn free_bytes(&self) -> Option<u64> {
        self.capacity.map(|capacity| capacity.saturating_sub(self.used_bytes()))
    }

    fn check_space_for_name(&self, path: &str) -> io::Result<()> {
        if self.free_bytes() == Some(0) { Err(error(io::ErrorKind::StorageFull, path)) } else { Ok(()) }
    }

    /// The process dies; what it wrote stays.
    pub(super) fn kill(&mut self) {
        self.process += 1;
        self.locked.clear();
        for node in self.nodes.values_mut() {
            node.open = 0;
        }
        self.forget_unreachable();
    }

    /// The power goes; one possible durable state stays.
    pub(super) fn power_cut(&mut self, seed: u64) {
        let mut generator = Generator::from_seed(seed);
        let tendency = Tendency::choose(&mut generator);
        self.names.power_cut(|| tendency.keeps(&mut generator));
        for node in self.nodes.values_mut() {
            node.content.power_cut(&mut generator, tendency);
        }
        self.kill();
    }

    fn forget_unreachable(&mut self) {
        let reachable = self.names.reachable();
        self.nodes.retain(|inode, node| node.open > 0 || reachable.contains(inode));
    }
}

/// Not the contents: handles print this, and a disk is large.
impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Disk");
        shown.field("process", &self.process).field("calls", &self.failures.calls()).finish_non_exhaustive()
    }
}

/// An error that names the path.
pub(super) fn error(kind: io::ErrorKind, path: &str) -> io::Error {
    io::Error::new(kind, format!("{path}: {kind}"))
}
