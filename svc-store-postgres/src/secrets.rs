//! Sealed values across companies.

use sqlx::{AssertSqlSafe, Row};
use svc_core::domain::company::CompanyId;
use svc_core::store::{Resealed, SealedColumn, SealedSecret, SecretsBatch, StoreError};

use crate::database::Database;
use crate::error::store_error;

/// A column's table, its own name, and the key of its records as text.
fn column(column: SealedColumn) -> (&'static str, &'static str, &'static str) {
    match column {
        SealedColumn::CertificateKey => ("certificados", "llave", "numero"),
        SealedColumn::WebhookSecret => ("webhooks", "secreto", "clave::text"),
        SealedColumn::PreviousWebhookSecret => ("webhooks", "secreto_anterior", "clave::text"),
    }
}

pub(crate) async fn not_under(
    database: &Database,
    prefix: &[u8],
    after: CompanyId,
    companies: u32,
) -> Result<SecretsBatch, StoreError> {
    let values = SealedColumn::ALL.iter().enumerate().map(|(index, &which)| {
        let (table, column, record) = column(which);
        format!(
            "SELECT {index}, {record}, {column} FROM {table}
             WHERE empresa = $1 AND length({column}) > 0 AND substring({column} FROM 1 FOR length($2)) <> $2"
        )
    });
    let statement = values.collect::<Vec<_>>().join(" UNION ALL ");
    let companies: Vec<i64> =
        sqlx::query_scalar("SELECT empresa FROM empresas WHERE empresa > $1 ORDER BY empresa LIMIT $2")
            .bind(after.0)
            .bind(i64::from(companies))
            .fetch_all(database.of_all())
            .await
            .map_err(store_error)?;
    let mut batch = SecretsBatch { last: companies.last().copied().map(CompanyId), secrets: Vec::new() };
    for company in companies {
        let query = sqlx::query(AssertSqlSafe(statement.clone())).bind(company).bind(prefix);
        for row in &query.fetch_all(database.of(company)).await.map_err(store_error)? {
            let index: i32 = row.try_get(0).map_err(store_error)?;
            let Some(&column) = SealedColumn::ALL.get(index as usize) else { continue };
            let (record, sealed) = (row.try_get(1).map_err(store_error)?, row.try_get(2).map_err(store_error)?);
            batch.secrets.push(SealedSecret { company: CompanyId(company), column, record, sealed });
        }
    }
    Ok(batch)
}

pub(crate) async fn replace(database: &Database, resealed: &[Resealed]) -> Result<u64, StoreError> {
    let mut replaced = 0;
    // One statement a company and column: two columns of one row cannot be written by two parts of one statement.
    let place = |resealed: &Resealed| (resealed.secret.company, resealed.secret.column);
    for of_place in resealed.chunk_by(|one, next| place(one) == place(next)) {
        let Some((company, which)) = of_place.first().map(place) else { continue };
        let (table, column, record) = column(which);
        let statement = format!(
            "UPDATE {table} SET {column} = n.nuevo
             FROM unnest($2::text[], $3::bytea[], $4::bytea[]) n (registro, anterior, nuevo)
             WHERE empresa = $1 AND {record} = n.registro AND {column} = n.anterior"
        );
        let done = sqlx::query(AssertSqlSafe(statement))
            .bind(company.0)
            .bind(of_place.iter().map(|resealed| resealed.secret.record.as_str()).collect::<Vec<_>>())
            .bind(of_place.iter().map(|resealed| resealed.secret.sealed.as_slice()).collect::<Vec<_>>())
            .bind(of_place.iter().map(|resealed| resealed.sealed.as_slice()).collect::<Vec<_>>())
            .execute(database.of(company.0))
            .await
            .map_err(store_error)?;
        replaced += done.rows_affected();
    }
    Ok(replaced)
}
