//! Sealed values of all companies, read and replaced one company at a time.

use async_trait::async_trait;
use svc_core::domain::company::CompanyId;
use svc_core::store::{Resealed, SealedColumn, SealedSecret, SecretStore, SecretsBatch, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{Sql, sql};
use crate::store::PostgresStore;

from_row!(SealedSecret { company: "empresa", column: (column_of("columna")), record: "registro", sealed: "sellado" });

fn column_of(name: &str) -> SealedColumn {
    match name {
        "certificados.llave" => SealedColumn::CertificateKey,
        "webhooks.secreto" => SealedColumn::WebhookSecret,
        _ => SealedColumn::PreviousWebhookSecret,
    }
}

#[async_trait]
impl SecretStore for PostgresStore {
    async fn secrets_not_under(
        &self,
        prefix: &[u8],
        after: CompanyId,
        companies: u32,
    ) -> Result<SecretsBatch, StoreError> {
        let companies: Vec<CompanyId> = self
            .background
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
            let found: Vec<SealedSecret> = self.background.of(company.0).many(not_under(company, prefix)).await?;
            batch.secrets.extend(found);
        }
        Ok(batch)
    }

    async fn first_secrets(&self, max: u32) -> Result<Vec<SealedSecret>, StoreError> {
        let first = sql!(
            "(SELECT empresa, 'certificados.llave' AS columna, numero AS registro, llave AS sellado
              FROM certificados
              WHERE length(llave) > 0
              ORDER BY empresa, numero
              LIMIT :limite)
             UNION ALL
             (SELECT empresa, 'webhooks.secreto', clave::text, secreto
              FROM webhooks
              WHERE length(secreto) > 0
              ORDER BY empresa, clave
              LIMIT :limite)",
            limite: i64::from(max),
        );
        self.background.of_all().many(first).await
    }

    async fn replace_secrets(&self, resealed: &[Resealed]) -> Result<u64, StoreError> {
        let mut replaced = 0;
        // One statement for each company and column: two parts of one statement cannot write two
        // columns of the same row.
        let place = |resealed: &Resealed| (resealed.secret.company, resealed.secret.column);
        for resealed in resealed.chunk_by(|one, next| place(one) == place(next)) {
            let Some((company, column)) = resealed.first().map(place) else { continue };
            replaced += self.background.of(company.0).changed(replacing(company, column, resealed)).await?;
        }
        Ok(replaced)
    }
}

fn not_under(empresa: CompanyId, prefijo: &[u8]) -> Sql {
    sql!(
        "SELECT empresa, 'certificados.llave' AS columna, numero AS registro, llave AS sellado
         FROM certificados
         WHERE empresa = :empresa AND length(llave) > 0
           AND substring(llave FROM 1 FOR length(:prefijo)) <> :prefijo
         UNION ALL
         SELECT empresa, 'webhooks.secreto', clave::text, secreto
         FROM webhooks
         WHERE empresa = :empresa AND length(secreto) > 0
           AND substring(secreto FROM 1 FOR length(:prefijo)) <> :prefijo
         UNION ALL
         SELECT empresa, 'webhooks.secreto_anterior', clave::text, secreto_anterior
         FROM webhooks
         WHERE empresa = :empresa AND length(secreto_anterior) > 0
           AND substring(secreto_anterior FROM 1 FOR length(:prefijo)) <> :prefijo",
        empresa,
        prefijo,
    )
}

fn replacing(empresa: CompanyId, column: SealedColumn, resealed: &[Resealed]) -> Sql {
    match column {
        SealedColumn::CertificateKey => sql!(
            "UPDATE certificados
             SET llave = n.nuevo
             FROM unnest(:registro::text[], :anterior::bytea[], :nuevo::bytea[]) AS n (registro, anterior, nuevo)
             WHERE empresa = :empresa AND numero = n.registro AND llave = n.anterior",
            empresa;
            for resealed in resealed {
                registro: resealed.secret.record.as_str(),
                anterior: resealed.secret.sealed.as_slice(),
                nuevo: resealed.sealed.as_slice(),
            }
        ),
        SealedColumn::WebhookSecret => sql!(
            "UPDATE webhooks
             SET secreto = n.nuevo
             FROM unnest(:registro::text[], :anterior::bytea[], :nuevo::bytea[]) AS n (registro, anterior, nuevo)
             WHERE empresa = :empresa AND clave::text = n.registro AND secreto = n.anterior",
            empresa;
            for resealed in resealed {
                registro: resealed.secret.record.as_str(),
                anterior: resealed.secret.sealed.as_slice(),
                nuevo: resealed.sealed.as_slice(),
            }
        ),
        SealedColumn::PreviousWebhookSecret => sql!(
            "UPDATE webhooks
             SET secreto_anterior = n.nuevo
             FROM unnest(:registro::text[], :anterior::bytea[], :nuevo::bytea[]) AS n (registro, anterior, nuevo)
             WHERE empresa = :empresa AND clave::text = n.registro AND secreto_anterior = n.anterior",
            empresa;
            for resealed in resealed {
                registro: resealed.secret.record.as_str(),
                anterior: resealed.secret.sealed.as_slice(),
                nuevo: resealed.sealed.as_slice(),
            }
        ),
    }
}
