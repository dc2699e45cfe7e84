//! What is remembered of an import beside the database: `import.json` in the demo's directory.
//!
//! It is written before the first batch, so that an import that goes on after a crash takes the same data set and the
//! same moment as "now" and therefore writes exactly the same; and again after the last batch was acknowledged. It is
//! replaced by a rename, so that it is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::dataset::Source;

pub(super) const NAME: &str = "import.json";
/// The name of the next one until it is whole.
pub(super) const DRAFT: &str = "import.json.new";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// What is imported.
    pub(crate) source: Source,
    /// The moment at which the newest rating is put: microseconds since 1970.
    pub(crate) now: i64,
    /// Whether the last batch was acknowledged.
    pub(crate) complete: bool,
}

impl Record {
    pub(crate) fn load(directory: &Path) -> Result<Option<Record>, String> {
        let path = directory.join(NAME);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| format!("{} is damaged: {error}", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    pub(crate) fn save(&self, directory: &Path) -> Result<(), String> {
        self.replace(directory)
            .map_err(|error| format!("cannot write {}: {error}", directory.join(NAME).display()))
    }

    fn replace(&self, directory: &Path) -> io::Result<()> {
        let scratch = directory.join(DRAFT);
        let mut file = File::create(&scratch)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        fs::rename(&scratch, directory.join(NAME))?;
        File::open(directory)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_as_saved() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Record::load(directory.path()), Ok(None));
        for complete in [false, true] {
            let record = Record { source: Source::MovieLens, now: -5, complete };
            record.save(directory.path()).unwrap();
            assert_eq!(Record::load(directory.path()), Ok(Some(record)));
        }
    }

    #[test]
    fn a_damaged_one_is_named() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(NAME), "{\"source\": \"movielens\",").unwrap();
        let reason = Record::load(directory.path()).unwrap_err();
        assert!(reason.contains("import.json is damaged") && reason.contains("line 1"), "{reason}");
    }
}
