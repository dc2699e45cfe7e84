//! Windows of time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::MICROS_PER_SECOND;

/// The time back from now within which signals are counted.
///
/// Counts are kept in buckets of a minute (for `1h`), an hour (`24h`, `7d`) or a day (`30d`, `365d`). A window reaches
/// from its length before the start of the bucket that now lies in, up to now: exactly its length if now is the edge of
/// a bucket, and at most one bucket more otherwise. An event exactly one window ago counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Window {
    /// One hour.
    #[serde(rename = "1h")]
    Hour,
    /// 24 hours.
    #[serde(rename = "24h")]
    Day,
    /// 7 days.
    #[serde(rename = "7d")]
    Week,
    /// 30 days.
    #[serde(rename = "30d")]
    Month,
    /// 365 days.
    #[serde(rename = "365d")]
    Year,
    /// All time.
    #[serde(rename = "all")]
    All,
}

impl Window {
    /// Every window, shortest first.
    pub const ALL: [Window; 6] =
        [Window::Hour, Window::Day, Window::Week, Window::Month, Window::Year, Window::All];

    /// Its name in queries, schemas and profiles.
    pub fn name(self) -> &'static str {
        match self {
            Window::Hour => "1h",
            Window::Day => "24h",
            Window::Week => "7d",
            Window::Month => "30d",
            Window::Year => "365d",
            Window::All => "all",
        }
    }

    /// The window of that name.
    pub fn from_name(name: &str) -> Option<Window> {
        Window::ALL.into_iter().find(|window| window.name() == name)
    }

    /// Its length; none for all time.
    pub fn seconds(self) -> Option<u32> {
        const HOUR: u32 = 3_600;
        match self {
            Window::Hour => Some(HOUR),
            Window::Day => Some(24 * HOUR),
            Window::Week => Some(7 * 24 * HOUR),
            Window::Month => Some(30 * 24 * HOUR),
            Window::Year => Some(365 * 24 * HOUR),
            Window::All => None,
        }
    }

    /// The buckets that it is made of, and how many whole ones lie before the one that now lies in.
    pub(crate) fn buckets(self) -> Option<(Resolution, u16)> {
        match self {
            Window::Hour => Some((Resolution::Minute, 60)),
            Window::Day => Some((Resolution::Hour, 24)),
            Window::Week => Some((Resolution::Hour, 7 * 24)),
            Window::Month => Some((Resolution::Day, 30)),
            Window::Year => Some((Resolution::Day, 365)),
            Window::All => None,
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The lengths of buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolution {
    Day,
    Hour,
    Minute,
}

impl Resolution {
    /// The order in which a cell holds its buckets.
    pub(crate) const ALL: [Resolution; 3] = [Resolution::Day, Resolution::Hour, Resolution::Minute];

    /// Number of the bucket that a time (in microseconds) lies in.
    pub(crate) fn index(self, micros: i64) -> i64 {
        // Constants in each arm: a division by a constant is a multiplication.
        match self {
            Resolution::Day => micros.div_euclid(86_400 * MICROS_PER_SECOND),
            Resolution::Hour => micros.div_euclid(3_600 * MICROS_PER_SECOND),
            Resolution::Minute => micros.div_euclid(60 * MICROS_PER_SECOND),
        }
    }

    /// How many buckets before the newest are kept: what the longest window over them needs.
    pub(crate) fn kept(self) -> u16 {
        match self {
            Resolution::Day => 365,
            Resolution::Hour => 7 * 24,
            Resolution::Minute => 60,
        }
    }
}
