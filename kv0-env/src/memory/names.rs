//! The names on a disk in memory, as seen now and as a power cut may leave them.
//!
//! 1. A change (add, remove, rename) shows in `current` at once and is queued in `pending`.
//! 2. A sync of a directory marks the changes of its names and, from the last to the first, every earlier change that
//!    a marked one builds on.
//! 3. Marked changes go over into `durable` in order, each whole. One whose directory is not durable itself waits, and
//!    so does whatever comes later on the names of one that waits.
//! 4. A power cut does step 3 with more changes marked, by chance, and forgets those that are left.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use crate::path::{ancestors, parent};

/// The identity of a file, whatever its name.
pub(super) type Inode = u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    File(Inode),
    Dir,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    current: BTreeMap<String, Entry>,
    durable: BTreeMap<String, Entry>,
    pending: Vec<Pending>,
}

#[derive(Debug, Clone)]
struct Pending {
    change: Change,
    synced: bool,
}

#[derive(Debug, Clone)]
enum Change {
    Add { name: String, entry: Entry },
    Remove { name: String },
    Rename { from: String, to: String },
}

impl Change {
    fn names(&self) -> impl Iterator<Item = &String> {
        let (first, second) = match self {
            Change::Add { name, .. } | Change::Remove { name } => (name, None),
            Change::Rename { from, to } => (from, Some(to)),
        };
        std::iter::once(first).chain(second)
    }

    fn apply(&self, names: &mut BTreeMap<String, Entry>) {
        match self {
            Change::Add { name, entry } => {
                names.insert(name.clone(), *entry);
            }
            Change::Remove { name } => {
                names.remove(name);
            }
            Change::Rename { from, to } => {
                let entry = names.remove(from).expect("earlier changes of a name are applied first");
                names.insert(to.clone(), entry);
            }
        }
    }
}

impl Names {
    /// What has the name; the root is a directory.
    pub(super) fn get(&self, name: &str) -> Option<Entry> {
        if name.is_empty() { Some(Entry::Dir) } else { self.current.get(name).copied() }
    }

    pub(super) fn add(&mut self, name: &str, entry: Entry) {
        self.change(Change::Add { name: name.to_owned(), entry });
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.change(Change::Remove { name: name.to_owned() });
    }

    /// The name must be there.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        // On itself: nothing happens, as on a real file system.
        if from != to {
            self.change(Change::Rename { from: from.to_owned(), to: to.to_owned() });
        }
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.current);
        self.pending.push(Pending { change, synced: false });
    }

    /// The names directly in a directory, in order, without the path.
    pub(super) fn children<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = (&'a str, Entry)> {
        let below = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let skip = below.len();
        let range = self.current.range(below.clone()..).take_while(move |(name, _)| name.starts_with(&below));
        range.map(move |(name, entry)| (&name[skip..], *entry)).filter(|(name, _)| !name.contains('/'))
    }

    /// All files, in the order of their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&String, Inode)> {
        self.current.iter().filter_map(|(name, entry)| match entry {
            Entry::File(inode) => Some((name, *inode)),
            Entry::Dir => None,
        })
    }

    /// Every file that has a name now or may have one after a power cut.
    pub(super) fn reachable(&self) -> BTreeSet<Inode> {
        let added = self.pending.iter().filter_map(|pending| match pending.change {
            Change::Add { entry, .. } => Some(entry),
            Change::Remove { .. } | Change::Rename { .. } => None,
        });
        let entries = self.current.values().chain(self.durable.values()).copied().chain(added);
        entries.filter_map(|entry| if let Entry::File(inode) = entry { Some(inode) } else { None }).collect()
    }

    /// Makes the names in a directory durable.
    pub(super) fn sync(&mut self, dir: &str) {
        let mut needed = BTreeSet::new();
        for pending in self.pending.iter_mut().rev() {
            if pending.change.names().any(|name| parent(name) == dir || needed.contains(name)) {
                pending.synced = true;
                needed.extend(pending.change.names().cloned());
            }
        }
        self.commit(|pending| pending.synced);
    }

    /// Becomes one of the states in which a power cut may leave the names. Everything is durable then.
    pub(super) fn power_cut(&mut self, mut keeps: impl FnMut() -> bool) {
        self.commit(|pending| pending.synced || keeps());
        self.pending.clear();
        self.current = self.durable.clone();
        self.check_invariants();
    }

    /// Step 3: lets the chosen changes through, whole and in order.
    fn commit(&mut self, mut choose: impl FnMut(&Pending) -> bool) {
        let mut waiting: BTreeSet<String> = BTreeSet::new();
        for pending in mem::take(&mut self.pending) {
            let has_directories =
                |name: &String| ancestors(name).all(|dir| self.durable.get(dir) == Some(&Entry::Dir));
            let can = pending.change.names().all(|name| !waiting.contains(name) && has_directories(name));
            if choose(&pending) && can {
                pending.change.apply(&mut self.durable);
            } else {
                waiting.extend(pending.change.names().cloned());
                self.pending.push(pending);
            }
        }
    }

    fn check_invariants(&self) {
        for name in self.durable.keys() {
            assert!(
                ancestors(name).all(|dir| self.durable.get(dir) == Some(&Entry::Dir)),
                "{name:?} is durable but a directory above it is not"
            );
        }
    }
}

#[cfg(test)]
mod tests;
