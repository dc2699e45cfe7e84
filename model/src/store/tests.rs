use super::*;

fn bytes(text: &str) -> Arc<[u8]> {
    Arc::from(text.as_bytes())
}

fn put(key: &str, value: &str) -> Operation {
    Operation::Put { keyspace: 1, key: bytes(key), value: bytes(value) }
}

#[test]
fn a_state_is_the_replay_of_the_commits_before_it() {
    let mut store = Store::default();
    assert_eq!(store.commit(vec![put("a", "1"), put("b", "1"), put("c", "1")]), 1);
    let range = Operation::DeleteRange { keyspace: 1, start: bytes("a"), end: bytes("c") };
    assert_eq!(store.commit(vec![put("bb", "2"), range, put("b", "2")]), 2);
    assert_eq!(store.commit(vec![Operation::Delete { keyspace: 1, key: bytes("c") }]), 3);
    let keys = |at| -> Vec<_> {
        let pairs = store.state_at(at).range(1, &Bound::Unbounded, &Bound::Unbounded);
        pairs.iter().map(|(key, _)| String::from_utf8(key.to_vec()).unwrap()).collect()
    };
    assert_eq!(keys(0), Vec::<String>::new());
    assert_eq!(keys(1), ["a", "b", "c"]);
    assert_eq!(keys(2), ["b", "c"]);
    assert_eq!(keys(3), ["b"]);
    assert_eq!(store.newest().get(1, b"b"), Some(bytes("2")));
    assert_eq!(*store.newest(), store.state_at(3));
    store.forget_after(1);
    assert_eq!((store.position(), store.newest().get(1, b"c")), (1, Some(bytes("1"))));
}

#[test]
fn bounds_are_kept() {
    let mut store = Store::default();
    store.commit(vec![put("a", ""), put("b", ""), put("c", "")]);
    let count = |lower, upper| store.newest().range(1, &lower, &upper).len();
    assert_eq!(count(Bound::Included(bytes("a")), Bound::Included(bytes("c"))), 3);
    assert_eq!(count(Bound::Excluded(bytes("a")), Bound::Excluded(bytes("c"))), 1);
    assert_eq!(count(Bound::Excluded(bytes("c")), Bound::Included(bytes("a"))), 0);
}

#[test]
fn trimmed_records_are_gone_and_stay_gone() {
    let mut store = Store::default();
    for number in 0..4 {
        store.commit(vec![Operation::Append { stream: 0, record: bytes(&number.to_string()) }]);
    }
    store.trim(0, 2);
    store.trim(0, 1);
    assert_eq!(store.records(0, 0), [(3, bytes("2")), (4, bytes("3"))]);
    assert_eq!(store.records(0, 3), [(4, bytes("3"))]);
    assert_eq!(store.records(1, 0), []);
}
