//! What a server leaves in the database for commands.

use svc_core::store::StoreError;

use crate::run::Run as _;
use crate::sql::sql;
use crate::store::PostgresStore;

/// The company of what belongs to none.
const NONE: i64 = 0;

impl PostgresStore {
    /// The address at which the API was last served over this database; `None` if it never was.
    pub async fn base_url(&self) -> Result<Option<String>, StoreError> {
        self.service
            .of_all()
            .optional_value(sql!("SELECT url_base FROM servicio WHERE empresa = :empresa", empresa: NONE))
            .await
    }

    /// Keeps the address at which the API is served.
    pub async fn keep_base_url(&self, url_base: &str) -> Result<(), StoreError> {
        self.service
            .of_all()
            .run(sql!(
                "INSERT INTO servicio AS s (empresa, url_base)
                 VALUES (:empresa, :url_base)
                 ON CONFLICT (empresa) DO UPDATE SET url_base = excluded.url_base
                 WHERE s.url_base <> excluded.url_base",
                empresa: NONE,
                url_base,
            ))
            .await?;
        Ok(())
    }
}
