//! Sealed values across companies.

use sqlx::AssertSqlSafe;
use svc_core::domain::company::CompanyId;
use svc_core::store::{Resealed, SealedColumn, SealedSecret, SecretsBatch, StoreError};

use crate::database::Database;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;

from_row! {
    /// The place of a column in [`SealedColumn::ALL`], the key of a record, and the sealed value.
    struct Sealed { columna: i32, registro: String, sellado: Vec<u8> }
}

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
            "SELECT {index} AS columna, {record} AS registro, {column} AS sellado
             FROM {table}
             WHERE empresa = $1 AND length({column}) > 0 AND substring({column} FROM 1 FOR length($2)) <> $2"
        )
    });
    let statement = values.collect::<Vec<_>>().join(" UNION ALL ");
    let companies: Vec<CompanyId> = database
        .of_all()
        .values(sql!(
            "SELECT empresa
             FROM empresas
             WHERE empresa > :despues
             ORDER BY empresa
             LIMIT :limite",
            despues: after,
            limite: i64::from(companies),
        ))
        .await?;
    let mut batch = SecretsBatch { last: companies.last().copied(), secrets: Vec::new() };
    for company in companies {
        let query = sqlx::query(AssertSqlSafe(statement.clone())).bind(company.0).bind(prefix);
        let found: Vec<Sealed> = database.of(company.0).many(query).await?;
        for Sealed { columna, registro, sellado } in found {
            let Some(&column) = SealedColumn::ALL.get(columna as usize) else { continue };
            batch.secrets.push(SealedSecret { company, column, record: registro, sealed: sellado });
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
        let query = sqlx::query(AssertSqlSafe(statement))
            .bind(company.0)
            .bind(of_place.iter().map(|resealed| resealed.secret.record.as_str()).collect::<Vec<_>>())
            .bind(of_place.iter().map(|resealed| resealed.secret.sealed.as_slice()).collect::<Vec<_>>())
            .bind(of_place.iter().map(|resealed| resealed.sealed.as_slice()).collect::<Vec<_>>());
        replaced += database.of(company.0).changed(query).await?;
    }
    Ok(replaced)
}
