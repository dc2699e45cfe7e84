//! Imports a data set into a database, or finishes an import that was interrupted.
//!
//! 1. Read what is remembered; if the import is complete, there is nothing to do.
//! 2. Get the data: the remembered set if there is one, else the wanted one.
//! 3. Remember set and moment, before anything is written.
//! 4. Write everything in batches. What an earlier run wrote is written again, which changes nothing: entities and
//!    relations replace themselves, signals carry idempotency keys.
//! 5. Remember that it is complete.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use tidaldb::{Batch, Database, Mutation, Timestamp};

use super::dataset::{Dataset, Source};
use super::progress::{Phase, Progress};
use super::record::Record;
use super::{Choice, bundled, directory, mapping, movielens};
use crate::limits::IMPORT_BATCH;

/// An import to be done.
pub struct Import<'a> {
    /// Where `import.json` and the cache are.
    pub directory: PathBuf,
    /// Which data set, if none has been begun here.
    pub choice: Choice,
    /// At which moment the newest rating is put, if none has been begun here: microseconds since 1970.
    pub now: i64,
    /// Told what happens.
    pub progress: &'a Progress,
    /// Ends the import before its next batch; it goes on at the next start.
    pub stop: &'a AtomicBool,
    /// Told, in a line, what a person at the terminal should know.
    pub say: &'a (dyn Fn(&str) + Sync),
}

/// Why an import ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportError {
    /// Because it was asked to.
    Stopped,
    /// For this reason.
    Failed(String),
}

impl From<String> for ImportError {
    fn from(reason: String) -> ImportError {
        ImportError::Failed(reason)
    }
}

impl From<tidaldb::Error> for ImportError {
    fn from(error: tidaldb::Error) -> ImportError {
        ImportError::Failed(error.to_string())
    }
}

impl Import<'_> {
    /// Does it; the progress says how it went.
    pub fn run(&self, database: &Database) -> Result<(), ImportError> {
        let result = self.steps(database);
        if let Err(ImportError::Failed(reason)) = &result {
            self.progress.enter(Phase::Failed, reason.as_str());
        }
        result
    }

    fn steps(&self, database: &Database) -> Result<(), ImportError> {
        let known = Record::load(&self.directory)?;
        if let Some(record) = known {
            directory::check_source(&self.directory, record.source, self.choice)?;
            if record.complete {
                self.begin(record.source);
                self.progress.enter(Phase::Done, "imported at an earlier start");
                return Ok(());
            }
        }
        self.progress.enter(Phase::Fetching, "getting the data");
        let data = self.dataset(known.map(|record| record.source))?;
        self.begin(data.source);
        let mut record = known.unwrap_or(Record { source: data.source, now: self.now, complete: false });
        record.save(&self.directory)?;
        self.progress.enter(Phase::Learning, "learning item vectors from the ratings");
        let vectors = mapping::vectors(&data);
        self.write(database, mapping::mutations(&data, &vectors, Timestamp(record.now)))?;
        record.complete = true;
        record.save(&self.directory)?;
        self.progress.enter(Phase::Done, "all is imported");
        (self.say)(&format!("imported {}", data.source.title()));
        Ok(())
    }

    fn begin(&self, source: Source) {
        self.progress.update(|state| state.source = Some(source.title().to_owned()));
        (self.say)(&format!("data: {}", source.title()));
        (self.say)(source.notice());
    }

    fn dataset(&self, begun: Option<Source>) -> Result<Dataset, ImportError> {
        let cache = self.directory.join(directory::CACHE);
        let fetch = || movielens::fetch::files(&cache, self.stop).and_then(|files| movielens::parse(&files));
        match (begun, self.choice) {
            (Some(Source::Bundled), _) | (None, Choice::Bundled) => Ok(bundled::dataset()),
            (Some(Source::MovieLens), _) | (None, Choice::MovieLens) => {
                fetch().map_err(|reason| self.not_fetched(&reason))
            }
            (None, Choice::Auto) => match fetch() {
                Ok(data) => Ok(data),
                Err(_) if self.stop.load(Ordering::Acquire) => Err(ImportError::Stopped),
                Err(reason) => {
                    (self.say)(&format!(
                        "MovieLens-100K is not to be had ({reason}); taking the bundled set instead"
                    ));
                    Ok(bundled::dataset())
                }
            },
        }
    }

    fn not_fetched(&self, reason: &str) -> ImportError {
        if self.stop.load(Ordering::Acquire) {
            return ImportError::Stopped;
        }
        ImportError::Failed(format!("MovieLens-100K is not to be had: {reason}"))
    }

    fn write(&self, database: &Database, mutations: Vec<Mutation>) -> Result<(), ImportError> {
        let total = mutations.len();
        self.progress.update(|state| (state.done, state.total) = (0, total));
        self.progress.enter(Phase::Writing, "writing items, users and signals");
        let mut mutations = mutations.into_iter();
        let mut said = 0;
        loop {
            let batch: Vec<Mutation> = mutations.by_ref().take(IMPORT_BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            if self.stop.load(Ordering::Acquire) {
                return Err(ImportError::Stopped);
            }
            let size = batch.len();
            database.write(Batch { mutations: batch })?;
            self.progress.update(|state| state.done += size);
            let tenths = self.progress.state().done * 10 / total;
            if tenths > said {
                said = tenths;
                (self.say)(&format!("imported {}0 % of {total} writes", tenths));
            }
        }
    }
}
