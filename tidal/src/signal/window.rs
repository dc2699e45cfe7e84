//! Windows of time.

use serde::{Deserialize, Serialize};

/// The time back from now within which signals are counted.
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
