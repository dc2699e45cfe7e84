//! Every bound of the server.

use std::time::Duration;

/// Longest request body, in bytes.
pub const MAX_BODY_BYTES: usize = 8 << 20;
/// Most calls of the database at one time; each holds a thread.
pub const MAX_RUNNING: usize = 16;
/// Most requests that wait for their turn or run; one more is told to come again.
pub const MAX_WAITING: usize = 256;
/// Longest time from the head of a request to its answer.
pub const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Most connections at one time; one more waits until another ends.
pub const MAX_CONNECTIONS: usize = 256;
/// Longest time that a connection is kept on which nothing is said. Longer than a request may take.
pub const CONNECTION_IDLE_TIME: Duration = Duration::from_secs(60);
/// Longest time that requests under way are given to finish when the server stops.
pub const STOP_TIME: Duration = Duration::from_secs(10);
/// Seconds after which a refused client is asked to come again.
pub const RETRY_AFTER_SECONDS: u32 = 1;
/// Entities in one page of a list, unless the request says how many.
pub const DEFAULT_PAGE: usize = 100;
/// Mutations of one batch of the demo's import.
pub const IMPORT_BATCH: usize = 1_000;
/// Longest file of the demo's data, in bytes.
pub const MAX_DATA_FILE_BYTES: u64 = 64 << 20;
/// Longest text of a problem, in characters: a refused request is not sent back whole.
pub const MAX_PROBLEM_CHARS: usize = 500;
