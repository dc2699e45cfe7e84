use super::*;

#[test]
fn no_key_is_denied_and_few_others_are_not() {
    for count in [0_u64, 1, 51, 52, 1000, 20_000] {
        let hashes: Vec<u64> = (0..count).map(|at| hash(&at.to_be_bytes())).collect();
        let filter = Filter::decode(build(&hashes)).unwrap();
        assert!(hashes.iter().all(|&hash| filter.may_contain(hash)), "{count}");
        let others = (count..count + 10_000).filter(|at| filter.may_contain(hash(&at.to_be_bytes()))).count();
        assert!(others < 200, "{others} of 10000 strange keys pass a filter of {count} keys");
    }
}

#[test]
fn bytes_of_another_size_are_no_filter() {
    assert!(Filter::decode(vec![0; FILTER_PIECE_BYTES + 1]).is_err());
    assert!(!Filter::decode(vec![]).unwrap().may_contain(1));
}
