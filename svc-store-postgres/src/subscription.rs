//! The place of a host's subscribers in the events of each company, and the events that they failed
//! at.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use svc_core::domain::company::CompanyId;
use svc_core::store::{
    AbandonedEvent, DueEvent, DueSubscription, FeedEvent, HeldEvent, StoreError, Subscription, SubscriptionStore,
    SubscriptionTx,
};

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::store::PostgresStore;
use crate::transaction::PostgresTx;

/// The company of the rows that say where subscribers begin.
const NONE: i64 = 0;

/// Maximum number of companies and subscribers in one answer; the next search finds the others.
const MAX_FOUND: i64 = 10_000;

/// A subscriber with a kind of its events.
struct WantedKind<'a> {
    lugar: i64,
    nombre: &'a str,
    tipo: &'static str,
    inicio: i64,
}

from_row! {
    struct FoundSubscription { empresa: CompanyId, lugar: i64, hasta: i64 }
}

from_row!(FeedEvent { clave, id, tipo, recurso, recurso_clave, creado, cuerpo: (shared("cuerpo")) });

fn shared<T: From<Vec<u8>>>(body: Vec<u8>) -> T {
    body.into()
}

impl FromRow for DueEvent {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let is_there = row.read::<_, Option<String>>("tipo")?.is_some();
        let event = if is_there { Some(FeedEvent::from_row(row)?) } else { None };
        let (recurso, recurso_clave) = (row.read("recurso")?, row.read("recurso_clave")?);
        Ok(Self { clave: row.read("evento")?, recurso, recurso_clave, intentos: row.read("intentos")?, event })
    }
}

impl FromRow for AbandonedEvent {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let record = (row.read("recurso")?, row.read("recurso_clave")?);
        let attempts = (row.read("intentos")?, row.read("abandonada")?, row.read("error")?);
        Ok(Self::new(row.read("suscriptor")?, row.read("evento")?, record, attempts))
    }
}

#[async_trait]
impl SubscriptionTx for PostgresTx {
    async fn lock_place(&mut self, subscription: Subscription<'_>) -> Result<Option<i64>, StoreError> {
        self.optional_value(sql!(
            "WITH nueva AS (
                 INSERT INTO suscripciones (empresa, suscriptor, lugar)
                 VALUES (:empresa, :nombre, :inicio)
                 ON CONFLICT (empresa, suscriptor) DO NOTHING
                 RETURNING lugar
             ), propia AS MATERIALIZED (
                 SELECT lugar
                 FROM suscripciones
                 WHERE empresa = :empresa AND suscriptor = :nombre
                 FOR NO KEY UPDATE SKIP LOCKED
             )
             SELECT lugar FROM nueva
             UNION ALL
             SELECT lugar FROM propia",
            empresa: self.empresa,
            nombre: subscription.name,
            inicio: subscription.begins,
        ))
        .await
    }

    /// The next event of each kind is read from its index, however many of other kinds lie between.
    async fn next_event(
        &mut self,
        subscription: Subscription<'_>,
        place: i64,
    ) -> Result<Option<FeedEvent>, StoreError> {
        self.optional(sql!(
            "SELECT e.clave, e.id, e.tipo, e.recurso, e.recurso_clave, e.creado, e.cuerpo
             FROM unnest(:tipos::text[]) AS t (tipo)
             CROSS JOIN LATERAL (
                 SELECT v.clave, v.id, v.tipo, v.recurso, v.recurso_clave, v.creado, v.cuerpo
                 FROM eventos v
                 WHERE v.empresa = :empresa AND v.tipo = t.tipo AND v.clave > :lugar
                 ORDER BY v.clave
                 LIMIT 1
             ) e
             ORDER BY e.clave
             LIMIT 1",
            empresa: self.empresa,
            tipos: subscription.kinds,
            lugar: place,
        ))
        .await
    }

    async fn due_event(&mut self, name: &str, now: DateTime<Utc>) -> Result<Option<DueEvent>, StoreError> {
        self.optional(sql!(
            "SELECT d.evento, d.intentos, d.recurso, d.recurso_clave, e.clave, e.id, e.tipo, e.creado, e.cuerpo
             FROM suscripciones_detenidas d
             LEFT JOIN eventos e ON e.empresa = :empresa AND e.clave = d.evento
             WHERE d.empresa = :empresa AND d.suscriptor = :nombre AND d.proximo <= :ahora
             ORDER BY d.proximo
             LIMIT 1",
            empresa: self.empresa,
            nombre: name,
            ahora: now,
        ))
        .await
    }

    async fn is_record_held(&mut self, name: &str, event: &FeedEvent) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT
                 FROM suscripciones_detenidas
                 WHERE empresa = :empresa AND suscriptor = :nombre AND recurso = :recurso
                   AND recurso_clave = :recurso_clave AND evento < :evento AND abandonada IS NULL
             )",
            empresa: self.empresa,
            nombre: name,
            recurso: event.recurso,
            recurso_clave: event.recurso_clave,
            evento: event.clave,
        ))
        .await
    }

    async fn hold_event(&mut self, name: &str, event: &HeldEvent<'_>) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO suscripciones_detenidas (
                 empresa, suscriptor, evento, recurso, recurso_clave, intentos, proximo, error, abandonada
             )
             VALUES (
                 :empresa, :nombre, :evento, :recurso, :recurso_clave, :intentos, :proximo, :error, :abandonada
             )
             ON CONFLICT (empresa, suscriptor, evento) DO UPDATE
             SET intentos = excluded.intentos, proximo = excluded.proximo, error = excluded.error,
                 abandonada = excluded.abandonada",
            empresa: self.empresa,
            nombre: name,
            evento: event.clave,
            intentos: i64::from(event.intentos);
            from event { recurso, recurso_clave, proximo, error, abandonada }
        ))
        .await
    }

    async fn release_event(&mut self, name: &str, clave: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "DELETE FROM suscripciones_detenidas
             WHERE empresa = :empresa AND suscriptor = :nombre AND evento = :evento",
            empresa: self.empresa,
            nombre: name,
            evento: clave,
        ))
        .await
    }

    async fn hurry_record(
        &mut self,
        name: &str,
        recurso: &str,
        recurso_clave: i64,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE suscripciones_detenidas
             SET proximo = coalesce(proximo, :ahora)
             WHERE empresa = :empresa AND suscriptor = :nombre AND evento = (
                 SELECT min(d.evento)
                 FROM suscripciones_detenidas d
                 WHERE d.empresa = :empresa AND d.suscriptor = :nombre AND d.recurso = :recurso
                   AND d.recurso_clave = :recurso_clave AND d.abandonada IS NULL
             )",
            empresa: self.empresa,
            nombre: name,
            recurso,
            recurso_clave,
            ahora: now,
        ))
        .await
    }

    async fn move_place(&mut self, name: &str, clave: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE suscripciones
             SET lugar = :lugar
             WHERE empresa = :empresa AND suscriptor = :nombre",
            empresa: self.empresa,
            nombre: name,
            lugar: clave,
        ))
        .await
    }

    async fn abandoned_events(&mut self, after: (&str, i64), max: u32) -> Result<Vec<AbandonedEvent>, StoreError> {
        let (nombre, evento) = after;
        self.many(sql!(
            "SELECT suscriptor, evento, recurso, recurso_clave, intentos, abandonada, coalesce(error, '') AS error
             FROM suscripciones_detenidas
             WHERE empresa = :empresa AND abandonada IS NOT NULL AND (suscriptor, evento) > (:nombre, :evento)
             ORDER BY suscriptor, evento
             LIMIT :max",
            empresa: self.empresa,
            nombre,
            evento,
            max: i64::from(max),
        ))
        .await
    }

    async fn retry_event(&mut self, name: &str, clave: i64, now: DateTime<Utc>) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE suscripciones_detenidas
             SET abandonada = NULL, proximo = :ahora, intentos = 0
             WHERE empresa = :empresa AND suscriptor = :nombre AND evento = :evento AND abandonada IS NOT NULL",
            empresa: self.empresa,
            nombre: name,
            evento: clave,
            ahora: now,
        ))
        .await
    }
}

#[async_trait]
impl SubscriptionStore for PostgresStore {
    async fn subscription_begins(&self, name: &str, first: i64) -> Result<i64, StoreError> {
        let mut all = self.background.of_all();
        let place = || {
            sql!(
                "SELECT lugar
                 FROM suscripciones
                 WHERE empresa = :empresa AND suscriptor = :nombre",
                empresa: NONE,
                nombre: name,
            )
        };
        if let Some(begins) = all.optional_value(place()).await? {
            return Ok(begins);
        }
        all.run(sql!(
            "INSERT INTO suscripciones (empresa, suscriptor, lugar)
             VALUES (:empresa, :nombre, :inicio)
             ON CONFLICT (empresa, suscriptor) DO NOTHING",
            empresa: NONE,
            nombre: name,
            inicio: first,
        ))
        .await?;
        all.value(place()).await
    }

    async fn subscriptions_due(
        &self,
        subscriptions: &[Subscription<'_>],
        now: DateTime<Utc>,
    ) -> Result<Vec<DueSubscription>, StoreError> {
        let mut wanted = Vec::new();
        for (lugar, one) in (0_i64..).zip(subscriptions) {
            let of = |tipo: &&'static str| WantedKind { lugar, nombre: one.name, tipo, inicio: one.begins };
            wanted.extend(one.kinds.iter().map(of));
        }
        let mut all = self.background.of_all();
        // What is furthest behind comes first.
        let mut found: Vec<FoundSubscription> = all
            .many(sql!(
                "SELECT e.empresa, s.lugar, max(c.valor) AS hasta
                 FROM unnest(:lugar::bigint[], :nombre::text[], :inicio::bigint[], :tipo::text[])
                      AS s (lugar, suscriptor, inicio, tipo)
                 CROSS JOIN empresas e
                 JOIN contadores c ON c.empresa = e.empresa AND c.serie = 'eventos'
                 LEFT JOIN suscripciones p ON p.empresa = e.empresa AND p.suscriptor = s.suscriptor
                 CROSS JOIN LATERAL (
                     SELECT min(v.clave) AS clave
                     FROM eventos v
                     WHERE v.empresa = e.empresa AND v.tipo = s.tipo AND v.clave > coalesce(p.lugar, s.inicio)
                 ) v
                 WHERE c.valor > coalesce(p.lugar, s.inicio) AND v.clave IS NOT NULL
                 GROUP BY e.empresa, s.lugar
                 ORDER BY min(v.clave)
                 LIMIT :max",
                max: MAX_FOUND;
                for kind in wanted { lugar, nombre: &kind.nombre, inicio, tipo: &kind.tipo }
            ))
            .await?;
        let held: Vec<FoundSubscription> = all
            .many(sql!(
                "SELECT d.empresa, s.lugar, max(c.valor) AS hasta
                 FROM suscripciones_detenidas d
                 JOIN contadores c ON c.empresa = d.empresa AND c.serie = 'eventos'
                 JOIN unnest(:lugar::bigint[], :nombre::text[]) AS s (lugar, suscriptor) ON s.suscriptor = d.suscriptor
                 WHERE d.proximo <= :ahora
                 GROUP BY d.empresa, s.lugar
                 ORDER BY min(d.proximo)
                 LIMIT :max",
                ahora: now,
                max: MAX_FOUND;
                for kind in wanted { lugar, nombre: &kind.nombre }
            ))
            .await?;
        found.extend(held);
        let due = |found: FoundSubscription| {
            let at = usize::try_from(found.lugar).ok()?;
            Some(DueSubscription { company: found.empresa, at, until: found.hasta })
        };
        Ok(found.into_iter().filter_map(due).collect())
    }
}
