use super::{Totals, doc_test, nextest};

fn totals(passed: u64, failed: u64, skipped: u64) -> Option<Totals> {
    Some(Totals { passed, failed, skipped })
}

#[test]
fn closing_lines_of_nextest() {
    for (line, expected) in [
        ("     Summary [   0.005s] 5 tests run: 5 passed, 0 skipped", totals(5, 0, 0)),
        ("     Summary [   0.005s] 1 test run: 1 passed, 2 skipped", totals(1, 0, 2)),
        (
            "     Summary [  12.005s] 7 tests run: 4 passed (1 slow, 1 leaky), 3 failed, 1 skipped",
            totals(4, 3, 1),
        ),
        (
            "     Summary [ 600.005s] 3 tests run: 1 passed, 1 exec failed, 1 timed out, 0 skipped",
            totals(1, 2, 0),
        ),
        ("     Summary [   0.005s] 2 tests run: 0 passed, 2 failed, 0 skipped", totals(0, 2, 0)),
        ("     Summary [   0.005s] 2/9 tests run: 2 passed, 1 skipped", totals(2, 7, 1)),
        ("        PASS [   0.005s] kv0 error::tests::summary", None),
        ("     Summary of a test", None),
    ] {
        assert_eq!(nextest(line), expected, "{line}");
    }
}

#[test]
fn closing_lines_of_doc_tests() {
    let passed =
        "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s";
    assert_eq!(doc_test(passed), totals(3, 0, 3));
    let failed =
        "test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
    assert_eq!(doc_test(failed), totals(0, 2, 0));
    assert_eq!(doc_test("test kv0/src/lib.rs - (line 3) ... ok"), None);
}

#[test]
fn sums_are_added() {
    let mut sum = Totals { passed: 1, failed: 2, skipped: 3 };
    sum += Totals { passed: 10, failed: 20, skipped: 30 };
    assert_eq!(Some(sum), totals(11, 22, 33));
}
