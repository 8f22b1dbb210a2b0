//! What a host adds to `svc`: operations and lists, and the tables they need.

use std::fmt;
use std::sync::Arc;

use svc_core::{Context, ContextBuilder, ContextError};
use svc_store_postgres::{Migrator, OpenError, PostgresStore, Probe, Settings};

use crate::cli::DEFAULT_BASE_URL;
use crate::failure::Failure;

type AddPart = dyn Fn(ContextBuilder) -> ContextBuilder + Send + Sync;

/// The parts of a host. `svc` itself has none.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    added: Vec<Arc<AddPart>>,
    migrations: Vec<(String, Arc<dyn Fn() -> Migrator + Send + Sync>)>,
}

impl Parts {
    pub(crate) fn add(&mut self, part: impl Fn(ContextBuilder) -> ContextBuilder + Send + Sync + 'static) {
        self.added.push(Arc::new(part));
    }

    pub(crate) fn add_tables(&mut self, name: String, migrations: impl Fn() -> Migrator + Send + Sync + 'static) {
        self.migrations.push((name, Arc::new(migrations)));
    }

    /// Adds all of them to a context.
    pub(crate) fn apply(&self, builder: ContextBuilder) -> ContextBuilder {
        self.added.iter().fold(builder, |builder, add| add(builder))
    }

    /// Brings the tables of all of them up to date, after those of the API; returns the number of
    /// migrations.
    pub(crate) async fn migrate(&self, store: &PostgresStore) -> Result<u64, OpenError> {
        let mut done = 0;
        for (name, migrations) in &self.migrations {
            done += store.migrate_own(name, migrations()).await?;
        }
        Ok(done)
    }

    /// A check of readiness, of the tables of all of them too.
    pub(crate) fn probe(&self, store: &PostgresStore) -> Result<Probe, OpenError> {
        self.migrations.iter().try_fold(store.probe(), |probe, (name, migrations)| probe.and_own(name, migrations()))
    }

    /// A context to describe the operations with. It has no database.
    pub(crate) fn described(&self) -> Result<Context, Failure> {
        let store = PostgresStore::open("postgres://localhost", &Settings::default())?;
        let context: Result<Context, ContextError> =
            self.apply(Context::builder(Arc::new(store), DEFAULT_BASE_URL)).build();
        Ok(context?)
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables: Vec<_> = self.migrations.iter().map(|(name, _)| name).collect();
        f.debug_struct("Parts").field("added", &self.added.len()).field("tables", &tables).finish()
    }
}
