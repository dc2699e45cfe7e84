//! The database handle.

use std::path::Path;

use kv0_env::Env;

use crate::entity::Entity;
use crate::error::Result;
use crate::id::{Id, Kind};
use crate::mutation::{Batch, Mutation, Relation, RelationKind, Signal};
use crate::query::{Answer, Retrieve, Search};
use crate::schema::Schema;

/// How a database is opened.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether a write returns only when it would survive a power cut; otherwise it survives the end of the process.
    pub durable: bool,
}

/// An open database. Cloning shares it; all methods may be called from any thread.
#[derive(Debug, Clone)]
pub struct Database;

impl Database {
    /// Opens the database in a directory, creating it with this schema if there is none.
    ///
    /// # Errors
    /// `Busy`, naming the process that holds it; `SchemaMismatch` with the difference; `Corrupt`.
    pub fn open(directory: impl AsRef<Path>, schema: Schema, options: Options) -> Result<Database> {
        let _ = (directory.as_ref(), schema, options);
        unimplemented!()
    }

    /// Opens a database in the root of `env.files`.
    pub fn open_in(env: Env, schema: Schema, options: Options) -> Result<Database> {
        let _ = (env, schema, options);
        unimplemented!()
    }

    /// A database in memory that is gone when the last handle is dropped.
    pub fn ephemeral(schema: Schema) -> Result<Database> {
        let _ = schema;
        unimplemented!()
    }

    /// The schema it was opened with.
    pub fn schema(&self) -> &Schema {
        unimplemented!()
    }

    /// Makes all changes of a batch, or none. The next query, of anyone, sees them.
    pub fn write(&self, batch: Batch) -> Result<Receipt> {
        let _ = batch;
        unimplemented!()
    }

    /// Writes an entity.
    pub fn put(&self, kind: Kind, entity: Entity) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Put(kind, entity)] })
    }

    /// Removes an entity.
    pub fn delete(&self, kind: Kind, id: &Id) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Delete(kind, id.clone())] })
    }

    /// Makes a relation.
    pub fn relate(&self, relation: Relation) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Relate(relation)] })
    }

    /// Ends a relation.
    pub fn unrelate(&self, relation: Relation) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Unrelate(relation)] })
    }

    /// Records a signal.
    pub fn signal(&self, signal: Signal) -> Result<Receipt> {
        self.write(Batch { mutations: vec![Mutation::Signal(signal)] })
    }

    /// An entity as it was written, or `None`.
    pub fn get(&self, kind: Kind, id: &Id) -> Result<Option<Entity>> {
        let _ = (kind, id);
        unimplemented!()
    }

    /// Ids of a kind in the order of their first write, from the `from`-th on, at most `limit`.
    pub fn list(&self, kind: Kind, from: usize, limit: usize) -> Result<Vec<Id>> {
        let _ = (kind, from, limit);
        unimplemented!()
    }

    /// How many entities of a kind there are.
    pub fn count(&self, kind: Kind) -> Result<usize> {
        let _ = kind;
        unimplemented!()
    }

    /// The targets of a user's relations of one kind, in the order of the targets' rows.
    pub fn relations(&self, user: &Id, kind: RelationKind) -> Result<Vec<Id>> {
        let _ = (user, kind);
        unimplemented!()
    }

    /// Names of the ranking profiles.
    pub fn profiles(&self) -> Vec<String> {
        unimplemented!()
    }

    /// Items by a ranking profile.
    pub fn retrieve(&self, request: &Retrieve) -> Result<Answer> {
        let _ = request;
        unimplemented!()
    }

    /// Items by words.
    pub fn search(&self, request: &Search) -> Result<Answer> {
        let _ = request;
        unimplemented!()
    }

    /// Saves the views, so that the next open has little to catch up.
    pub fn checkpoint(&self) -> Result<()> {
        unimplemented!()
    }

    /// Compares every view with the log and every stored byte with its checksum.
    ///
    /// # Errors
    /// `Corrupt`, naming the first disagreement.
    pub fn check(&self) -> Result<()> {
        unimplemented!()
    }

    /// Checkpoints and ends the handle and its clones.
    pub fn close(&self) -> Result<()> {
        unimplemented!()
    }
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// Position in the log after the write.
    pub position: u64,
    /// Signals that were not counted because their idempotency key had been seen.
    pub duplicates: usize,
    /// Parts of texts that were not indexed, and why.
    pub warnings: Vec<String>,
}
