//! The harness of the end-to-end tests: one private PostgreSQL a test binary, one database a test, a clock that tests
//! move, and actors who speak HTTP to the [`Api`] in process.

#![allow(clippy::missing_panics_doc, reason = "a harness that cannot go on panics: that is how a test fails")]

mod actor;
pub mod books;
pub mod certificate;
mod clock;
mod database;
pub mod notices;
pub mod pooler;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use actor::{Actor, Reply, fresh_key};
pub use clock::TestClock;
use svc_core::backoffice::import::Resource;
use svc_core::backoffice::{CreateKey, CreateUser, Office};
use svc_core::domain::clock::Clock as _;
use svc_core::domain::quota::Period;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::json::Json;
use svc_core::store::{CompanyChange, CompanyId, KeyId, KeyRecord, LimitMode, NewUser, Store as _, UsageStore as _};
use svc_core::{Api, ApiBuilder};
use svc_store_postgres::{Pooler, PostgresStore, Settings};

/// The base URL of every test's API.
pub const BASE_URL: &str = "https://erp.example.com/api/v1";

/// A test's world: a database of its own, the API over it, the back office, and the time.
#[derive(Clone)]
pub struct World {
    /// The API.
    pub api: Api,
    /// The back office.
    pub office: Office,
    /// The time.
    pub clock: Arc<TestClock>,
    /// The store, to look behind the API.
    pub store: Arc<PostgresStore>,
    /// What the API and the office use: the same database, through the pooler if there is one.
    used: Arc<PostgresStore>,
}

impl World {
    /// A world with limits enforced, but for those that a test's many requests in no time would meet.
    pub async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    /// A world whose API is built as `change` says.
    pub async fn with(change: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Self {
        Self::on(Settings::default(), change).await
    }

    /// A world whose database is used as `settings` say.
    pub async fn on(settings: Settings, change: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Self {
        if std::env::var("SVC_TEST_POOLER").is_ok_and(|pooler| pooler == "transaction") {
            return Self::pooled(settings, change).await.expect("PgBouncer");
        }
        let store = Arc::new(PostgresStore::with_options(database::fresh().await, &settings));
        Self::over(store.clone(), store, change)
    }

    /// The same behind a pooler in transaction mode, if the machine has one; see [`pooler::PgBouncer::start`]. [`World::store`] goes
    /// past it. With `SVC_TEST_POOLER=transaction` in the environment every world is such a one, and all tests pass but those
    /// that count statements, close the store, or hold more locks than the pooler has connections.
    pub async fn pooled(settings: Settings, change: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Option<Self> {
        let options = database::fresh().await;
        let through = database::pooler().await?.options(options.get_database().expect("a database"));
        let store = PostgresStore::with_options(options, &settings);
        let used = PostgresStore::with_options(through, &Settings { pooler: Pooler::Transaction, ..settings });
        Some(Self::over(Arc::new(store), Arc::new(used), change))
    }

    fn over(
        store: Arc<PostgresStore>,
        used: Arc<PostgresStore>,
        change: impl FnOnce(ApiBuilder) -> ApiBuilder,
    ) -> Self {
        let clock = Arc::new(TestClock::default());
        let builder =
            Api::builder(used.clone(), BASE_URL).clock(clock.clone()).rate_per_minute(1_000_000).in_flight(1_000);
        let api = change(builder).build().expect("the API builds");
        let office = Office::new(used.clone(), BASE_URL).clock(clock.clone());
        Self { api, office, clock, store, used }
    }

    /// What the API and the office use: [`World::store`], or the same database through the pooler.
    pub fn used_store(&self) -> &Arc<PostgresStore> {
        &self.used
    }

    /// Another API over the same database and clock, as a second server would be.
    pub fn second_api(&self) -> Api {
        self.second_api_with(|builder| builder)
    }

    /// The same, built as `change` says.
    pub fn second_api_with(&self, change: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Api {
        let builder = Api::builder(self.used.clone(), BASE_URL).clock(self.clock.clone());
        change(builder.rate_per_minute(1_000_000).in_flight(1_000)).build().expect("the API builds")
    }

    /// A new company with the settings that a company has when nothing is said.
    pub async fn company(&self) -> Company {
        self.company_with(CompanyChange::default()).await
    }

    /// A new company with `settings`.
    pub async fn company_with(&self, settings: CompanyChange) -> Company {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let nombre = format!("Empresa {}", COUNT.fetch_add(1, Ordering::Relaxed));
        let created =
            self.office.create_company(CompanyChange { nombre: Some(nombre), ..settings }).await.expect("a company");
        Company { world: self.clone(), id: CompanyId(created.empresa), owner: created.usuario }
    }

    /// The database's address, for a program of its own.
    pub fn database_url(&self) -> String {
        database::url(&self.store.pool().connect_options())
    }

    /// The stored key of that public identifier.
    pub async fn key(&self, key_id: &str) -> KeyRecord {
        key(&self.store, key_id).await
    }

    /// Whether [`World::statements`] can count on this machine; if not, it says so.
    pub async fn can_count_statements(&self) -> bool {
        let extension =
            sqlx::query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements").execute(self.store.pool()).await;
        if extension.is_err() {
            eprintln!("this machine has no pg_stat_statements: nothing to count with");
        }
        extension.is_ok()
    }

    /// How many statements like this (SQL's `LIKE`) the test's database has run, but for those that count them.
    pub async fn statements(&self, like: &str) -> i64 {
        sqlx::query_scalar(
            "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
             WHERE d.datname = current_database() AND s.query NOT LIKE '%pg_stat_statements%' AND s.query LIKE $1",
        )
        .bind(like)
        .fetch_one(self.store.pool())
        .await
        .expect("the statements are counted")
    }

    /// One value from the database.
    pub async fn sql<T>(&self, statement: &'static str) -> T
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        sqlx::query_scalar(statement).fetch_one(self.store.pool()).await.expect("the statement runs")
    }
}

/// A company of the test's world.
#[derive(Clone)]
pub struct Company {
    /// The world it is in.
    pub world: World,
    /// Its number.
    pub id: CompanyId,
    /// Its owner.
    pub owner: i64,
}

impl Company {
    /// Someone whose key has every scope.
    pub async fn admin(&self) -> Actor {
        self.key(CreateKey { usuario: None, scopes: Scopes::all(), expires: None, accept_terms: true }).await
    }

    /// Someone whose key has these scopes only.
    pub async fn actor(&self, scopes: &[Scope]) -> Actor {
        let scopes = scopes.iter().copied().collect();
        self.key(CreateKey { usuario: None, scopes, expires: None, accept_terms: true }).await
    }

    /// Someone with a key made as `key` says.
    pub async fn key(&self, key: CreateKey) -> Actor {
        let created = self.world.office.perform(self.id, &key).await.expect("a key");
        Actor::new(self.world.api.clone(), created.key_id, created.api_key)
    }

    /// A new user; gives their clave.
    pub async fn user(&self, nombre: &str, vendedor: bool) -> i64 {
        let user = NewUser { nombre: nombre.to_owned(), correo: None, vendedor };
        self.world.office.perform(self.id, &CreateUser(user)).await.expect("a user").usuario
    }

    /// Changes its settings.
    pub async fn edit(&self, change: CompanyChange) {
        self.world
            .office
            .perform(self.id, &svc_core::backoffice::EditCompany(change))
            .await
            .expect("the company is edited");
    }

    /// Does the back-office action of that name; gives what it answers.
    pub async fn act(&self, name: &str, input: &serde_json::Value) -> Result<serde_json::Value, svc_core::Error> {
        let input = Json::parse_object(input.to_string().as_bytes()).expect("an object");
        let output = self.world.office.act(self.id, name, &input).await?;
        Ok(serde_json::from_slice(&output).expect("an action answers JSON"))
    }

    /// Loads the certificate `valid`, which is valid for twenty years, and completes what a company issues invoices with: a
    /// company without RFC, regime or postal code gets them. The API remembers a company for a few seconds with the keys
    /// that were used: load before the first request, or move the clock.
    pub async fn load_certificate(&self) {
        let mut tx = self.world.store.begin(self.id).await.expect("a transaction");
        let company = tx.company().await.expect("the company is read").expect("the company exists");
        drop(tx);
        self.edit(CompanyChange {
            regimen: company.regimen.is_none().then_some(601),
            cp: company.cp.is_none().then(|| "06700".to_owned()),
            ..CompanyChange::default()
        })
        .await;
        let load = certificate::load("valid", "valid");
        self.world.office.perform(self.id, &load).await.expect("the certificate is loaded");
    }

    /// Imports records and gives how many; an error is its text.
    pub async fn import(&self, resource: Resource, records: &[serde_json::Value]) -> Result<u64, String> {
        let lines: Vec<_> = records.iter().map(|record| Ok(record.to_string().into_bytes())).collect();
        self.world
            .office
            .import(self.id, resource, lines.into_iter(), &mut |_| ())
            .await
            .map_err(|error| error.to_string())
    }
}

/// The stored key of that public identifier.
pub async fn key(store: &PostgresStore, key_id: &str) -> KeyRecord {
    let (company, suffix) = svc_core::parse_key_id(key_id).expect("an identifier");
    let id = KeyId { company, suffix: suffix.into() };
    let keys = store.keys(&[id], Period::of(TestClock::default().now())).await.expect("the store answers");
    keys.into_iter().next().expect("the key exists")
}

/// The settings of a company in notice mode.
pub fn in_notice_mode() -> CompanyChange {
    CompanyChange { limites: Some(Some(LimitMode::Notice)), ..CompanyChange::default() }
}
