//! Requests that fail as those of an object store far away do.

use kv0_env::memory::{MemoryObjectStore, ObjectFault, ObjectRequests};
use kv0_env::{ObjectError, ObjectStore, PutCondition};

fn fail_next(store: &MemoryObjectStore, fault: ObjectFault) {
    store.fail_at(store.requests().total() + 1, fault);
}

#[test]
fn a_lost_response_hides_a_success() {
    let store = MemoryObjectStore::new();
    fail_next(&store, ObjectFault::ResponseLost);
    assert!(matches!(store.put("k", b"1", PutCondition::Absent), Err(ObjectError::Unknown(_))));
    assert_eq!(
        store.put("k", b"1", PutCondition::Absent),
        Err(ObjectError::Precondition),
        "one's own write is in the way"
    );
    fail_next(&store, ObjectFault::ResponseLost);
    assert!(matches!(store.delete("k"), Err(ObjectError::Unknown(_))));
    assert_eq!(store.head("k"), Err(ObjectError::NotFound));
}

#[test]
fn a_lost_request_does_nothing() {
    let store = MemoryObjectStore::new();
    fail_next(&store, ObjectFault::RequestLost);
    assert!(matches!(store.put("k", b"1", PutCondition::Absent), Err(ObjectError::Unknown(_))));
    store.put("k", b"1", PutCondition::Absent).unwrap();
    fail_next(&store, ObjectFault::RequestLost);
    assert!(matches!(store.get("k", None), Err(ObjectError::Unknown(_))));
}

#[test]
fn a_late_write_is_judged_when_it_arrives() {
    let store = MemoryObjectStore::new();
    fail_next(&store, ObjectFault::Late { after_requests: 2 });
    assert!(matches!(store.put("k", b"late", PutCondition::Always), Err(ObjectError::Unknown(_))));
    assert_eq!(store.head("k"), Err(ObjectError::NotFound));
    store.put("k", b"early", PutCondition::Always).unwrap();
    assert_eq!(store.get("k", None).unwrap().0, b"late", "it overwrites what overtook it");

    fail_next(&store, ObjectFault::Late { after_requests: 0 });
    assert!(matches!(store.put("new", b"late", PutCondition::Absent), Err(ObjectError::Unknown(_))));
    assert_eq!(store.get("new", None).unwrap().0, b"late");

    let (_, etag) = store.get("k", None).unwrap();
    fail_next(&store, ObjectFault::Late { after_requests: u64::MAX });
    assert!(store.put("k", b"fenced", PutCondition::Matches(&etag)).is_err());
    store.put("k", b"newer", PutCondition::Always).unwrap();
    assert_eq!(store.deliver_late(), 1);
    assert_eq!(store.get("k", None).unwrap().0, b"newer", "its tag is gone, so it does nothing");
    assert_eq!(store.deliver_late(), 0);
}

#[test]
fn refusals_store_nothing() {
    let store = MemoryObjectStore::new();
    for (fault, error) in [
        (ObjectFault::Conflict, ObjectError::Conflict),
        (ObjectFault::Precondition, ObjectError::Precondition),
        (ObjectFault::Busy, ObjectError::Busy),
    ] {
        fail_next(&store, fault);
        assert_eq!(store.put("k", b"1", PutCondition::Always), Err(error));
        assert!(store.keys().is_empty());
    }
    store.set_busy_from(Some(6));
    store.put("a", b"", PutCondition::Always).unwrap();
    store.put("b", b"", PutCondition::Always).unwrap();
    assert_eq!(store.put("c", b"", PutCondition::Always), Err(ObjectError::Busy));
    assert_eq!(store.list("", None, 9), Err(ObjectError::Busy));
    store.clear_faults();
    assert_eq!(store.list("", None, 9).unwrap().len(), 2);
}

#[test]
fn requests_are_counted_by_kind() {
    let store = MemoryObjectStore::new();
    fail_next(&store, ObjectFault::Busy);
    assert!(store.put("k", b"", PutCondition::Always).is_err());
    store.put("k", b"", PutCondition::Absent).unwrap();
    store.get("k", None).unwrap();
    store.get("k", None).unwrap();
    store.head("k").unwrap();
    store.list("", None, 1).unwrap();
    store.delete("k").unwrap();
    let expected = ObjectRequests { put: 2, put_conditional: 1, get: 2, head: 1, list: 1, delete: 1 };
    assert_eq!(store.requests(), expected);
    assert_eq!(expected.total(), 7);
}

#[test]
fn a_fork_goes_its_own_way() {
    let store = MemoryObjectStore::new();
    fail_next(&store, ObjectFault::Late { after_requests: 9 });
    assert!(store.put("late", b"", PutCondition::Always).is_err());
    let fork = store.fork();
    fork.put("k", b"", PutCondition::Always).unwrap();
    assert_eq!(fork.deliver_late(), 1);
    assert_eq!(fork.keys(), ["k", "late"]);
    assert!(store.keys().is_empty());
}
