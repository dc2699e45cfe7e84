use super::*;

#[test]
fn a_user_counts_once_and_few_are_exact() {
    let mut uniques = Uniques::new();
    for n in 0..256_u32 {
        uniques.add(Row(n * 7));
        uniques.add(Row(n * 7));
        assert_eq!(uniques.count(), f64::from(n + 1));
    }
    let before = uniques.clone();
    uniques.add(Row(7));
    assert_eq!(uniques, before);
    uniques.add(Row(1));
    assert!(matches!(uniques, Uniques::Many(_)));
}

#[test]
fn the_sketch_is_within_four_standard_errors_at_every_size() {
    for start in [0, 1_000_000, 4_000_000_000] {
        let mut uniques = Uniques::new();
        for n in 1..=100_000_u32 {
            uniques.add(Row(start + n));
            if n == 257 || n % 1_000 == 0 {
                let error = (uniques.count() - f64::from(n)).abs() / f64::from(n);
                assert!(error < 4.0 * 0.0325, "{n} users were counted as {}", uniques.count());
            }
        }
        assert!(uniques.is_valid());
    }
}

#[test]
fn the_order_of_users_does_not_matter() {
    let mut forth = Uniques::new();
    let mut back = Uniques::new();
    for n in 0..1_000 {
        forth.add(Row(n));
        back.add(Row(999 - n));
    }
    assert_eq!(forth, back);
}
