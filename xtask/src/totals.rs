//! How many tests ran, read from what the test runners print.

use std::ops::AddAssign;

#[cfg(test)]
mod tests;

/// Sums over test runs. A test that should have run and did not, because the run was broken off, has failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Marked as ignored in the source, or left out by a filter.
    pub(crate) skipped: u64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Reads the closing line of nextest, such as `Summary [ 0.1s] 3 tests run: 2 passed (1 slow), 1 failed, 4 skipped`;
/// of a run that was broken off, such as `Summary [ 0.1s] 2/3 tests run: 2 passed, 4 skipped`. None for other lines.
pub(crate) fn nextest(line: &str) -> Option<Totals> {
    let (_, rest) = line.trim_start().strip_prefix("Summary [")?.split_once("] ")?;
    let (head, parts) = rest.split_once(" run: ")?;
    let count = head.strip_suffix(" tests").or_else(|| head.strip_suffix(" test"))?;
    let planned: u64 = count.rsplit('/').next()?.parse().ok()?;
    let passed = counted(parts, ',', "passed").unwrap_or(0);
    let skipped = counted(parts, ',', "skipped").unwrap_or(0);
    Some(Totals { passed, failed: planned.checked_sub(passed)?, skipped })
}

/// Reads the closing line of one run of doc tests, such as
/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s`. None for others.
pub(crate) fn doc_test(line: &str) -> Option<Totals> {
    let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let passed = counted(parts, ';', "passed")?;
    let failed = counted(parts, ';', "failed")?;
    let ignored = counted(parts, ';', "ignored")?;
    let filtered = counted(parts, ';', "filtered")?;
    Some(Totals { passed, failed, skipped: ignored + filtered })
}

/// The number before `word` in a list such as `2 passed (1 slow), 1 failed`.
fn counted(list: &str, separator: char, word: &str) -> Option<u64> {
    list.split(separator).find_map(|part| {
        let mut words = part.split_whitespace();
        let number = words.next()?.parse().ok()?;
        (words.next()? == word).then_some(number)
    })
}
