//! Signals against the model that keeps every event.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers of these tests are small"
)]

use model::signal::{Event, Events};

use super::{Decay, Measure, SignalTable, Window};
use crate::id::Row;
use crate::time::Timestamp;

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// An ordinary day: 2024-01-17, some hours into it.
const START: i64 = 19_739 * DAY + 5 * HOUR + 17 * MINUTE + 123_456;

const HALF_LIVES: [f64; 3] = [3_600.0, 7.0 * 86_400.0, 0.5];
const SPAN: f64 = 2.0 * 86_400.0;

fn decays() -> Vec<Decay> {
    vec![Decay::HalfLives(HALF_LIVES.to_vec()), Decay::Linear(SPAN), Decay::None]
}

/// SplitMix64: one seed, one sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: i64) -> i64 {
        (self.next() % bound as u64) as i64
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for place in (1..list.len()).rev() {
            list.swap(place, self.below(place as i64 + 1) as usize);
        }
    }
}

/// Events over seconds to years, with gaps, late ones, ones ahead of the clock, on and beside the edges of buckets.
fn random_events(random: &mut Random, count: i64) -> Vec<Event> {
    let gaps = [0, 1, SECOND, MINUTE, HOUR, 5 * HOUR, DAY, 3 * DAY, 30 * DAY, 2 * 365 * DAY];
    let weighted = random.below(2) == 0;
    let mut clock = if random.below(8) == 0 { -3 * DAY } else { START };
    let mut events = Vec::new();
    for _ in 0..count {
        let longest = if random.below(4) == 0 { 10 } else { 6 };
        let gap = gaps[random.below(longest) as usize];
        clock += if gap > 0 { random.below(gap + 1) } else { 0 };
        if random.below(4) == 0 {
            clock = clock.div_euclid(MINUTE) * MINUTE;
        }
        let shift = match random.below(6) {
            0 => random.below(DAY),
            1 => -random.below(2 * DAY),
            2 => -random.below(400 * DAY),
            _ => 0,
        };
        let weight = if weighted { (random.below(4_001) - 500) as f64 / 100.0 } else { 1.0 };
        let user = (random.below(3) > 0).then(|| random.below(20) as u32);
        events.push(Event { at: clock + shift, received: clock, weight, user });
    }
    events
}

fn apply(table: &mut SignalTable, row: u32, events: &[Event]) {
    for event in events {
        for signal in 0..3 {
            let (at, received) = (Timestamp(event.at), Timestamp(event.received));
            table.apply(Row(row), signal, event.weight, at, received, event.user.map(Row));
        }
    }
}

fn model_of(events: &[Event]) -> Events {
    let mut model = Events::default();
    events.iter().for_each(|event| model.add(*event));
    model
}

fn bucket(window: Window) -> i64 {
    match window {
        Window::Hour => MINUTE,
        Window::Day | Window::Week => HOUR,
        Window::Month | Window::Year | Window::All => DAY,
    }
}

/// Equal within 1e-6 of the magnitude of what was added up.
#[track_caller]
fn close(found: f64, expected: f64, magnitude: f64) {
    assert!((found - expected).abs() <= 1e-6 * magnitude + 1e-290, "found {found}, expected {expected}");
}

#[track_caller]
fn check(table: &SignalTable, row: u32, events: &[Event], now: i64) {
    let model = model_of(events);
    let absolute: Vec<Event> = events.iter().map(|e| Event { weight: e.weight.abs(), ..*e }).collect();
    let absolute = model_of(&absolute);
    let (row, at) = (Row(row), Timestamp(now));
    for signal in 0..3 {
        for window in Window::ALL {
            let micros = window.seconds().map(|seconds| i64::from(seconds) * SECOND);
            let (count, sum) = model.within(micros, bucket(window), now);
            assert_eq!(table.count(row, signal, window, at), count, "{window}");
            close(table.sum(row, signal, window, at), sum, absolute.within(micros, bucket(window), now).1);
            if let Some(seconds) = window.seconds() {
                let velocity = count as f64 / f64::from(seconds);
                assert_eq!(table.velocity(row, signal, window, at), velocity, "{window}");
            }
        }
        assert_eq!(table.uniques(row, signal), model.users() as f64);
        assert_eq!(table.total(row, signal), events.len() as u64);
    }
    for (index, half_life) in (0..).zip(HALF_LIVES) {
        let expected = model.exponential(half_life, now);
        close(table.decayed(row, 0, index, at), expected, absolute.exponential(half_life, now));
    }
    close(table.decayed(row, 1, 0, at), model.linear(SPAN, now), absolute.linear(SPAN, now));
    assert_eq!(table.decayed(row, 2, 0, at), table.sum(row, 2, Window::All, at));
}

#[test]
fn ten_thousand_random_sequences_read_as_the_model() {
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let mut table = SignalTable::new(&decays());
        let length = 1 + random.below(24);
        let events = random_events(&mut random, length);
        apply(&mut table, 7, &events);
        let last = events.iter().map(|event| event.received).max().expect("at least one event");
        let gaps = [0, 1, MINUTE, HOUR, DAY, 3 * DAY, 30 * DAY, 2 * 365 * DAY];
        let gap = gaps[random.below(8) as usize];
        let now = last + random.below(gap + 1);
        check(&table, 7, &events, now);
        check(&table, 7, &events, now.div_euclid(HOUR) * HOUR + HOUR);
        if seed % 16 == 0 {
            table.check_invariants();
        }
    }
}

#[test]
fn any_order_of_events_gives_the_same_state() {
    for seed in 0..500 {
        let mut random = Random(1_000_000 + seed);
        let length = 2 + random.below(30);
        let mut events = random_events(&mut random, length);
        // Whole weights add up without rounding, so that all but the decayed sums must be equal to the last bit.
        events.iter_mut().for_each(|event| event.weight = event.weight.round());
        let mut ordered = SignalTable::new(&decays());
        apply(&mut ordered, 0, &events);
        let now = Timestamp(events.iter().map(|event| event.received).max().unwrap() + HOUR);
        for _ in 0..4 {
            random.shuffle(&mut events);
            let mut shuffled = SignalTable::new(&decays());
            apply(&mut shuffled, 0, &events);
            shuffled.check_invariants();
            // The columns of the linear decay and of none hold no rounded number.
            for signal in 1..3 {
                let only = |table: &SignalTable| {
                    SignalTable { columns: vec![table.columns[signal].clone()] }.encode()
                };
                assert_eq!(only(&ordered), only(&shuffled), "signal {signal}");
            }
            for index in 0..3 {
                let (a, b) =
                    (ordered.decayed(Row(0), 0, index, now), shuffled.decayed(Row(0), 0, index, now));
                let magnitude: f64 = events.iter().map(|event| event.weight.abs()).sum();
                assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-12 * magnitude, "{a} and {b}");
            }
        }
    }
}

#[test]
fn windows_count_exactly_at_the_edges_of_their_buckets() {
    for window in Window::ALL {
        let Some(seconds) = window.seconds() else { continue };
        let length = i64::from(seconds) * SECOND;
        let now = START.div_euclid(DAY) * DAY;
        let mut table = SignalTable::new(&[Decay::None]);
        let mut events = Events::default();
        for at in [now - length - 1, now - length, now - length + 1, now - 1, now] {
            table.apply(Row(0), 0, 1.0, Timestamp(at), Timestamp(now), None);
            events.add(Event { at, received: now, weight: 1.0, user: None });
        }
        assert_eq!(
            table.count(Row(0), 0, window, Timestamp(now)),
            4,
            "{window}: one microsecond too old is out"
        );
        let step = bucket(window);
        for now in [now + step - 1, now + step, now + length - 1, now + length, now + length + step] {
            let expected = events.within(Some(length), step, now).0;
            assert_eq!(table.count(Row(0), 0, window, Timestamp(now)), expected, "{window}");
        }
        assert_eq!(table.count(Row(0), 0, window, Timestamp(now + length + step)), 0, "{window}");
    }
}

#[test]
fn after_an_idle_gap_only_expired_buckets_are_zero() {
    let gaps = [(3 * DAY, [0, 0, 1, 1, 1]), (30 * DAY, [0, 0, 0, 1, 1]), (2 * 365 * DAY, [0, 0, 0, 0, 0])];
    for (gap, expected) in gaps {
        let start = START.div_euclid(DAY) * DAY;
        let mut table = SignalTable::new(&decays());
        table.apply(Row(3), 0, 1.0, Timestamp(start), Timestamp(start), None);
        let count = |table: &SignalTable, window| table.count(Row(3), 0, window, Timestamp(start + gap));
        assert_eq!(Window::ALL.map(|window| count(&table, window))[..5], expected, "by the clock alone");
        table.apply(Row(3), 0, 1.0, Timestamp(start + gap), Timestamp(start + gap), None);
        let after = expected.map(|count| count + 1);
        assert_eq!(Window::ALL.map(|window| count(&table, window))[..5], after, "after the next event");
        assert_eq!(count(&table, Window::All), 2);
        table.check_invariants();
    }
}

#[test]
fn decay_follows_the_clock_and_nothing_is_written() {
    let mut table = SignalTable::new(&[Decay::HalfLives(vec![3_600.0, 86_400.0])]);
    let at = |hours: i64| Timestamp(START + hours * HOUR);
    // Many a day ago, few now.
    for _ in 0..64 {
        table.apply(Row(1), 0, 1.0, at(0), at(24), None);
    }
    table.apply(Row(2), 0, 1.0, at(24), at(24), None);
    let order = |table: &SignalTable, index, now| {
        let top = table.top(0, Measure::Decayed(index), now, 2, |_| true);
        top.into_iter().map(|(row, _)| row.0).collect::<Vec<_>>()
    };
    let before = table.encode();
    assert_eq!(order(&table, 0, at(24)), [2, 1]);
    assert_eq!(order(&table, 1, at(24)), [1, 2]);
    let halved = table.decayed(Row(1), 0, 1, at(48)) / table.decayed(Row(1), 0, 1, at(24));
    assert!((halved - 0.5).abs() < 1e-12);
    assert_eq!(table.encode(), before);
}

#[test]
fn linear_decay_is_zero_from_its_span_on() {
    let mut table = SignalTable::new(&[Decay::Linear(10.0)]);
    let at = |seconds: f64| Timestamp(START + (seconds * 1e6) as i64);
    table.apply(Row(0), 0, 8.0, at(0.0), at(0.0), None);
    assert_eq!(table.decayed(Row(0), 0, 0, at(5.0)), 4.0);
    assert!(table.decayed(Row(0), 0, 0, Timestamp(at(10.0).0 - 1)) > 0.0);
    assert_eq!(table.decayed(Row(0), 0, 0, at(10.0)), 0.0);
    assert_eq!(table.decayed(Row(0), 0, 0, at(1e9)), 0.0);
}

#[test]
fn a_clock_ahead_or_before_the_events_gains_nothing() {
    let mut table = SignalTable::new(&decays());
    let (now, ahead) = (Timestamp(START), Timestamp(START + DAY));
    table.apply(Row(0), 0, 1.0, ahead, now, None);
    table.apply(Row(1), 0, 1.0, now, now, None);
    assert_eq!(table.decayed(Row(0), 0, 0, now), table.decayed(Row(1), 0, 0, now));
    assert_eq!(table.newest(Row(0), 0), Some(now));
    // Before the event it is worth its weight, not more, and no window has it.
    let before = Timestamp(START - 2 * DAY);
    close(table.decayed(Row(0), 0, 0, before), 1.0, 1.0);
    assert_eq!(table.count(Row(0), 0, Window::Year, before), 0);
    assert_eq!(table.total(Row(0), 0), 1);
}

#[test]
fn an_earlier_now_counts_to_the_bucket() {
    let mut table = SignalTable::new(&[Decay::None]);
    let start = START.div_euclid(HOUR) * HOUR;
    for minute in 0..90 {
        table.apply(Row(0), 0, 1.0, Timestamp(start + minute * MINUTE), Timestamp(start + 2 * HOUR), None);
    }
    // What `Hour` needs at that time is still there from minute 29 on; `Day` reads whole hours.
    assert_eq!(table.count(Row(0), 0, Window::Hour, Timestamp(start + 60 * MINUTE)), 32);
    assert_eq!(table.count(Row(0), 0, Window::Day, Timestamp(start + 59 * MINUTE)), 60);
}

#[test]
fn the_ends_of_time_and_of_weights_leave_every_number_finite() {
    let mut table = SignalTable::new(&decays());
    let times = [i64::MIN, -1, 0, 1, START, i64::MAX];
    for at in times {
        for weight in [super::MAX_WEIGHT, -super::MAX_WEIGHT, f64::MIN_POSITIVE, 0.0] {
            for signal in 0..3 {
                table.apply(Row(u32::MAX), signal, weight, Timestamp(at), Timestamp(at), Some(Row(u32::MAX)));
            }
        }
    }
    table.check_invariants();
    for now in times.map(Timestamp) {
        for signal in 0..3 {
            for window in Window::ALL {
                assert!(table.sum(Row(u32::MAX), signal, window, now).is_finite());
            }
            for index in 0..4 {
                assert!(table.decayed(Row(u32::MAX), signal, index, now).is_finite());
            }
        }
    }
    for weight in [f64::NAN, f64::INFINITY, 2e15] {
        assert!(SignalTable::check_weight(weight).is_err());
    }
    assert!(SignalTable::check_weight(-1e15).is_ok());
}

#[test]
fn a_burst_of_one_user_is_one_user_and_exact() {
    let mut table = SignalTable::new(&decays());
    for n in 0..100_000 {
        table.apply(Row(5), 0, 1.0, Timestamp(START + n * 10), Timestamp(START + SECOND), Some(Row(9)));
    }
    let now = Timestamp(START + SECOND);
    assert_eq!(table.uniques(Row(5), 0), 1.0);
    for window in Window::ALL {
        assert_eq!(
            table.count(Row(5), 0, window, now),
            100_000,
            "{window}: beyond what a narrow bucket counts"
        );
        assert_eq!(table.sum(Row(5), 0, window, now), 100_000.0, "{window}");
    }
    table.check_invariants();
}

#[test]
fn unknown_rows_and_signals_read_as_zero() {
    let mut table = SignalTable::new(&decays());
    table.apply(Row(1), 9, 1.0, Timestamp(0), Timestamp(0), None);
    for (row, signal) in [(Row(0), 0), (Row(1), 9)] {
        assert_eq!(table.total(row, signal), 0);
        assert_eq!(table.value(row, signal, Measure::Decayed(0), Timestamp(0)), 0.0);
        assert_eq!(table.newest(row, signal), None);
    }
    assert!(table.top(9, Measure::Total, Timestamp(0), 3, |_| true).is_empty());
}

#[test]
fn top_is_the_head_of_a_full_sort() {
    let mut random = Random(5);
    let mut table = SignalTable::new(&[Decay::HalfLives(vec![86_400.0])]);
    for _ in 0..5_000 {
        let at = Timestamp(START + random.below(10 * DAY));
        table.apply(Row(random.below(700) as u32), 0, 1.0, at, at, Some(Row(random.below(50) as u32)));
    }
    let now = Timestamp(START + 10 * DAY);
    let measures = [Measure::Total, Measure::Decayed(0), Measure::Count(Window::Day), Measure::Uniques];
    for measure in measures {
        let mut all: Vec<(Row, f64)> = (0..700)
            .filter(|row| row % 3 > 0)
            .map(|row| (Row(row), table.value(Row(row), 0, measure, now)))
            .filter(|(_, value)| *value > 0.0)
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for k in [0, 1, 10, 1_000] {
            let top = table.top(0, measure, now, k, |row| row.0 % 3 > 0);
            assert_eq!(top, all[..k.min(all.len())], "{measure:?}");
        }
    }
}

mod bytes {
    use super::*;

    fn filled(seed: u64) -> (SignalTable, Vec<Vec<Event>>) {
        let mut random = Random(seed);
        let mut table = SignalTable::new(&decays());
        let mut all = Vec::new();
        for row in 0..8 {
            let events = random_events(&mut random, 40);
            apply(&mut table, row * 5_000, &events);
            all.push(events);
        }
        for user in 0..300 {
            table.apply(Row(1), 0, 1.0, Timestamp(START), Timestamp(START), Some(Row(user)));
        }
        (table, all)
    }

    #[test]
    fn what_is_decoded_is_the_same_and_goes_on_the_same() {
        for seed in 0..100 {
            let (mut table, all) = filled(seed);
            let bytes = table.encode();
            let mut decoded = SignalTable::decode(&decays(), &bytes).unwrap();
            decoded.check_invariants();
            assert_eq!(decoded.encode(), bytes);
            let later: Vec<Event> = all[0]
                .iter()
                .map(|event| Event { at: event.at + 9 * DAY, received: event.received + 9 * DAY, ..*event })
                .collect();
            for table in [&mut table, &mut decoded] {
                apply(table, 0, &later);
                apply(table, 12_345, &later);
                table.check_invariants();
            }
            assert_eq!(decoded.encode(), table.encode());
        }
    }

    #[test]
    fn a_signal_added_at_the_end_starts_empty() {
        let (table, _) = filled(1);
        let mut more = decays();
        more.push(Decay::None);
        let decoded = SignalTable::decode(&more, &table.encode()).unwrap();
        assert_eq!(decoded.signals(), 4);
        assert_eq!(decoded.total(Row(0), 0), table.total(Row(0), 0));
        assert_eq!(decoded.total(Row(0), 3), 0);
    }

    #[test]
    fn other_decays_are_refused() {
        let (table, _) = filled(1);
        let bytes = table.encode();
        for other in
            [vec![Decay::None], vec![Decay::HalfLives(vec![3_601.0, 7.0, 0.5]), Decay::None, Decay::None]]
        {
            assert!(SignalTable::decode(&other, &bytes).is_err());
        }
    }

    #[test]
    fn damaged_bytes_are_an_error_or_a_sound_table() {
        let (table, _) = filled(2);
        let bytes = table.encode();
        for length in (0..bytes.len()).step_by(7) {
            assert!(SignalTable::decode(&decays(), &bytes[..length]).is_err(), "cut to {length}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(SignalTable::decode(&decays(), &longer).is_err());
        let mut random = Random(3);
        for _ in 0..2_000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let place = random.below(damaged.len() as i64) as usize;
                damaged[place] ^= 1 << random.below(8);
            }
            if let Ok(mut table) = SignalTable::decode(&decays(), &damaged) {
                // A checksum is the caller's; what gets past must still be safe to use.
                table.top(0, Measure::Decayed(0), Timestamp(START), 10, |_| true);
                apply(&mut table, 0, &random_events(&mut random, 3));
            }
        }
    }

    #[test]
    fn the_format_is_the_one_described() {
        let mut table = SignalTable::new(&[Decay::HalfLives(vec![1.0]), Decay::Linear(2.0), Decay::None]);
        table.apply(Row(7), 0, 1.0, Timestamp(0), Timestamp(0), Some(Row(9)));
        table.apply(Row(8), 1, 2.0, Timestamp(-1), Timestamp(0), None);
        let found: String = table.encode().iter().map(|byte| format!("{byte:02x}")).collect();
        let page = include_str!("../../../docs/format/signal-table.md");
        let example = page.split("```hex").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let described: String =
            example.lines().map(|line| line.split('#').next().unwrap().replace(' ', "")).collect();
        assert_eq!(found, described);
    }
}
