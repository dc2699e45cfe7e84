//! What the handlers share: the database, behind a bounded number of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tidaldb::Database;
use tokio::sync::Semaphore;

use super::problem::Problem;
use crate::demo::Progress;
use crate::limits::{MAX_RUNNING, MAX_WAITING};

/// A database that is served, and the import that may be running into it. Cloning shares it.
#[derive(Debug, Clone)]
pub struct App {
    database: Database,
    import: Option<Progress>,
    running: Arc<Semaphore>,
    under_way: Arc<AtomicUsize>,
}

impl App {
    /// Serves a database.
    pub fn new(database: Database) -> App {
        App {
            database,
            import: None,
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
            under_way: Arc::new(AtomicUsize::new(0)),
        }
    }

    /// Says how an import into the database is getting on; until it is done the server is not ready.
    #[must_use]
    pub fn importing(mut self, progress: Progress) -> App {
        self.import = Some(progress);
        self
    }

    pub(crate) fn import(&self) -> Option<&Progress> {
        self.import.as_ref()
    }

    /// What needs no waiting: the schema and the names of profiles.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Calls the database on a thread that may block. The call ends even if nobody waits for it any more, and holds
    /// its place until then, so that given-up requests cannot pile up behind the bound.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Database) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = Place::take(&self.under_way).ok_or_else(Problem::overloaded)?;
        let permit = Arc::clone(&self.running).acquire_owned().await.map_err(|_| Problem::internal())?;
        let database = self.database.clone();
        let call = tokio::task::spawn_blocking(move || {
            let _held = (place, permit);
            call(&database)
        });
        // A panic has been reported by the panic hook; the answer does not say more than that.
        call.await.unwrap_or_else(|_| Err(Problem::internal()))
    }
}

/// One of the places for requests under way; given back when dropped.
struct Place {
    under_way: Arc<AtomicUsize>,
}

impl Place {
    fn take(under_way: &Arc<AtomicUsize>) -> Option<Place> {
        let more = |taken| (taken < MAX_WAITING).then_some(taken + 1);
        under_way.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(Place { under_way: Arc::clone(under_way) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_places_as_the_bound_says() {
        let under_way = Arc::new(AtomicUsize::new(0));
        let mut places: Vec<Place> =
            (0..MAX_WAITING).map(|_| Place::take(&under_way).expect("within the bound")).collect();
        assert!(Place::take(&under_way).is_none());
        places.pop();
        assert!(Place::take(&under_way).is_some());
    }
}
