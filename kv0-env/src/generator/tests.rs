use super::Generator;

#[test]
fn the_reference_sequence_comes_out() {
    // From the reference implementation with the state 1, 2, 3, 4.
    let mut generator = Generator::from_state([1, 2, 3, 4]);
    let expected = [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240];
    assert_eq!(expected, std::array::from_fn(|_| generator.next_u64()));
}

#[test]
fn the_seed_decides() {
    let draw = |seed| {
        let mut generator = Generator::from_seed(seed);
        (0..8).map(|_| generator.next_u64()).collect::<Vec<_>>()
    };
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}

#[test]
fn below_reaches_every_number_and_no_other() {
    let mut generator = Generator::from_seed(3);
    let mut seen = [0; 5];
    for _ in 0..500 {
        seen[usize::try_from(generator.below(5)).unwrap()] += 1;
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}
