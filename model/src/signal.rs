//! Signals by the definition: all events are kept, and every question goes through all of them.

/// The events of one signal of one target.
#[derive(Debug, Clone, Default)]
pub struct Events {
    events: Vec<Event>,
}

/// Something that happened. Times in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// When it is said to have happened.
    pub at: i64,
    /// When the database was told.
    pub received: i64,
    /// How much it counts.
    pub weight: f64,
    /// Who did it.
    pub user: Option<u32>,
}

impl Event {
    /// When it counts as having happened: a clock that is ahead gains nothing.
    pub fn time(&self) -> i64 {
        self.at.min(self.received)
    }
}

impl Events {
    /// Adds an event.
    pub fn add(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Count and sum of weights from `window` before the start of the bucket that `now` lies in, to that bucket's end;
    /// of all time without a window. `now` is not before any event, so that there is none between it and the end.
    pub fn within(&self, window: Option<i64>, bucket: i64, now: i64) -> (u64, f64) {
        let start = now.div_euclid(bucket) * bucket;
        let inside = |event: &&Event| {
            window.is_none_or(|window| event.time() >= start - window && event.time() < start + bucket)
        };
        let chosen: Vec<&Event> = self.events.iter().filter(inside).collect();
        (chosen.len() as u64, chosen.iter().map(|event| event.weight).sum())
    }

    /// Weights, each halved once per half-life of its age.
    pub fn exponential(&self, half_life_seconds: f64, now: i64) -> f64 {
        self.decayed(now, |age| 0.5_f64.powf(age / half_life_seconds))
    }

    /// Weights, each falling evenly to nothing over the span.
    pub fn linear(&self, span_seconds: f64, now: i64) -> f64 {
        self.decayed(now, |age| (1.0 - age / span_seconds).max(0.0))
    }

    /// Different users.
    pub fn users(&self) -> usize {
        let users: std::collections::BTreeSet<u32> =
            self.events.iter().filter_map(|event| event.user).collect();
        users.len()
    }

    fn decayed(&self, now: i64, worth: impl Fn(f64) -> f64) -> f64 {
        let age = |event: &Event| (now - event.time()).max(0) as f64 / 1e6;
        self.events.iter().map(|event| event.weight * worth(age(event))).sum()
    }
}
