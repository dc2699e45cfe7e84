//! Power cuts: what must survive, what may, and that a seed decides.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::sync::Arc;

use kv0_env::memory::{Failure, MemoryFileSystem, SeededRandom};
use kv0_env::{FileSystem, Random};

const SEEDS: u64 = 500;

fn everything(files: &MemoryFileSystem) -> BTreeMap<String, Vec<u8>> {
    files.files().into_iter().map(|(path, _)| (path.clone(), files.read_all(&path).unwrap())).collect()
}

/// A busy disk: synced and unsynced content and names of every kind.
fn busy() -> Arc<MemoryFileSystem> {
    let files = MemoryFileSystem::new();
    files.create_dir_all("d").unwrap();
    for name in ["synced", "grown", "overwritten", "d/replaced", "d/removed"] {
        let file = files.create_new(name).unwrap();
        file.write_at(&vec![b'1'; 3000], 0).unwrap();
        file.sync().unwrap();
    }
    files.sync_dir("").unwrap();
    files.sync_dir("d").unwrap();
    files.open_write("grown").unwrap().write_at(&vec![b'2'; 3000], 3000).unwrap();
    files.open_write("overwritten").unwrap().write_at(&vec![b'2'; 3000], 0).unwrap();
    files.create_new("unsynced-name").unwrap().sync().unwrap();
    let next = files.create_new("d/next").unwrap();
    next.write_at(b"next", 0).unwrap();
    next.sync().unwrap();
    files.rename("d/next", "d/replaced").unwrap();
    files.remove("d/removed").unwrap();
    files
}

#[test]
fn the_same_seed_crashes_the_same_way_twice() {
    let (first, second) = (busy(), busy());
    let mut outcomes = BTreeSet::new();
    for seed in 0..SEEDS {
        let (first, second) = (first.fork(), second.fork());
        first.power_cut(seed);
        second.power_cut(seed);
        assert_eq!(everything(&first), everything(&second), "seed {seed}");
        outcomes.insert(everything(&first));
    }
    assert!(outcomes.len() > 100, "only {} different crashes", outcomes.len());
}

#[test]
fn synced_bytes_and_names_survive_every_seed() {
    let files = busy();
    for seed in 0..SEEDS {
        let files = files.fork();
        files.power_cut(seed);
        assert_eq!(files.read_all("synced").unwrap(), vec![b'1'; 3000], "seed {seed}");
        assert_eq!(files.read_all("grown").unwrap()[..3000], vec![b'1'; 3000], "seed {seed}");
        assert_eq!(files.read_all("overwritten").unwrap().len(), 3000, "seed {seed}");
        let replaced = files.read_all("d/replaced").unwrap();
        assert!(replaced == b"next" || replaced == vec![b'1'; 3000], "seed {seed}: a rename was torn");
        let after = everything(&files);
        files.power_cut(seed + 1);
        assert_eq!(everything(&files), after, "seed {seed}: what survived one crash survives the next");
    }
}

#[test]
fn some_seed_loses_an_unsynced_write_some_keeps_it_some_tears_it() {
    let files = busy();
    let (mut lost, mut kept, mut torn) = (0, 0, 0);
    let (mut name_lost, mut name_kept, mut removal_lost, mut removal_kept) = (0, 0, 0, 0);
    for seed in 0..SEEDS {
        let files = files.fork();
        files.power_cut(seed);
        let bytes = files.read_all("overwritten").unwrap();
        let new = bytes.iter().filter(|&&byte| byte == b'2').count();
        *(match new {
            0 => &mut lost,
            3000 => &mut kept,
            _ => &mut torn,
        }) += 1;
        *(if files.read_all("unsynced-name").is_ok() { &mut name_kept } else { &mut name_lost }) += 1;
        *(if files.read_all("d/removed").is_ok() { &mut removal_lost } else { &mut removal_kept }) += 1;
    }
    for count in [lost, kept, torn, name_lost, name_kept, removal_lost, removal_kept] {
        assert!(count > 10, "{lost} {kept} {torn} {name_lost} {name_kept} {removal_lost} {removal_kept}");
    }
}

#[test]
fn a_fork_is_a_world_of_its_own() {
    let files = busy();
    let before = everything(&files);
    let fork = files.fork();
    assert_eq!(everything(&fork), before);
    assert_eq!(fork.operations(), files.operations());
    fork.open_write("synced").unwrap().write_at(b"changed", 0).unwrap();
    fork.power_cut(1);
    fork.create_new("only in the fork").unwrap();
    assert_eq!(everything(&files), before);
    let lock = files.lock("lock", "first world").unwrap();
    assert!(files.fork().lock("lock", "second world").is_ok(), "locks are not copied");
    drop(lock);
}

/// A store in small: a counter in a file that is replaced by rename. It returns what it acknowledged.
fn replace_counter(files: &dyn FileSystem, rounds: u64) -> u64 {
    let write = |value: u64| -> std::io::Result<()> {
        if files.size("next")?.is_some() {
            files.remove("next")?;
        }
        let file = files.create_new("next")?;
        file.write_at(&value.to_le_bytes(), 0)?;
        file.sync()?;
        files.rename("next", "counter")?;
        files.sync_dir("")
    };
    (1..=rounds).take_while(|&value| write(value).is_ok()).last().unwrap_or(0)
}

fn counter(files: &MemoryFileSystem) -> u64 {
    match files.read_all("counter") {
        Ok(bytes) => u64::from_le_bytes(bytes.try_into().expect("never torn")),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound);
            0
        }
    }
}

/// The use that all of this is for: count the calls of a workload, then crash inside of each of them.
#[test]
fn a_workload_can_be_crashed_in_each_of_its_calls() {
    let files = MemoryFileSystem::new();
    assert_eq!(replace_counter(&*files.process(), 3), 3);
    let calls = files.operations();
    let mut lost_the_last_round = 0;
    for call in 1..=calls {
        let files = MemoryFileSystem::new();
        files.fail_at(call, Failure::from_then_on(ErrorKind::Other).after_writing(3));
        let acknowledged = replace_counter(&*files.process(), 3);
        assert!(acknowledged < 3, "call {call} of {calls} failed unnoticed");
        for seed in 0..50 {
            let files = files.fork();
            files.power_cut(seed);
            files.clear_failures();
            let found = counter(&files);
            assert!(
                found == acknowledged || found == acknowledged + 1,
                "call {call}: {acknowledged}, found {found}"
            );
            lost_the_last_round += u64::from(found == acknowledged);
            assert_eq!(replace_counter(&*files.process(), 5), 5, "it goes on afterwards");
        }
    }
    assert!(lost_the_last_round > 0);
}

/// The same store without its sync of the directory, or of the file, is caught.
#[test]
fn a_store_that_forgets_a_sync_is_caught() {
    for forgotten in ["file", "directory"] {
        let caught = (0..50).any(|seed| {
            let files = MemoryFileSystem::new();
            let file = files.create_new("next").unwrap();
            file.write_at(&7u64.to_le_bytes(), 0).unwrap();
            if forgotten != "file" {
                file.sync().unwrap();
            }
            files.rename("next", "counter").unwrap();
            if forgotten != "directory" {
                files.sync_dir("").unwrap();
            }
            files.power_cut(seed);
            files.read_all("counter").map_or(true, |bytes| bytes != 7u64.to_le_bytes())
        });
        assert!(caught, "nobody missed the sync of the {forgotten}");
    }
}

#[test]
fn a_tree_below_is_durable_from_its_beginning() {
    for seed in 0..50 {
        let files = MemoryFileSystem::new();
        let inner = files.subdirectory("a/b").unwrap();
        inner.create_new("f").unwrap();
        inner.sync_dir("").unwrap();
        files.power_cut(seed);
        assert!(files.read_all("a/b/f").is_ok(), "seed {seed}");
    }
}

/// Random calls on few names, against a list of what was promised: every name that was synced and not changed since.
#[test]
fn synced_names_survive_random_operations() {
    for seed in 0..SEEDS {
        let random = SeededRandom::new(seed);
        let files = MemoryFileSystem::new();
        files.create_dir_all("d").unwrap();
        files.sync_dir("").unwrap();
        let mut promised: BTreeMap<String, bool> = BTreeMap::new();
        let name =
            || format!("{}{}", ["", "d/"][index(random.below(2))], ["a", "b", "c"][index(random.below(3))]);
        for _ in 0..30 {
            match random.below(5) {
                0 | 1 => {
                    let name = name();
                    if files.create_new(&name).is_ok() {
                        promised.remove(&name);
                    }
                }
                2 => {
                    let (from, to) = (name(), name());
                    if from != to && files.rename(&from, &to).is_ok() {
                        promised.remove(&from);
                        promised.remove(&to);
                    }
                }
                3 => {
                    let name = name();
                    if files.remove(&name).is_ok() {
                        promised.remove(&name);
                    }
                }
                _ => {
                    let dir = ["", "d"][index(random.below(2))];
                    files.sync_dir(dir).unwrap();
                    for part in ["a", "b", "c"] {
                        let name = if dir.is_empty() { part.to_owned() } else { format!("{dir}/{part}") };
                        promised.insert(name.clone(), files.size(&name).unwrap().is_some());
                    }
                }
            }
        }
        let crash = random.next_u64();
        files.power_cut(crash);
        for (name, is_there) in promised {
            assert_eq!(files.read_all(&name).is_ok(), is_there, "seed {seed}: {name}");
        }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap()
}
