//! Background work, on threads and by hand.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use kv0_env::local::ThreadTurns;
use kv0_env::memory::{self, ManualClock, ManualTurns};
use kv0_env::{Background, Turn, TurnHandle, Turns};

struct Work<F>(F);

impl<F: FnMut() -> Turn + Send> Background for Work<F> {
    fn turn(&mut self) -> Turn {
        (self.0)()
    }
}

fn work(turn: impl FnMut() -> Turn + Send + 'static) -> Box<dyn Background> {
    Box::new(Work(turn))
}

fn manual() -> (Arc<ManualClock>, ManualTurns) {
    let clock = Arc::new(ManualClock::new(0));
    let turns = ManualTurns::new(Arc::clone(&clock) as _);
    (clock, turns)
}

/// A place for a handle that its own work drops.
type Slot = Arc<Mutex<Option<Box<dyn TurnHandle>>>>;

#[test]
fn a_thread_runs_work_when_woken_and_ends_with_the_handle() {
    let (told, turns) = mpsc::channel();
    let owned = Arc::new(());
    let owned_by_work = Arc::clone(&owned);
    let handle = ThreadTurns::new().spawn(
        "worker",
        work(move || {
            let _ = &owned_by_work;
            told.send(thread::current().name().map(str::to_owned)).unwrap();
            Turn::Idle
        }),
    );
    for _ in 0..10 {
        assert_eq!(turns.recv().unwrap().as_deref(), Some("worker"));
        handle.wake();
    }
    drop(handle);
    assert_eq!(Arc::strong_count(&owned), 1, "the work is gone when the drop returns");
}

#[test]
fn a_thread_goes_on_after_again_and_after_a_time() {
    let (told, turns) = mpsc::channel();
    let mut plan =
        vec![Turn::Done, Turn::IdleFor(Duration::from_nanos(1)), Turn::Again, Turn::Again].into_iter().rev();
    let handle = ThreadTurns::new().spawn(
        "worker",
        work(move || {
            let turn = plan.next().expect("no turn after Done");
            told.send(turn).unwrap();
            turn
        }),
    );
    assert_eq!(turns.iter().count(), 4, "all turns without a wake, and then the work is dropped");
    handle.wake();
    drop(handle);
}

#[test]
fn an_idle_time_ends_when_woken_or_dropped() {
    let (told, turns) = mpsc::channel();
    let handle = ThreadTurns::new().spawn(
        "worker",
        work(move || {
            told.send(()).unwrap();
            Turn::IdleFor(Duration::MAX)
        }),
    );
    turns.recv().unwrap();
    handle.wake();
    turns.recv().unwrap();
    drop(handle);
}

#[test]
fn a_panic_in_a_thread_does_not_hang_the_drop() {
    let (told, turns) = mpsc::channel::<()>();
    let handle = ThreadTurns::new().spawn(
        "panics as the test wants",
        work(move || {
            let _ = &told;
            panic!("as the test wants")
        }),
    );
    assert!(turns.recv().is_err(), "the work is dropped");
    handle.wake();
    drop(handle);
}

#[test]
fn a_thread_may_drop_its_own_handle() {
    let slot: Slot = Arc::default();
    let slot_of_work = Arc::clone(&slot);
    let (told, turns) = mpsc::channel();
    let handle = ThreadTurns::new().spawn(
        "worker",
        work(move || {
            let own = slot_of_work.lock().unwrap().take();
            let is_last = own.is_some();
            // Told afterwards: if the drop fails, nothing is told.
            drop(own);
            told.send(is_last).unwrap();
            if is_last { Turn::Again } else { Turn::Idle }
        }),
    );
    *slot.lock().unwrap() = Some(handle);
    if let Some(handle) = slot.lock().unwrap().as_ref() {
        handle.wake();
    }
    assert_eq!(
        turns.iter().filter(|dropped| *dropped).count(),
        1,
        "it ends, though it asked for another turn"
    );
}

#[test]
fn turns_by_hand_go_where_the_caller_says() {
    let (_, turns) = manual();
    let log = Arc::new(Mutex::new(Vec::new()));
    let spawn = |name: &'static str| {
        let log = Arc::clone(&log);
        turns.spawn(
            name,
            work(move || {
                log.lock().unwrap().push(name);
                Turn::Idle
            }),
        )
    };
    let (a, b, c) = (spawn("a"), spawn("b"), spawn("c"));
    assert_eq!(turns.runnable(), ["a", "b", "c"], "new work can run at once");
    assert!(turns.run_one(&mut |count| count - 1));
    assert!(turns.run_one(&mut |count| count - 2));
    assert!(turns.run_one(&mut |_| 0));
    assert!(!turns.run_one(&mut |_| panic!("nobody can run")));
    assert_eq!(*log.lock().unwrap(), ["c", "a", "b"]);
    b.wake();
    b.wake();
    assert_eq!(turns.run_until_idle(), 1, "many wakes, one turn");
    assert_eq!(log.lock().unwrap().last(), Some(&"b"));
    drop(b);
    a.wake();
    c.wake();
    assert_eq!(turns.runnable(), ["a", "c"]);
}

#[test]
fn an_idle_time_by_hand_ends_with_the_clock() {
    let (clock, turns) = manual();
    let handle = turns.spawn("sleeper", work(|| Turn::IdleFor(Duration::from_nanos(10))));
    assert_eq!(turns.run_until_idle(), 1);
    assert_eq!(turns.next_deadline_nanos(), Some(10));
    clock.advance(Duration::from_nanos(9));
    assert_eq!(turns.run_until_idle(), 0);
    clock.advance(Duration::from_nanos(1));
    assert_eq!(turns.run_until_idle(), 1);
    handle.wake();
    assert_eq!(turns.run_until_idle(), 1, "or when woken");
}

#[test]
fn work_ends_when_done_dropped_killed_or_panicking() {
    let (_, turns) = manual();
    let alive = Arc::new(());
    let spawn = |turn: fn() -> Turn| {
        let alive = Arc::clone(&alive);
        turns.spawn(
            "work",
            work(move || {
                let _ = &alive;
                turn()
            }),
        )
    };
    let done = spawn(|| Turn::Done);
    assert_eq!(turns.run_until_idle(), 1);
    done.wake();
    assert_eq!(turns.run_until_idle(), 0);
    assert_eq!(Arc::strong_count(&alive), 1);

    drop(spawn(|| Turn::Again));
    assert!(turns.runnable().is_empty());
    assert_eq!(Arc::strong_count(&alive), 1);

    let panicking = spawn(|| panic!("as the test wants"));
    let by_hand = turns.clone();
    assert!(thread::scope(|scope| scope.spawn(move || by_hand.run_one(&mut |_| 0)).join()).is_err());
    drop(panicking);
    assert_eq!(Arc::strong_count(&alive), 1);

    let killed = spawn(|| Turn::Again);
    turns.kill();
    assert_eq!(Arc::strong_count(&alive), 1);
    killed.wake();
    drop(killed);
    assert!(turns.runnable().is_empty());
}

#[test]
fn work_by_hand_may_wake_spawn_and_drop_its_own_handle() {
    let (_, turns) = manual();
    let slot: Slot = Arc::default();
    let (slot_of_work, turns_of_work) = (Arc::clone(&slot), turns.clone());
    let count = Arc::new(AtomicU64::new(0));
    let count_of_work = Arc::clone(&count);
    let spawned: Slot = Arc::default();
    let spawned_by_work = Arc::clone(&spawned);
    let handle = turns.spawn(
        "self-made",
        work(move || match count_of_work.fetch_add(1, Ordering::SeqCst) {
            0 => {
                slot_of_work.lock().unwrap().as_ref().unwrap().wake();
                let count = Arc::clone(&count_of_work);
                let child = turns_of_work.spawn(
                    "child",
                    work(move || {
                        count.fetch_add(100, Ordering::SeqCst);
                        Turn::Idle
                    }),
                );
                *spawned_by_work.lock().unwrap() = Some(child);
                Turn::Idle
            }
            _ => {
                drop(slot_of_work.lock().unwrap().take());
                Turn::Again
            }
        }),
    );
    *slot.lock().unwrap() = Some(handle);
    assert_eq!(turns.run_until_idle(), 3, "woken in its own turn it runs again, and then never more");
    assert_eq!(count.load(Ordering::SeqCst), 102);
}

#[test]
fn a_drop_from_another_thread_waits_for_the_turn() {
    let (_, turns) = manual();
    let (started, wait_for_start) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let finished = Arc::new(AtomicU64::new(0));
    let finished_by_work = Arc::clone(&finished);
    let handle = turns.spawn(
        "slow",
        work(move || {
            started.send(()).unwrap();
            released.recv().unwrap();
            finished_by_work.store(1, Ordering::SeqCst);
            Turn::Again
        }),
    );
    thread::scope(|scope| {
        scope.spawn(|| turns.run_one(&mut |_| 0));
        wait_for_start.recv().unwrap();
        let dropping = scope.spawn(move || drop(handle));
        release.send(()).unwrap();
        dropping.join().unwrap();
        assert_eq!(finished.load(Ordering::SeqCst), 1, "the drop came back before the turn was over");
    });
    assert!(turns.runnable().is_empty());
}

#[test]
fn a_crash_of_the_world_ends_its_background_work() {
    let (env, world) = memory::env(1);
    let file = env.files.create_new("f").unwrap();
    let handle =
        env.turns.spawn("flusher", work(move || if file.sync().is_ok() { Turn::Idle } else { Turn::Done }));
    assert_eq!(world.turns.run_until_idle(), 1);
    world.power_cut(2);
    handle.wake();
    assert_eq!(world.turns.run_until_idle(), 0);
}
