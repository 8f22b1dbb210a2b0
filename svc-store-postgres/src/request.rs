//! Idempotency-Keys with their answers, events, and the removal of old rows.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use svc_core::store::{Aged, ClaimKey, NewEvent, RequestTx, StoreError, StoredAnswer};

use crate::error::store_error;
use crate::events::with_events;
use crate::pool::Statement;
use crate::retention::deleting;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{sql, sql_text};
use crate::transaction::PostgresTx;

/// Holds the claim of a key until the transaction ends: the row of the key is written once, with
/// the answer.
static CLAIM: Statement =
    Statement { name: "svc_claim", text: sql_text!("SELECT pg_advisory_xact_lock(:candado)", candado) };

/// Looks for the stored answer. As a statement of its own it sees what the last holder of the claim
/// committed.
static STORED: Statement = Statement {
    name: "svc_stored",
    text: sql_text!(
        "SELECT FROM idempotencia
         WHERE empresa = :empresa AND llave = :llave AND nombre = :nombre",
        empresa,
        llave,
        nombre
    ),
};

from_row! {
    struct Answer { huella: [u8; 32], respuesta: Vec<u8>, vencida: bool }
}

#[async_trait]
impl RequestTx for PostgresTx {
    async fn claim(&mut self, key: ClaimKey<'_>) -> Result<Option<StoredAnswer>, StoreError> {
        let claim = [lock_of(self.empresa, &key).to_string()];
        let named = [self.empresa.to_string(), text(key.suffix), text(key.name)];
        // Waits for a transaction that holds the claim, at most for the lock timeout.
        let rows = self.connection().run_with_begin(&[(&CLAIM, &claim), (&STORED, &named)]).await;
        // The claim is a row too.
        if rows.map_err(store_error)? == 1 {
            return Ok(None);
        }
        let answer: Option<Answer> = self
            .optional(sql!(
                "SELECT huella, respuesta, now() - creada > :conservada AS vencida
                 FROM idempotencia
                 WHERE empresa = :empresa AND llave = :llave AND nombre = :nombre",
                empresa: self.empresa,
                llave: key.suffix,
                nombre: key.name,
                conservada: key.kept,
            ))
            .await?;
        match answer {
            Some(Answer { huella, respuesta, vencida: false }) => {
                Ok(Some(StoredAnswer { fingerprint: huella, body: respuesta.into() }))
            }
            Some(Answer { vencida: true, .. }) => {
                self.run(sql!(
                    "DELETE FROM idempotencia
                     WHERE empresa = :empresa AND llave = :llave AND nombre = :nombre",
                    empresa: self.empresa,
                    llave: key.suffix,
                    nombre: key.name,
                ))
                .await?;
                Ok(None)
            }
            // The clean-up deleted it between the two statements.
            None => Ok(None),
        }
    }

    async fn remember(&mut self, key: ClaimKey<'_>, answer: StoredAnswer) -> Result<(), StoreError> {
        let events = std::mem::take(&mut self.unwritten);
        let stored = self
            .run(with_events!(
                "INSERT INTO idempotencia (empresa, llave, nombre, huella, respuesta, creada)
                 VALUES (:empresa, :llave, :nombre, :huella, :respuesta, now())",
                empresa: self.empresa,
                llave: key.suffix,
                nombre: key.name,
                huella: &answer.fingerprint[..],
                respuesta: &answer.body[..];
                events
            ))
            .await;
        match stored {
            Err(StoreError::Conflict(_)) => {
                Err(StoreError::Transient("another answer was stored without the claim".into()))
            }
            stored => stored,
        }
    }

    async fn append_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError> {
        self.unwritten.single.extend(events);
        Ok(())
    }

    async fn group_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError> {
        self.unwritten.grouped.extend(events);
        Ok(())
    }

    async fn delete_aged(&mut self, aged: Aged, expired: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.changed(deleting(aged, self.empresa, expired, max.into())).await
    }
}

/// The number of the lock that stands for a key. Two keys may share one, and then wait for each
/// other.
fn lock_of(empresa: i64, key: &ClaimKey<'_>) -> i64 {
    let digest = Sha256::digest(format!("{empresa} {} {}", key.suffix, key.name));
    i64::from_be_bytes(*digest.first_chunk().expect("thirty-two bytes"))
}

/// Hexadecimal, so that nothing a client sends can end the literal, or is read in a log of
/// statements. With `E''` two backslashes are one, whatever the server's
/// `standard_conforming_strings` says.
fn text(text: &str) -> String {
    format!(r"convert_from(E'\\x{}', 'UTF8')", hex::encode(text))
}
