//! Idempotency-Keys with their answers, events, and the removal of old rows.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use svc_core::store::{Aged, Claim, NewEvent, RequestTx, StoreError};

use crate::error::store_error;
use crate::events::with_events;
use crate::pool::Statement;
use crate::retention::deleting;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{sql, sql_text};
use crate::transaction::PostgresTx;

/// Sent in one message with BEGIN.
static CLAIM: Statement = Statement {
    name: "svc_claim",
    text: sql_text!(
        "INSERT INTO idempotencia AS i (empresa, llave, nombre, huella, creada)
         VALUES (:empresa, :llave, :nombre, :huella, now())
         ON CONFLICT (empresa, llave, nombre) DO UPDATE
         SET huella = excluded.huella, respuesta = NULL, creada = excluded.creada
         WHERE excluded.creada - i.creada > :conservada",
        empresa,
        llave,
        nombre,
        huella,
        conservada
    ),
};

from_row! {
    struct Answer { huella: [u8; 32], respuesta: Vec<u8> }
}

#[async_trait]
impl RequestTx for PostgresTx {
    async fn claim(
        &mut self,
        suffix: &str,
        name: &str,
        fingerprint: &[u8; 32],
        kept: TimeDelta,
    ) -> Result<Claim, StoreError> {
        let kept = format!("interval '{} seconds'", kept.num_seconds());
        let values = [self.empresa.to_string(), text(suffix), text(name), bytes(fingerprint), kept];
        loop {
            // Waits for a transaction that holds the claim, at most for the lock timeout.
            let claimed = self.connection().run_with_begin(&CLAIM, &values).await.map_err(store_error)?;
            if claimed == 1 {
                return Ok(Claim::New);
            }
            let earlier: Option<Answer> = self
                .optional(sql!(
                    "SELECT huella, respuesta
                     FROM idempotencia
                     WHERE empresa = :empresa AND llave = :llave AND nombre = :nombre",
                    empresa: self.empresa,
                    llave: suffix,
                    nombre: name,
                ))
                .await?;
            // It expired and was deleted between the two statements, so the key is free.
            let Some(Answer { huella, respuesta }) = earlier else { continue };
            return Ok(Claim::Done { fingerprint: huella, body: respuesta.into() });
        }
    }

    async fn set_fingerprint(&mut self, suffix: &str, name: &str, fingerprint: &[u8; 32]) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE idempotencia
             SET huella = :huella
             WHERE empresa = :empresa AND llave = :llave AND nombre = :nombre AND creada = now()",
            empresa: self.empresa,
            huella: &fingerprint[..],
            llave: suffix,
            nombre: name,
        ))
        .await
    }

    async fn remember(&mut self, suffix: &str, name: &str, body: &[u8]) -> Result<(), StoreError> {
        let events = std::mem::take(&mut self.unwritten);
        // With `creada` each index of the table finds just this row. A plan made while the table
        // was empty may use any.
        self.run(with_events!(
            "UPDATE idempotencia
             SET respuesta = :respuesta
             WHERE empresa = :empresa AND llave = :llave AND nombre = :nombre AND creada = now()",
            empresa: self.empresa,
            respuesta: body,
            llave: suffix,
            nombre: name;
            events
        ))
        .await
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

/// Hexadecimal, so that nothing a client sends can end the literal. With `E''` two backslashes are
/// one, whatever the server's `standard_conforming_strings` says.
fn bytes(bytes: &[u8]) -> String {
    format!(r"E'\\x{}'", hex::encode(bytes))
}

fn text(text: &str) -> String {
    format!("convert_from({}, 'UTF8')", bytes(text.as_bytes()))
}
