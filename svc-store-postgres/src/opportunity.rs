use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::etapas_oportunidad::{Stage, StageFilter, Stages};
use svc_core::api::motivos_perdida::{LossReason, LossReasonFilter, LossReasons};
use svc_core::api::oportunidades::{Opportunities, Opportunity, OpportunityFilter};
use svc_core::backoffice::import::{LossReasonRecord, OpportunityRecord, StageRecord};
use svc_core::domain::money::Money;
use svc_core::domain::opportunity as domain;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{OpportunityStatus, Status};
use svc_core::operation::Query;
use svc_core::store::{Conflict, ListReader, NewOpportunity, OpportunityTx, StoreError};

use crate::columns::{instant, instant_or_null, money_or_null};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn stage(row: &PgRow) -> Result<Stage, sqlx::Error> {
    Ok(Stage {
        clave: row.try_get(0)?,
        nombre: row.try_get(1)?,
        tipo: row.try_get(2)?,
        orden: row.try_get(3)?,
        probabilidad: row.try_get(4)?,
        estatus: row.try_get(5)?,
    })
}

fn loss_reason(row: &PgRow) -> Result<LossReason, sqlx::Error> {
    Ok(LossReason { clave: row.try_get(0)?, nombre: row.try_get(1)?, estatus: row.try_get(2)? })
}

fn opportunity(row: &PgRow) -> Result<Opportunity, sqlx::Error> {
    Ok(Opportunity {
        clave: row.try_get(0)?,
        folio: row.try_get(1)?,
        nombre: row.try_get(2)?,
        estatus: row.try_get(3)?,
        etapa: row.try_get(4)?,
        cliente: row.try_get(5)?,
        contacto_nombre: row.try_get(6)?,
        contacto_empresa: row.try_get(7)?,
        contacto_correo: row.try_get(8)?,
        contacto_telefono: row.try_get(9)?,
        vendedor: row.try_get(10)?,
        monto: money_or_null(row, 11)?,
        moneda: row.try_get(12)?,
        probabilidad: row.try_get(13)?,
        cierre: row.try_get(14)?,
        motivo_perdida: row.try_get(15)?,
        fecha_cierre: instant_or_null(row, 16)?,
        origen: row.try_get(17)?,
        creado: instant(row, 18)?,
        modificado: instant_or_null(row, 19)?,
    })
}

/// A column that a constraint keeps to the words of the status.
fn status(row: &PgRow, at: usize) -> Result<OpportunityStatus, sqlx::Error> {
    let word: &str = row.try_get(at)?;
    OpportunityStatus::of(word).ok_or_else(|| sqlx::Error::Decode(format!("{word:?} is no status").into()))
}

#[async_trait]
impl ListReader<Stages> for PostgresReader<'_> {
    async fn page(&self, query: &Query<StageFilter>) -> Result<Vec<Stage>, StoreError> {
        const SELECT: &str = "SELECT clave, nombre, tipo, orden, probabilidad, estatus FROM etapas_oportunidad";
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                StageFilter::Clave(clave) => page.compare("clave = ", clave),
                StageFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
                StageFilter::Tipo(tipo) => page.compare("tipo = ", tipo),
            }
        }
        page.fetch(self, query, stage).await
    }
}

#[async_trait]
impl ListReader<LossReasons> for PostgresReader<'_> {
    async fn page(&self, query: &Query<LossReasonFilter>) -> Result<Vec<LossReason>, StoreError> {
        let mut page = Page::new("SELECT clave, nombre, estatus FROM motivos_perdida", "", self.empresa);
        for filter in &query.filters {
            match filter {
                LossReasonFilter::Clave(clave) => page.compare("clave = ", clave),
                LossReasonFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        page.fetch(self, query, loss_reason).await
    }
}

#[async_trait]
impl ListReader<Opportunities> for PostgresReader<'_> {
    async fn page(&self, query: &Query<OpportunityFilter>) -> Result<Vec<Opportunity>, StoreError> {
        use OpportunityFilter as F;
        const SELECT: &str = "SELECT clave, folio, nombre, estatus, etapa, cliente, contacto_nombre, contacto_empresa, \
                              contacto_correo, contacto_telefono, vendedor, monto, moneda, probabilidad, cierre, \
                              motivo_perdida, fecha_cierre, origen, creado, modificado FROM oportunidades";
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("clave = ", clave),
                F::Estatus(estatus) => page.compare("estatus = ", estatus),
                F::Etapa(etapa) => page.compare("etapa = ", etapa),
                F::Cliente(cliente) => page.compare("cliente = ", cliente),
                F::Vendedor(vendedor) => page.compare("vendedor = ", vendedor),
                F::CierreDesde(from) => page.compare("cierre >= ", from),
                F::CierreHasta(until) => page.compare("cierre <= ", until),
            }
        }
        page.fetch(self, query, opportunity).await
    }
}

#[async_trait]
impl OpportunityTx for PostgresTx {
    async fn stage(&mut self, clave: i64) -> Result<Option<domain::Stage>, StoreError> {
        let row = sqlx::query(
            "SELECT clave, tipo, estatus = 'activo' FROM etapas_oportunidad
             WHERE empresa = $1 AND clave = $2 FOR SHARE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read =
            |row: &PgRow| Ok(domain::Stage { clave: row.try_get(0)?, tipo: status(row, 1)?, activa: row.try_get(2)? });
        row.as_ref().map(read).transpose().map_err(store_error)
    }

    async fn is_loss_reason(&mut self, clave: i64) -> Result<bool, StoreError> {
        let statement =
            "SELECT EXISTS (SELECT FROM motivos_perdida WHERE empresa = $1 AND clave = $2 AND estatus = 'activo')";
        self.exists(statement, clave).await
    }

    async fn insert_opportunity(&mut self, row: &NewOpportunity<'_>) -> Result<i64, StoreError> {
        let clave = self.next("oportunidades", 1).await?;
        let query = sqlx::query(
            "INSERT INTO oportunidades (empresa, clave, folio, nombre, estatus, etapa, motivo_perdida, fecha_cierre, cliente,
                 contacto_nombre, contacto_empresa, contacto_correo, contacto_telefono, vendedor, monto, moneda,
                 probabilidad, cierre, origen, creado, modificado)
             VALUES ($1, $2::bigint, $2::bigint::text, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $19)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.nombre)
        .bind(row.standing.estatus.word())
        .bind(row.standing.etapa)
        .bind(row.standing.motivo_perdida)
        .bind(row.standing.fecha_cierre.map(Timestamp::get))
        .bind(row.cliente)
        .bind(row.contacto_nombre)
        .bind(row.contacto_empresa)
        .bind(row.contacto_correo)
        .bind(row.contacto_telefono)
        .bind(row.vendedor)
        .bind(row.monto.map(Money::get))
        .bind(row.moneda)
        .bind(row.probabilidad)
        .bind(row.cierre)
        .bind(row.origen)
        .bind(row.creado.get());
        self.run(query).await?;
        Ok(clave)
    }

    async fn opportunity(&mut self, clave: i64) -> Result<Option<domain::Standing>, StoreError> {
        let row = sqlx::query(
            "SELECT etapa, estatus, motivo_perdida, fecha_cierre FROM oportunidades
             WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: &PgRow| {
            let (etapa, estatus) = (row.try_get(0)?, status(row, 1)?);
            let (motivo_perdida, fecha_cierre) = (row.try_get(2)?, instant_or_null(row, 3)?);
            Ok(domain::Standing { etapa, estatus, motivo_perdida, fecha_cierre })
        };
        row.as_ref().map(read).transpose().map_err(store_error)
    }

    async fn update_standing(
        &mut self,
        clave: i64,
        standing: &domain::Standing,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE oportunidades SET etapa = $3, estatus = $4, motivo_perdida = $5, fecha_cierre = $6, modificado = $7
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(standing.etapa)
        .bind(standing.estatus.word())
        .bind(standing.motivo_perdida)
        .bind(standing.fecha_cierre.map(Timestamp::get))
        .bind(modificado.get());
        self.run(query).await
    }

    async fn import_stages(&mut self, rows: &[StageRecord]) -> Result<(), StoreError> {
        let claves = self.claves("etapas_oportunidad", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            let tipo = row.tipo.unwrap_or(OpportunityStatus::Abierta);
            let probability = if tipo == OpportunityStatus::Ganada { 100 } else { 0 };
            copy.value(self.empresa).value(clave).value(&*row.nombre).value(tipo.word());
            copy.value(row.orden.unwrap_or(clave)).value(row.probabilidad.unwrap_or(probability));
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(
            self.connection(),
            "COPY etapas_oportunidad (empresa, clave, nombre, tipo, orden, probabilidad, estatus) FROM STDIN",
        )
        .await
    }

    async fn import_loss_reasons(&mut self, rows: &[LossReasonRecord]) -> Result<(), StoreError> {
        let claves = self.claves("motivos_perdida", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.nombre);
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(self.connection(), "COPY motivos_perdida (empresa, clave, nombre, estatus) FROM STDIN").await
    }

    async fn import_opportunities(&mut self, rows: &[OpportunityRecord], now: Timestamp) -> Result<(), StoreError> {
        let kinds = self.stage_kinds(rows.iter().map(|row| row.etapa)).await?;
        let claves = self.claves("oportunidades", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            let estatus = kinds.get(&row.etapa).map_or("", String::as_str);
            let lost = estatus == OpportunityStatus::Perdida.word();
            copy.value(self.empresa).value(clave);
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.optional(row.nombre.as_deref()).value(estatus).value(row.etapa).optional(row.cliente);
            copy.optional(row.contacto_nombre.as_deref()).optional(row.contacto_empresa.as_deref());
            copy.optional(row.contacto_correo.as_deref()).optional(row.contacto_telefono.as_deref());
            copy.optional(row.vendedor).optional(row.monto).value(row.moneda.as_deref().unwrap_or("MXN"));
            copy.optional(row.probabilidad).optional(row.cierre.map(|date| date.0));
            copy.optional(row.motivo_perdida.filter(|_| lost)).optional(row.fecha_cierre);
            copy.optional(row.origen.as_deref()).value(row.creado.unwrap_or(now));
            copy.value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY oportunidades (empresa, clave, folio, nombre, estatus, etapa, cliente, contacto_nombre, contacto_empresa, \
             contacto_correo, contacto_telefono, vendedor, monto, moneda, probabilidad, cierre, motivo_perdida, \
             fecha_cierre, origen, creado, modificado) FROM STDIN",
        )
        .await
    }
}

impl PostgresTx {
    /// The types of stages; one that does not exist is a conflict.
    async fn stage_kinds(
        &mut self,
        stages: impl Iterator<Item = i64> + Send,
    ) -> Result<HashMap<i64, String>, StoreError> {
        let mut stages: Vec<i64> = stages.collect();
        stages.sort_unstable();
        stages.dedup();
        let kinds: Vec<(i64, String)> =
            sqlx::query_as("SELECT clave, tipo FROM etapas_oportunidad WHERE empresa = $1 AND clave = ANY ($2)")
                .bind(self.empresa)
                .bind(&stages)
                .fetch_all(self.connection())
                .await
                .map_err(store_error)?;
        if kinds.len() < stages.len() {
            return Err(StoreError::Conflict(Conflict::Reference("etapa".to_owned())));
        }
        Ok(kinds.into_iter().collect())
    }
}
