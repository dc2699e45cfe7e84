//! Seeds of every run of the tests; several tests, so that the runner uses all cores. The long run is
//! `cargo run -p sim -- --seeds 10000`.

#![allow(missing_docs, reason = "tests")]

use std::ops::Range;

use sim::Plan;

fn run(seeds: Range<u64>, plan: &Plan) {
    for seed in seeds {
        if let Some(failure) = sim::run(seed, plan).failure {
            panic!("{failure}");
        }
    }
}

#[test]
fn without_faults_every_answer_is_right() {
    run(0..40, &Plan { failures: false, crashes: false, ..Plan::default() });
}

#[test]
fn crashes_leave_a_prefix_with_all_that_was_acknowledged() {
    run(40..90, &Plan { failures: false, ..Plan::default() });
}

#[test]
fn failing_calls_are_errors_and_nothing_else() {
    run(90..140, &Plan { crashes: false, ..Plan::default() });
}

#[test]
fn crashes_and_failing_calls_together() {
    run(140..190, &Plan::default());
}

#[test]
fn crashes_and_failing_calls_together_second_part() {
    run(190..240, &Plan::default());
}

#[test]
fn crashes_and_failing_calls_together_third_part() {
    run(240..290, &Plan::default());
}

#[test]
fn long_lives() {
    run(290..296, &Plan { steps: 1_000, ..Plan::default() });
}

#[test]
fn one_seed_runs_the_same_twice() {
    for seed in 300..310 {
        let first = sim::run(seed, &Plan::default());
        assert!(first.commits > 0);
        assert_eq!(first, sim::run(seed, &Plan::default()));
    }
    assert_ne!(sim::run(300, &Plan::default()).trace, sim::run(301, &Plan::default()).trace);
}

#[test]
fn the_runs_meet_what_they_are_for() {
    let (mut crashes, mut errors) = (0, 0);
    for seed in 310..320 {
        let outcome = sim::run(seed, &Plan::default());
        crashes += outcome.crashes;
        errors += outcome.errors;
    }
    assert!(crashes > 20 && errors > 20, "{crashes} crashes, {errors} errors");
}
