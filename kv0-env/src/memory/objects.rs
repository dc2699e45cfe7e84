//! An object store in memory: strong reads, conditional writes, and requests that fail as those of S3 do.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::object::{check_key, content_hash, cut_range};
use crate::{ETag, ObjectError, ObjectMeta, ObjectStore, PutCondition};

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFault {
    /// It takes effect; the answer is lost ([`ObjectError::Unknown`]).
    ResponseLost,
    /// It has no effect and there is no answer ([`ObjectError::Unknown`]).
    RequestLost,
    /// There is no answer ([`ObjectError::Unknown`]), and a write or delete takes effect only after so many more
    /// requests, before the one that follows them or at [`MemoryObjectStore::deliver_late`]. Its condition is judged
    /// then.
    Late {
        /// How many requests overtake it.
        after_requests: u64,
    },
    /// A conflict with another conditional write, 409. No effect.
    Conflict,
    /// The condition is said not to hold, 412. No effect.
    Precondition,
    /// Slow down or unavailable, 429 or 503. No effect.
    Busy,
}

/// How many requests were made, failed ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObjectRequests {
    /// Writes of both kinds.
    pub put: u64,
    /// Those of `put` that had a condition.
    pub put_conditional: u64,
    /// Reads.
    pub get: u64,
    /// Questions for size and tag.
    pub head: u64,
    /// Listings.
    pub list: u64,
    /// Removals.
    pub delete: u64,
}

impl ObjectRequests {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.put + self.get + self.head + self.list + self.delete
    }
}

/// An object store in memory, deterministic and shared by whoever has a reference.
#[derive(Debug, Default)]
pub struct MemoryObjectStore {
    state: Mutex<State>,
}

#[derive(Debug, Clone, Default)]
struct State {
    objects: BTreeMap<String, Object>,
    /// Goes into each tag, so that no tag comes twice.
    writes: u64,
    requests: ObjectRequests,
    faults: BTreeMap<u64, ObjectFault>,
    /// Refuses everything from this request on.
    busy_from: Option<u64>,
    late: Vec<(u64, Change)>,
}

#[derive(Debug, Clone)]
struct Object {
    body: Arc<[u8]>,
    etag: ETag,
}

#[derive(Debug, Clone)]
enum Change {
    Put { key: String, body: Arc<[u8]>, condition: Condition },
    Delete { key: String },
}

/// [`PutCondition`] that outlives the call.
#[derive(Debug, Clone)]
enum Condition {
    Always,
    Absent,
    Matches(ETag),
}

impl MemoryObjectStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> MemoryObjectStore {
        MemoryObjectStore::default()
    }

    /// A copy of the store with its planned faults, its counts and the requests that are still on their way.
    #[must_use]
    pub fn fork(&self) -> MemoryObjectStore {
        MemoryObjectStore { state: Mutex::new(self.state.lock().clone()) }
    }

    /// How many requests were made so far, by kind.
    #[must_use]
    pub fn requests(&self) -> ObjectRequests {
        self.state.lock().requests
    }

    /// Lets the request with this number suffer the fault; the first request ever has number 1, the next one
    /// `requests().total() + 1`.
    pub fn fail_at(&self, request: u64, fault: ObjectFault) {
        self.state.lock().faults.insert(request, fault);
    }

    /// Refuses as [`ObjectFault::Busy`] every request from the one with this number on; `None` ends that.
    pub fn set_busy_from(&self, request: Option<u64>) {
        self.state.lock().busy_from = request;
    }

    /// Forgets all faults that were planned. Requests that are late stay on their way.
    pub fn clear_faults(&self) {
        let mut state = self.state.lock();
        state.faults.clear();
        state.busy_from = None;
    }

    /// Lets all late requests arrive now, in the order in which they were sent. Returns how many there were.
    pub fn deliver_late(&self) -> usize {
        self.state.lock().deliver(u64::MAX)
    }

    /// All keys in order. Not a request.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.state.lock().objects.keys().cloned().collect()
    }

    /// One request that changes nothing.
    fn read<T>(
        &self,
        count: impl FnOnce(&mut ObjectRequests),
        work: impl FnOnce(&State) -> Result<T, ObjectError>,
    ) -> Result<T, ObjectError> {
        let mut state = self.state.lock();
        match state.arrive(count) {
            None => work(&state),
            Some(fault) => Err(fault.error()),
        }
    }

    /// One request that changes something.
    fn change(
        &self,
        count: impl FnOnce(&mut ObjectRequests),
        change: Change,
    ) -> Result<Option<ETag>, ObjectError> {
        let mut state = self.state.lock();
        let fault = state.arrive(count);
        match fault {
            None => return state.apply(change),
            // The answer, whatever it is, is what gets lost.
            Some(ObjectFault::ResponseLost) => drop(state.apply(change)),
            Some(ObjectFault::Late { after_requests }) => {
                let due = state.requests.total().saturating_add(after_requests);
                state.late.push((due, change));
            }
            Some(_) => {}
        }
        Err(fault.map_or(ObjectError::Busy, ObjectFault::error))
    }
}

impl ObjectStore for MemoryObjectStore {
    fn put(&self, key: &str, body: &[u8], condition: PutCondition<'_>) -> Result<ETag, ObjectError> {
        check_key(key)?;
        let condition = match condition {
            PutCondition::Always => Condition::Always,
            PutCondition::Absent => Condition::Absent,
            PutCondition::Matches(etag) => Condition::Matches(etag.clone()),
        };
        let conditional = u64::from(!matches!(condition, Condition::Always));
        let count = |requests: &mut ObjectRequests| {
            requests.put += 1;
            requests.put_conditional += conditional;
        };
        let change = Change::Put { key: key.to_owned(), body: body.into(), condition };
        Ok(self.change(count, change)?.expect("a put that succeeds has a tag"))
    }

    fn get(&self, key: &str, range: Option<Range<u64>>) -> Result<(Vec<u8>, ETag), ObjectError> {
        check_key(key)?;
        self.read(
            |requests| requests.get += 1,
            |state| {
                let object = state.objects.get(key).ok_or(ObjectError::NotFound)?;
                let range = cut_range(range, object.body.len() as u64);
                let position = |at: u64| usize::try_from(at).expect("cut at the length of a slice");
                Ok((object.body[position(range.start)..position(range.end)].to_vec(), object.etag.clone()))
            },
        )
    }

    fn head(&self, key: &str) -> Result<ObjectMeta, ObjectError> {
        check_key(key)?;
        self.read(
            |requests| requests.head += 1,
            |state| state.objects.get(key).map(|object| object.meta(key)).ok_or(ObjectError::NotFound),
        )
    }

    fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<ObjectMeta>, ObjectError> {
        self.read(
            |requests| requests.list += 1,
            |state| {
                let from_prefix = state.objects.range(prefix.to_owned()..);
                let with_prefix = from_prefix.take_while(|(key, _)| key.starts_with(prefix));
                let behind = with_prefix.filter(|(key, _)| after.is_none_or(|after| key.as_str() > after));
                Ok(behind.take(limit).map(|(key, object)| object.meta(key)).collect())
            },
        )
    }

    fn delete(&self, key: &str) -> Result<(), ObjectError> {
        check_key(key)?;
        self.change(|requests| requests.delete += 1, Change::Delete { key: key.to_owned() })?;
        Ok(())
    }
}

impl State {
    /// Lets the late requests in whose time has come, counts the new one, and says what fault it suffers.
    fn arrive(&mut self, count: impl FnOnce(&mut ObjectRequests)) -> Option<ObjectFault> {
        self.deliver(self.requests.total());
        count(&mut self.requests);
        let number = self.requests.total();
        let busy = self.busy_from.filter(|&from| number >= from).map(|_| ObjectFault::Busy);
        self.faults.remove(&number).or(busy)
    }

    fn deliver(&mut self, until: u64) -> usize {
        let (due, late) = mem::take(&mut self.late).into_iter().partition(|(due, _)| *due <= until);
        self.late = late;
        let due: Vec<(u64, Change)> = due;
        let count = due.len();
        for (_, change) in due {
            // Nobody waits for the answer any more.
            drop(self.apply(change));
        }
        count
    }

    /// The tag of what was put, none for a delete.
    fn apply(&mut self, change: Change) -> Result<Option<ETag>, ObjectError> {
        match change {
            Change::Delete { key } => {
                self.objects.remove(&key);
                Ok(None)
            }
            Change::Put { key, body, condition } => {
                let present = self.objects.get(&key);
                let holds = match condition {
                    Condition::Always => true,
                    Condition::Absent => present.is_none(),
                    Condition::Matches(etag) => present.is_some_and(|object| object.etag == etag),
                };
                if !holds {
                    return Err(ObjectError::Precondition);
                }
                self.writes += 1;
                let etag = ETag(format!("{:016x}-{}", content_hash(&body), self.writes));
                self.objects.insert(key, Object { body, etag: etag.clone() });
                Ok(Some(etag))
            }
        }
    }
}

impl Object {
    fn meta(&self, key: &str) -> ObjectMeta {
        ObjectMeta { key: key.to_owned(), size: self.body.len() as u64, etag: self.etag.clone() }
    }
}

impl ObjectFault {
    fn error(self) -> ObjectError {
        match self {
            ObjectFault::ResponseLost | ObjectFault::RequestLost | ObjectFault::Late { .. } => {
                ObjectError::Unknown("no answer came".to_owned())
            }
            ObjectFault::Conflict => ObjectError::Conflict,
            ObjectFault::Precondition => ObjectError::Precondition,
            ObjectFault::Busy => ObjectError::Busy,
        }
    }
}
