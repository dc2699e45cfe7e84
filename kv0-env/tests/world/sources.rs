//! Clocks and randomness.

use std::collections::BTreeSet;
use std::time::Duration;

use kv0_env::local::{SystemClock, SystemRandom};
use kv0_env::memory::{self, ManualClock, SeededRandom};
use kv0_env::{Clock, Random};

#[test]
fn the_manual_clock_moves_when_told() {
    let clock = ManualClock::new(1_000);
    assert_eq!((clock.unix_micros(), clock.monotonic_nanos()), (1_000, 0));
    clock.advance(Duration::from_millis(2));
    assert_eq!((clock.unix_micros(), clock.monotonic_nanos()), (3_000, 2_000_000));
    clock.set_unix_micros(-5);
    assert_eq!((clock.unix_micros(), clock.monotonic_nanos()), (-5, 2_000_000));
    clock.advance_monotonic(Duration::from_nanos(1));
    assert_eq!((clock.unix_micros(), clock.monotonic_nanos()), (-5, 2_000_001));
    clock.advance(Duration::MAX);
    assert_eq!(
        (clock.unix_micros(), clock.monotonic_nanos()),
        (i64::MAX - 5, u64::MAX),
        "it stops at its end"
    );
}

#[test]
fn the_system_clock_runs_forward_from_a_day_in_this_century() {
    let clock = SystemClock::new();
    assert!(clock.unix_micros() > 1_577_836_800_000_000, "before 2020");
    let first = clock.monotonic_nanos();
    assert!(clock.monotonic_nanos() >= first);
}

#[test]
fn the_seed_decides_and_the_system_does_not_repeat() {
    let draw = |random: &dyn Random| (0..100).map(|_| random.next_u64()).collect::<Vec<_>>();
    assert_eq!(draw(&SeededRandom::new(5)), draw(&SeededRandom::new(5)));
    assert_ne!(draw(&SeededRandom::new(5)), draw(&SeededRandom::new(6)));
    let (first, second) = (draw(&SystemRandom::new()), draw(&SystemRandom::new()));
    let distinct: BTreeSet<u64> = first.into_iter().chain(second).collect();
    assert_eq!(distinct.len(), 200);
}

#[test]
fn two_worlds_of_one_seed_are_equal() {
    let (first, _) = memory::env(9);
    let (second, _) = memory::env(9);
    assert_eq!(first.random.next_u64(), second.random.next_u64());
    assert_eq!(first.clock.unix_micros(), second.clock.unix_micros());
    assert!(!first.turns.runs_by_itself());
}

#[test]
fn a_local_environment_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let env = kv0_env::local::env(directory.path()).unwrap();
    env.files.create_new("a").unwrap();
    assert!(directory.path().join("a").exists());
    assert!(env.turns.runs_by_itself());
    assert_ne!(env.random.next_u64(), env.random.next_u64());
}
