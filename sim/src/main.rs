//! The long run: `cargo run -p sim -- --seeds 10000 [--from 0] [--steps 150]`.

use std::process::ExitCode;

use sim::Plan;

const USAGE: &str = "usage: sim [--seeds COUNT] [--from SEED] [--steps COUNT]";

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]
fn main() -> ExitCode {
    let (mut seeds, mut from, mut plan) = (1_000, 0, Plan::default());
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.chunks(2) {
        let number = pair.get(1).and_then(|value| value.parse::<u64>().ok());
        match (pair[0].as_str(), number) {
            ("--seeds", Some(count)) => seeds = count,
            ("--from", Some(seed)) => from = seed,
            ("--steps", Some(count)) => plan.steps = usize::try_from(count).unwrap_or(usize::MAX),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let (mut commits, mut crashes, mut errors) = (0, 0, 0);
    for seed in from..from + seeds {
        let outcome = sim::run(seed, &plan);
        if let Some(failure) = outcome.failure {
            println!("{failure}");
            return ExitCode::FAILURE;
        }
        commits += outcome.commits;
        crashes += outcome.crashes;
        errors += outcome.errors;
    }
    println!("{seeds} seeds: {commits} commits, {crashes} crashes, {errors} failed calls; nothing wrong");
    ExitCode::SUCCESS
}
