use std::time::Duration;

use super::{STEPS, help, is_step, run, summary};
use crate::totals::Totals;

#[test]
fn the_sums_are_the_last_line_and_alone() {
    let done = [("tests", Duration::from_millis(1500), true)];
    let text = summary(&done, Some(Totals { passed: 12, failed: 0, skipped: 1 }));
    assert_eq!(text.lines().last(), Some("12 passed, 0 failed"));
    assert!(text.contains("tests              1.5 s  ok\n"), "{text}");
    assert!(text.contains("filtered out: 1\n"), "{text}");
}

#[test]
fn no_sums_are_claimed_where_no_test_ran() {
    let text = summary(&[("clippy", Duration::from_secs(1), false)], None);
    assert!(text.ends_with("clippy             1.0 s  FAILED\n"), "{text}");
    assert!(!text.contains("passed"), "{text}");
}

#[test]
fn help_names_every_step() {
    for step in STEPS {
        assert!(is_step(step.name));
        assert!(help().contains(&format!("\n  {:<14}{}", step.name, step.what)));
    }
    assert!(!is_step("everything"));
}

#[test]
fn a_root_that_is_not_there_is_named() {
    let message = run("no/such/directory".as_ref(), &["layout".to_owned()]).unwrap_err();
    assert!(message.starts_with("no/such/directory: "), "{message}");
}
