//! A test's world.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, PgPool};
use svc_core::domain::clock::Clock as _;
use svc_core::domain::company::LimitMode;
use svc_core::mail::{Notifier, NotifyReport, notify_due};
use svc_core::operations::SecretsRotated;
use svc_core::secrets::{PlainSecrets, Sealer, SecretsKey};
use svc_core::stamping::{StampReport, Stamper, stamp_due};
use svc_core::store::{CompanyChange, KeyId, KeyRecord, Store, UsageStore as _};
use svc_core::subscribers::{SubscriberReport, run_subscribers};
use svc_core::webhooks::{Budget, DeliveryReport, Sender, deliver_due};
use svc_core::{Api, Context, ContextBuilder, Error};
use svc_store_postgres::{Pooler, PostgresStore, Settings};

use crate::{Company, Setup, TestClock, database, with};

/// The test's own connections to the database of a store.
pub fn pool_of(store: &PostgresStore) -> PgPool {
    pool_of_options(store.options())
}

/// The same, to any database.
pub fn pool_of_options(options: &PgConnectOptions) -> PgPool {
    PgPoolOptions::new().max_connections(4).connect_lazy_with(options.clone())
}

/// The base URL of every test's API.
pub const BASE_URL: &str = "https://erp.example.com/api/v1";

/// A test's world: a database of its own, the API over it, the back office, and the time.
#[derive(Clone)]
pub struct World {
    /// The API; its links begin with [`BASE_URL`].
    pub api: Api,
    /// The back office. Tests use it through [`Company::run`], [`Company::import`],
    /// [`World::stamp`] and the like.
    pub(crate) office: Context,
    /// The service's clock, which tests move.
    pub clock: Arc<TestClock>,
    /// The store, to look behind the API.
    pub store: Arc<PostgresStore>,
    /// The store of the API and the office: the same database, through the pooler if there is one.
    used: Arc<PostgresStore>,
    /// The test's own connections.
    pool: PgPool,
}

impl World {
    /// A world with enforced limits, except those that a test's many quick requests would hit.
    pub async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    /// A world whose API is built with `change`.
    pub async fn with(change: impl FnOnce(ContextBuilder) -> ContextBuilder) -> Self {
        Self::on(Settings::default(), change).await
    }

    /// A world of a host: its parts and tables, then a database.
    pub fn host() -> Setup {
        Setup::default()
    }

    /// A world whose database is used with `settings`.
    pub async fn on(settings: Settings, change: impl FnOnce(ContextBuilder) -> ContextBuilder) -> Self {
        if std::env::var("SVC_TEST_POOLER").is_ok_and(|pooler| pooler == "transaction") {
            return Self::pooled(settings, change).await.expect("PgBouncer");
        }
        let store = Arc::new(PostgresStore::with_options(database::fresh().await, &settings));
        database::drop_after([&store, &store]);
        Self::over(store.clone(), store, change, |builder| builder)
    }

    /// The same behind a pooler in transaction mode, if the machine has one; see
    /// [`crate::pooler::PgBouncer::start`]. [`World::store`] goes past it. With
    /// `SVC_TEST_POOLER=transaction` in the environment every world is such a one, and all tests
    /// pass but those that count statements, close the store, or hold more locks than the pooler
    /// has connections.
    pub async fn pooled(settings: Settings, change: impl FnOnce(ContextBuilder) -> ContextBuilder) -> Option<Self> {
        let pooler = database::pooler().await?;
        let options = database::fresh().await;
        let through = pooler.options(options.get_database().expect("a database"));
        let store = PostgresStore::with_options(options, &settings);
        let used = PostgresStore::with_options(through, &with!(settings, pooler: Pooler::Transaction));
        let (store, used) = (Arc::new(store), Arc::new(used));
        database::drop_after([&store, &used]);
        Some(Self::over(store, used, change, |builder| builder))
    }

    /// A world whose API is built with `change`, and whose back office with `office`.
    pub(crate) fn over(
        store: Arc<PostgresStore>,
        used: Arc<PostgresStore>,
        change: impl FnOnce(ContextBuilder) -> ContextBuilder,
        office: impl FnOnce(ContextBuilder) -> ContextBuilder,
    ) -> Self {
        let clock = Arc::new(TestClock::default());
        let api = api(&used, &clock, change);
        // It has its own context, like another process: the API sees its changes when keys are read
        // anew.
        let builder = Context::builder(used.clone(), BASE_URL).clock(clock.clone());
        let office = office(builder.secrets(secrets_key()).sandbox(true)).build().expect("a context");
        let pool = pool_of(&store);
        Self { api, office, clock, store, used, pool }
    }

    /// The test's own connections, past the pooler, to look behind the API.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The store of the API and the office: [`World::store`], or the same database through the
    /// pooler.
    pub fn used_store(&self) -> &Arc<PostgresStore> {
        &self.used
    }

    /// The same, as a trait object.
    pub fn any_store(&self) -> Arc<dyn Store> {
        self.used.clone()
    }

    /// Another API over the same database and clock, as a second server would be.
    pub fn second_api(&self) -> Api {
        self.second_api_with(|builder| builder)
    }

    /// The same, built with `change`.
    pub fn second_api_with(&self, change: impl FnOnce(ContextBuilder) -> ContextBuilder) -> Api {
        api(&self.used, &self.clock, change)
    }

    /// The same world, but with other keys for secrets in its back office and workers, and not in
    /// its API.
    #[must_use]
    pub fn with_secrets(&self, sealer: impl Into<Sealer>) -> Self {
        let builder = Context::builder(self.used.clone(), BASE_URL).clock(self.clock.clone());
        Self { office: builder.secrets(sealer).sandbox(true).build().expect("a context"), ..self.clone() }
    }

    /// The same world, whose host adds to tax documents.
    #[must_use]
    pub fn with_attachments(&self, host: Arc<dyn svc_core::Attachments>) -> Self {
        let builder = Context::builder(self.used.clone(), BASE_URL).clock(self.clock.clone());
        let builder = builder.secrets(secrets_key()).sandbox(true).attachments(host);
        Self { office: builder.build().expect("a context"), ..self.clone() }
    }

    /// Seals every secret under the back office's key.
    ///
    /// # Errors
    ///
    /// The refusal of the rotation.
    pub async fn rotate_secrets(&self, plain: PlainSecrets) -> Result<SecretsRotated, Error> {
        self.office.rotate_secrets(plain).await
    }

    /// One stamping pass over all due records.
    pub async fn stamp(&self, stamper: &dyn Stamper) -> StampReport {
        self.stamp_within(stamper, Budget::unlimited()).await
    }

    /// One stamping pass within `budget`.
    pub async fn stamp_within(&self, stamper: &dyn Stamper, budget: Budget) -> StampReport {
        stamp_due(&self.office, Some(stamper), budget).await.expect("a stamping pass")
    }

    /// One stamping pass where no provider is set.
    pub async fn stamp_without_provider(&self) -> StampReport {
        stamp_due(&self.office, None, Budget::unlimited()).await.expect("a stamping pass")
    }

    /// One pass of webhook delivery over all due deliveries.
    pub async fn deliver(&self, sender: &dyn Sender) -> DeliveryReport {
        self.deliver_within(sender, Budget::unlimited()).await
    }

    /// One pass of webhook delivery within `budget`.
    pub async fn deliver_within(&self, sender: &dyn Sender, budget: Budget) -> DeliveryReport {
        deliver_due(&self.office, sender, budget).await.expect("a delivery pass")
    }

    /// One pass over the e-mails about disabled webhooks.
    pub async fn notify(&self, notifier: &dyn Notifier) -> NotifyReport {
        notify_due(&self.office, notifier, Budget::unlimited()).await.expect("a notification pass")
    }

    /// One pass of the host's subscribers over all events that they have not had.
    pub async fn run_subscribers(&self) -> SubscriberReport {
        run_subscribers(&self.office, Budget::unlimited()).await.expect("a pass of subscribers")
    }

    /// The back office: the context that commands and workers of the host have.
    pub fn office(&self) -> &Context {
        &self.office
    }

    /// The debug output of the API and the back office.
    pub fn debug_text(&self) -> String {
        format!("{:?} {:?}", self.api, self.office)
    }

    /// A new company with default settings.
    pub async fn company(&self) -> Company {
        self.company_with(CompanyChange::default()).await
    }

    /// A new company with `settings`.
    pub async fn company_with(&self, settings: CompanyChange) -> Company {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let nombre = format!("Empresa {}", COUNT.fetch_add(1, Ordering::Relaxed));
        let created =
            self.office.create_company(CompanyChange { nombre: Some(nombre), ..settings }).await.expect("a company");
        Company { world: self.clone(), id: created.empresa, owner: created.usuario }
    }

    /// A new test company with default settings.
    pub async fn test_company(&self) -> Company {
        let settings = CompanyChange { nombre: Some("De prueba".to_owned()), ..CompanyChange::default() };
        let created = self.office.create_test_company(settings).await.expect("a company");
        Company { world: self.clone(), id: created.empresa, owner: created.usuario }
    }

    /// The database's address, for another program.
    pub fn database_url(&self) -> String {
        database::url(self.store.options())
    }

    /// The stored key with that public identifier.
    pub async fn key(&self, key_id: &str) -> KeyRecord {
        key(&self.store, key_id).await
    }

    /// Whether [`World::statements`] works on this machine; if not, prints a message.
    pub async fn can_count_statements(&self) -> bool {
        let extension = sqlx::query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements").execute(self.pool()).await;
        if extension.is_err() {
            let _ = writeln!(io::stderr(), "SKIPPED: this machine has no pg_stat_statements: nothing to count with");
        }
        extension.is_ok()
    }

    /// How many statements like this (SQL's `LIKE`) the test's database has run, except those that
    /// count them.
    pub async fn statements(&self, like: &str) -> i64 {
        sqlx::query_scalar(
            "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
             WHERE d.datname = current_database() AND s.query NOT LIKE '%pg_stat_statements%' AND s.query LIKE $1",
        )
        .bind(like)
        .fetch_one(self.pool())
        .await
        .expect("the statements are counted")
    }

    /// Ends all leases of workers, as time would do: they expire by the database's clock, which no
    /// test moves.
    pub async fn end_leases(&self) {
        let ends = "UPDATE entregas SET arrendado = now() - interval '1 s' WHERE token IS NOT NULL;
                    UPDATE timbrados SET arrendado = now() - interval '1 s' WHERE token IS NOT NULL;
                    UPDATE cancelaciones SET arrendado = now() - interval '1 s' WHERE token IS NOT NULL;
                    UPDATE avisos SET arrendado = now() - interval '1 s' WHERE token IS NOT NULL;
                    UPDATE webhooks SET sondeo = NULL, arrendado = NULL WHERE sondeo IS NOT NULL OR arrendado IS NOT NULL";
        sqlx::raw_sql(ends).execute(self.pool()).await.expect("the leases end");
    }

    /// One value from the database.
    pub async fn sql<T>(&self, statement: &'static str) -> T
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        sqlx::query_scalar(statement).fetch_one(self.pool()).await.expect("the statement runs")
    }

    /// The number of rows in `rows`: a table, optionally with a condition (`"clientes WHERE
    /// prospecto"`).
    pub async fn count(&self, rows: &str) -> i64 {
        let statement = AssertSqlSafe(format!("SELECT count(*) FROM {rows}"));
        sqlx::query_scalar(statement).fetch_one(self.pool()).await.expect("the rows are counted")
    }

    /// The number of statements in the test's database that wait for a lock.
    pub async fn lock_waits(&self) -> i64 {
        self.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").await
    }

    /// A JSON text from the database.
    pub async fn json(&self, statement: &'static str) -> Value {
        serde_json::from_str(&self.sql::<String>(statement).await).expect("JSON")
    }

    /// Runs a statement past the API.
    pub async fn run(&self, statement: &'static str) {
        sqlx::query(statement).execute(self.pool()).await.expect("the statement runs");
    }
}

/// The default key of a world's secrets.
pub fn secrets_key() -> SecretsKey {
    SecretsKey::new([7; 32])
}

/// An API over that store, built with `change`.
fn api(
    store: &Arc<PostgresStore>,
    clock: &Arc<TestClock>,
    change: impl FnOnce(ContextBuilder) -> ContextBuilder,
) -> Api {
    let builder = Context::builder(store.clone(), BASE_URL).clock(clock.clone()).secrets(secrets_key());
    let context = change(builder.rate_per_minute(1_000_000).in_flight(1_000)).build().expect("a context");
    Api::new(&context)
}

/// The stored key with that public identifier.
pub async fn key(store: &PostgresStore, key_id: &str) -> KeyRecord {
    let (company, suffix) = svc_core::parse_key_id(key_id).expect("an identifier");
    let id = KeyId { company, suffix: suffix.into() };
    let keys = store.keys(&[id], TestClock::default().now()).await.expect("the store answers");
    keys.into_iter().next().expect("the key exists")
}

/// The settings of a company in notice mode.
pub fn in_notice_mode() -> CompanyChange {
    CompanyChange { limites: Some(Some(LimitMode::Notice)), ..CompanyChange::default() }
}
