//! The worlds of a host.

use std::sync::Arc;

use svc_core::ContextBuilder;
use svc_store_postgres::{Migrator, PostgresStore, Settings};

use crate::{World, database};

/// The name of a host's migrations, and how to make them.
pub(crate) type Host = (&'static str, fn() -> Migrator);

type Part = Arc<dyn Fn(ContextBuilder) -> ContextBuilder + Send + Sync>;

/// What a host adds to the API, from which [`World`]s are made: see [`World::host`].
#[derive(Default)]
pub struct Setup {
    parts: Vec<Part>,
    hosts: Vec<Host>,
}

impl Setup {
    /// Adds the host's operations, lists, hooks and the like to the API and to the back office.
    #[must_use]
    pub fn part(mut self, part: impl Fn(ContextBuilder) -> ContextBuilder + Send + Sync + 'static) -> Self {
        self.parts.push(Arc::new(part));
        self
    }

    /// Adds the host's tables: see [`PostgresStore::migrate_own`], which takes that name.
    #[must_use]
    pub fn migrations(mut self, name: &'static str, migrations: fn() -> Migrator) -> Self {
        self.hosts.push((name, migrations));
        self
    }

    /// A world in the database that all tests of this process share, made and migrated by the
    /// first.
    pub async fn shared(self) -> World {
        let options = database::shared(&self.hosts).await;
        self.over(Arc::new(PostgresStore::with_options(options, &Settings::default())))
    }

    /// A world in a database of its own, which is dropped after the test.
    pub async fn own_database(self) -> World {
        let store = Arc::new(PostgresStore::with_options(database::fresh().await, &Settings::default()));
        for (name, migrations) in &self.hosts {
            store.migrate_own(name, migrations()).await.expect("the host's tables");
        }
        database::drop_after([&store, &store]);
        self.over(store)
    }

    fn over(self, store: Arc<PostgresStore>) -> World {
        let part = move |builder| self.parts.iter().fold(builder, |builder, part| part(builder));
        World::over(store.clone(), store, &part, &part)
    }
}
