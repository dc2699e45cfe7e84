//! Decay.
//!
//! Exponential decay is kept *forward* (Cormode, Shkapenyuk, Srivastava, Xu: "Forward decay", ICDE 2009):
//!
//! 1. Time is cut into epochs of 64 half-lives; the landmark L of a cell is the start of the epoch of its newest event.
//! 2. An event of weight w at t adds w * 2^((t - L) / h). That is a plain addition, so the order of events does not
//!    matter, and an event before L simply adds little.
//! 3. The value at a time T is the sum times 2^(-(T - L) / h).
//! 4. When the newest event enters a later epoch the sum is multiplied by 2^(-64 * epochs), which is exact.
//!
//! So a sum is below 2^64 times the sum of the weights, far inside the range of f64, for any span of time.
//!
//! Linear decay keeps the events of the last span: what each still counts is known exactly only from its time.

use crate::time::MICROS_PER_SECOND;

/// How the worth of an event falls with its age.
#[derive(Debug, Clone, PartialEq)]
pub enum Decay {
    /// Halves every so many seconds; one value is kept per half-life. From one microsecond to 10^10 seconds.
    HalfLives(Vec<f64>),
    /// Falls evenly and is zero from an age of so many seconds on. From one microsecond to 10^10 seconds.
    Linear(f64),
    /// Does not fall.
    None,
}

impl Decay {
    /// How many decayed values a signal with this decay has.
    pub fn values(&self) -> usize {
        match self {
            Decay::HalfLives(half_lives) => half_lives.len(),
            Decay::Linear(_) | Decay::None => 1,
        }
    }
}

const HALF_LIVES_PER_EPOCH: i64 = 64;
const MAX_SPAN_SECONDS: f64 = 1e10;

/// A length in seconds as whole microseconds, at least one.
#[expect(clippy::cast_possible_truncation, reason = "clamped to 10^16 microseconds before")]
pub(crate) fn span_micros(seconds: f64) -> i64 {
    let micros = seconds.clamp(0.0, MAX_SPAN_SECONDS) * MICROS_PER_SECOND as f64;
    (micros.round() as i64).max(1)
}

/// The arithmetic of one half-life. Times in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HalfLife {
    micros: i64,
}

impl HalfLife {
    pub(crate) fn new(seconds: f64) -> HalfLife {
        HalfLife { micros: span_micros(seconds) }
    }

    pub(crate) fn micros(self) -> i64 {
        self.micros
    }

    pub(crate) fn epoch(self, at: i64) -> i64 {
        at.div_euclid(self.micros * HALF_LIVES_PER_EPOCH)
    }

    /// The start of an epoch.
    pub(crate) fn landmark(self, epoch: i64) -> i64 {
        epoch * self.micros * HALF_LIVES_PER_EPOCH
    }

    /// 2^((at - L) / h) for the landmark L of an epoch.
    pub(crate) fn factor(self, at: i64, epoch: i64) -> f64 {
        libm::exp2(self.half_lives(at, epoch))
    }

    /// 2^(-(at - L) / h).
    pub(crate) fn inverse(self, at: i64, epoch: i64) -> f64 {
        libm::exp2(-self.half_lives(at, epoch))
    }

    /// What a sum is multiplied by when its landmark moves.
    pub(crate) fn shift(from: i64, to: i64) -> f64 {
        libm::exp2(-((to - from) as f64) * HALF_LIVES_PER_EPOCH as f64)
    }

    fn half_lives(self, at: i64, epoch: i64) -> f64 {
        (at - self.landmark(epoch)) as f64 / self.micros as f64
    }
}

/// The events that a linear decay has not brought to zero yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Points {
    /// By time, each time once.
    points: Vec<Point>,
}

/// All events of one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: i64,
    pub(crate) weight: f64,
}

impl Points {
    pub(crate) fn add(&mut self, at: i64, weight: f64, newest: i64, span: i64) {
        let dead = newest - span;
        let stale = self.points.partition_point(|point| point.at <= dead);
        self.points.drain(..stale);
        if at <= dead {
            return;
        }
        let place = self.points.partition_point(|point| point.at < at);
        match self.points.get_mut(place) {
            Some(point) if point.at == at => point.weight += weight,
            _ => self.points.insert(place, Point { at, weight }),
        }
    }

    pub(crate) fn read(&self, now: i64, span: i64) -> f64 {
        let alive = self.points.partition_point(|point| point.at <= now - span);
        self.points[alive..]
            .iter()
            .map(|point| point.weight * (1.0 - (now - point.at) as f64 / span as f64))
            .sum()
    }

    pub(crate) fn points(&self) -> &[Point] {
        &self.points
    }

    /// `None` if they are not what [`Points::add`] would have left.
    pub(crate) fn from_points(points: Vec<Point>, newest: i64, span: i64) -> Option<Points> {
        let fits = points
            .iter()
            .all(|point| point.at > newest - span && point.at <= newest && point.weight.is_finite());
        let sorted = points.windows(2).all(|pair| pair[0].at < pair[1].at);
        (fits && sorted).then_some(Points { points })
    }
}
