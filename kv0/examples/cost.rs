//! What the basic operations cost, one after the other in one process: closed-loop means, no tails.
//!
//! `cargo run --release -p kv0 --example cost -- [keys] [directory]`

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and prints")]

use std::path::PathBuf;
use std::time::Instant;

use kv0::{Batch, Db, Direction, Durability, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let keys: u64 = arguments.next().map_or(Ok(1_000_000), |keys| keys.parse())?;
    let directory = arguments.next().map_or_else(|| std::env::temp_dir().join("kv0-cost"), PathBuf::from);
    let db = Db::open(&directory, Options::default())?;
    let space = db.keyspace("cost")?;

    let start = Instant::now();
    for first in (0..keys).step_by(1_000) {
        let mut batch = Batch::new();
        for number in first..(first + 1_000).min(keys) {
            batch.put(&space, key(number), [b'v'; 100]);
        }
        db.write(batch)?;
    }
    report("bulk load, batches of 1000", keys, start);

    let start = Instant::now();
    for number in 0..keys / 10 {
        space.put(key(number), [b'w'; 100])?;
    }
    report("single puts", keys / 10, start);

    let start = Instant::now();
    for number in 0..200 {
        let mut batch = Batch::new();
        batch.put(&space, key(number), [b'x'; 100]);
        db.write_with(batch, Durability::Disk)?;
    }
    report("single puts, synced", 200, start);
    db.close()?;

    let start = Instant::now();
    let db = Db::open(&directory, Options::default())?;
    let space = db.keyspace("cost")?;
    space.get(key(7))?.ok_or("a key is missing")?;
    report("open and get one", 1, start);

    let gets = (keys / 10).min(100_000);
    let start = Instant::now();
    for number in 0..gets {
        space.get(key(number * 7_919 % keys))?.ok_or("a key is missing")?;
    }
    report("random gets, first touch", gets, start);
    let start = Instant::now();
    for number in 0..gets {
        space.get(key(number * 7_919 % keys))?.ok_or("a key is missing")?;
    }
    report("random gets, again", gets, start);

    let start = Instant::now();
    for number in 0..1_000 {
        let mut scan = space.scan(key(number * 104_729 % keys)..vec![0xff], Direction::Ascending)?;
        scan.next_many(100)?;
    }
    report("seek and 100 next", 1_000, start);

    let start = Instant::now();
    let count = space.scan::<&[u8]>(.., Direction::Ascending)?.count() as u64;
    report("full scan, keys", count, start);
    println!("{:?}", db.stats()?);
    db.close()?;
    Ok(())
}

/// Keys in an order that is not that of their numbers.
fn key(number: u64) -> Vec<u8> {
    format!("key/{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_bytes()
}

fn report(what: &str, count: u64, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{what:30} {:>12.0}/s {:>12.3} µs each", count as f64 / seconds, seconds * 1e6 / count as f64);
}
