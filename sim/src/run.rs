//! One run: the steps of a seed, one after the other, until something is wrong.

use std::panic::AssertUnwindSafe;

use crate::driver::Driver;
use crate::steps::{self, Plan, Step};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Which run it was.
    pub seed: u64,
    /// Commits that were acknowledged.
    pub commits: u64,
    /// Crashes of the process or of the machine.
    pub crashes: u64,
    /// Calls that failed as they should under the faults.
    pub errors: u64,
    /// A hash of every answer: equal runs have equal traces.
    pub trace: u64,
    /// What went wrong, with the steps that led there.
    pub failure: Option<String>,
}

/// Runs the simulation of one seed.
#[must_use]
pub fn run(seed: u64, plan: &Plan) -> Outcome {
    let steps = steps::generate(seed, plan);
    let mut driver = Driver::new(seed);
    let mut done = 0;
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
        driver.start()?;
        for step in &steps {
            done += 1;
            driver.step(step)?;
        }
        driver.finish()
    }));
    let what = match result {
        Ok(Ok(())) => None,
        Ok(Err(what)) => Some(what),
        Err(panic) => Some(format!("panic: {}", text_of(&*panic))),
    };
    let failure = what.map(|what| describe(seed, &driver, &steps[..done], &what));
    let counts = driver.counts();
    Outcome {
        seed,
        commits: counts.commits,
        crashes: counts.crashes,
        errors: counts.errors,
        trace: driver.trace(),
        failure,
    }
}

fn describe(seed: u64, driver: &Driver, steps: &[Step], what: &str) -> String {
    let mut text = format!("seed {seed}: {what}\n{}\n", driver.describe());
    for (number, step) in steps.iter().enumerate() {
        text.push_str(&format!("{number:4}  {step}\n"));
    }
    text
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
