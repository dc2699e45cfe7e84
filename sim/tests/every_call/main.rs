//! One fixed life of a database, with each of its calls on the disk failing in turn, or being the last one before a crash.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod life;

use std::io::ErrorKind as Io;

use kv0::ErrorKind;
use kv0_env::memory::{self, Failure, World};
use life::{Life, State, look, open};

/// A world in which the life went on until something failed, and how far it got.
fn live(failure: Option<(u64, Failure)>, is_repeated: bool) -> (World, Life, bool) {
    let (_, world) = memory::env(5);
    if let Some((call, failure)) = failure {
        world.files.fail_at(call, failure);
    }
    let mut life = Life::new(is_repeated);
    let result = life.run(&world);
    if let Err(error) = &result {
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{failure:?}: {error:?}");
    }
    world.files.clear_failures();
    (world, life, result.is_ok())
}

fn calls_of_a_life() -> u64 {
    let (world, life, is_ok) = live(None, false);
    assert!(is_ok);
    life.check(&look(&world), true);
    world.files.operations()
}

/// Each call fails once: without effect, after a part of it, after all of it. The program ends at the error, or tries
/// the failed step again.
fn each_call_fails(is_repeated: bool) {
    let shapes = [
        Failure::once(Io::Other),
        Failure::once(Io::StorageFull),
        Failure::once(Io::Other).after_writing(20),
        Failure::once(Io::Other).after_full_effect(),
        Failure::from_then_on(Io::Other),
    ];
    for call in 1..=calls_of_a_life() {
        for shape in shapes {
            let (world, life, _) = live(Some((call, shape)), is_repeated);
            world.kill();
            life.check(&look(&world), false);
            life.check(&look(&world), false);
        }
    }
}

#[test]
fn a_call_that_fails_is_an_error_or_nothing_and_loses_nothing() {
    each_call_fails(false);
}

#[test]
fn a_step_that_failed_can_be_tried_again() {
    each_call_fails(true);
}

#[test]
fn a_process_that_dies_at_any_call_loses_nothing_acknowledged() {
    for call in 1..=calls_of_a_life() {
        let (world, life, _) = live(Some((call, Failure::from_then_on(Io::Other))), false);
        world.kill();
        life.check(&look(&world), false);
        // What the recovery showed is durable, though the log that it found was not.
        let (found, fork) = (look(&world), World::with_files(world.files.fork(), 1));
        fork.power_cut(call);
        assert_eq!(look(&fork), found, "call {call}");
    }
}

#[test]
fn a_machine_that_dies_at_any_call_loses_nothing_durable() {
    for call in 1..=calls_of_a_life() {
        let (world, life, _) = live(Some((call, Failure::from_then_on(Io::Other))), false);
        for seed in 0..6 {
            let fork = World::with_files(world.files.fork(), seed);
            fork.power_cut(seed * 1_000 + call);
            life.check_after_a_power_cut(&look(&fork));
        }
    }
}

/// Case 3 of the public failures: a crash inside of the recovery from a crash.
#[test]
fn a_recovery_cut_short_at_any_call_is_done_again_with_the_same_result() {
    let calls = calls_of_a_life();
    for call in (1..=calls).step_by(7) {
        let (world, ..) = live(Some((call, Failure::from_then_on(Io::Other))), false);
        world.power_cut(call);
        let undisturbed = look(&World::with_files(world.files.fork(), 1));
        for stop in 1.. {
            let fork = World::with_files(world.files.fork(), stop);
            let last = fork.files.operations() + stop;
            fork.files.fail_at(last, Failure::from_then_on(Io::Other));
            let result = open(&fork);
            let is_reached = fork.files.operations() >= last;
            fork.files.clear_failures();
            if stop % 2 == 0 {
                fork.kill();
            } else {
                fork.power_cut(stop);
            }
            drop(result);
            same(&look(&fork), &undisturbed, call, stop);
            if !is_reached {
                break;
            }
        }
    }
}

fn same(found: &State, expected: &State, call: u64, stop: u64) {
    assert_eq!(found, expected, "crash at call {call}, recovery stopped at its call {stop}");
}
