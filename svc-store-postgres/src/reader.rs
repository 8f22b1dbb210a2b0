use sqlx::PgPool;

/// Reads of one company.
pub(crate) struct PostgresReader<'a> {
    pub(crate) pool: &'a PgPool,
    pub(crate) empresa: i64,
}
