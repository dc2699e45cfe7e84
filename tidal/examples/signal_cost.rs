//! What signals cost: bytes per item and signal, and time per event, at 100,000 items with Zipf(1.0) traffic.
//!
//! `cargo run --release --example signal_cost -- [events]`. Rough: one thread, wall time, whatever else runs.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the numbers are small")]

use std::hint::black_box;
use std::time::Instant;

use tidaldb::signal::{Decay, Measure, SignalTable};
use tidaldb::{Row, Timestamp, Window};

const ITEMS: usize = 100_000;
const START: i64 = 1_700_000_000_000_000;
/// The events are spread over this many days.
const DAYS: i64 = 90;

fn main() {
    let events: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let step = DAYS * 86_400_000_000 / events as i64;
    let stream: Vec<(Row, Timestamp, Row)> = (0..events)
        .map(|n| {
            // The inverse of the distribution function of Zipf(1.0), nearly; hot items are spread over the rows.
            let rank = (ITEMS as f64).powf(random()) as u64;
            let row = rank.wrapping_mul(2_654_435_761) % ITEMS as u64;
            (Row(row as u32), Timestamp(START + n as i64 * step), Row((random() * 50_000.0) as u32))
        })
        .collect();
    let decay = Decay::HalfLives(vec![3_600.0, 86_400.0, 7.0 * 86_400.0]);
    for (name, with_user) in [("without users", false), ("with users", true)] {
        let mut table = SignalTable::new(std::slice::from_ref(&decay));
        let begin = Instant::now();
        for (row, at, user) in &stream {
            table.apply(*row, 0, 1.0, *at, *at, with_user.then_some(*user));
        }
        let nanos = begin.elapsed().as_nanos() as f64 / events as f64;
        let (pairs, bytes) = table.memory();
        println!(
            "{name}: {events} events on {pairs} items: {nanos:.0} ns an event, {:.0} bytes an item",
            bytes as f64 / pairs as f64
        );
        let now = Timestamp(START + DAYS * 86_400_000_000);
        for measure in [Measure::Decayed(2), Measure::Count(Window::Day), Measure::Count(Window::Year)] {
            let begin = Instant::now();
            black_box(table.top(0, measure, now, 100, |_| true));
            let micros = begin.elapsed().as_micros();
            println!("  top 100 by {measure:?} of {pairs}: {micros} us");
        }
        let begin = Instant::now();
        let encoded = table.encode().len();
        println!("  encoded: {encoded} bytes in {} ms", begin.elapsed().as_millis());
    }
}
