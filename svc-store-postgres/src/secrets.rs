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
             WHERE empresa = e.empresa AND length({column}) > 0 AND substring({column} FROM 1 FOR length($1)) <> $1"
        )
    });
    // A company without such values has a row too, so that the last one is known.
    let statement = format!(
        "SELECT e.empresa, s.columna, s.registro, s.valor
         FROM (SELECT empresa FROM empresas WHERE empresa > $2 ORDER BY empresa LIMIT $3) e
         LEFT JOIN LATERAL ({}) s (columna, registro, valor) ON true
         ORDER BY e.empresa",
        values.collect::<Vec<_>>().join(" UNION ALL ")
    );
    let query = sqlx::query(AssertSqlSafe(statement)).bind(prefix).bind(after.0).bind(i64::from(companies));
    let rows = query.fetch_all(database.of_all()).await.map_err(store_error)?;
    let mut batch = SecretsBatch::default();
    for row in &rows {
        let company = CompanyId(row.try_get(0).map_err(store_error)?);
        batch.last = Some(company);
        let index: Option<i32> = row.try_get(1).map_err(store_error)?;
        if let Some(&column) = index.and_then(|index| SealedColumn::ALL.get(index as usize)) {
            let (record, sealed) = (row.try_get(2).map_err(store_error)?, row.try_get(3).map_err(store_error)?);
            batch.secrets.push(SealedSecret { company, column, record, sealed });
        }
    }
    Ok(batch)
}

pub(crate) async fn replace(database: &Database, resealed: &[Resealed]) -> Result<u64, StoreError> {
    let mut replaced = 0;
    // One statement a column: two columns of one row cannot be written by two parts of one statement.
    for which in SealedColumn::ALL {
        let of_column: Vec<_> = resealed.iter().filter(|resealed| resealed.secret.column == which).collect();
        if of_column.is_empty() {
            continue;
        }
        let (table, column, record) = column(which);
        let statement = format!(
            "UPDATE {table} SET {column} = n.nuevo
             FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) n (de, registro, anterior, nuevo)
             WHERE empresa = n.de AND {record} = n.registro AND {column} = n.anterior"
        );
        let done = sqlx::query(AssertSqlSafe(statement))
            .bind(of_column.iter().map(|resealed| resealed.secret.company.0).collect::<Vec<_>>())
            .bind(of_column.iter().map(|resealed| resealed.secret.record.as_str()).collect::<Vec<_>>())
            .bind(of_column.iter().map(|resealed| resealed.secret.sealed.as_slice()).collect::<Vec<_>>())
            .bind(of_column.iter().map(|resealed| resealed.sealed.as_slice()).collect::<Vec<_>>())
            .execute(database.of_all())
            .await
            .map_err(store_error)?;
        replaced += done.rows_affected();
    }
    Ok(replaced)
}
