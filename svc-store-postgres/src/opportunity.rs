//! Opportunities and their stages.

use async_trait::async_trait;
use svc_core::domain::opportunity::{FunnelStage, OpportunityState};
use svc_core::domain::time::Timestamp;
use svc_core::store::{NewOpportunity, OpportunityTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(FunnelStage { clave, tipo, activa });
from_row!(OpportunityState { etapa, estatus, motivo_perdida, fecha_cierre });

#[async_trait]
impl OpportunityTx for PostgresTx {
    async fn is_stage_used(&mut self, etapa: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (SELECT FROM oportunidades WHERE empresa = :empresa AND etapa = :etapa)",
            empresa: self.empresa,
            etapa,
        ))
        .await
    }

    async fn stage(&mut self, clave: i64) -> Result<Option<FunnelStage>, StoreError> {
        self.optional(sql!(
            "SELECT clave, tipo, estatus = 'activo' AS activa
             FROM etapas_oportunidad
             WHERE empresa = :empresa AND clave = :clave
             FOR SHARE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn is_loss_reason(&mut self, clave: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM motivos_perdida
                 WHERE empresa = :empresa AND clave = :clave AND estatus = 'activo'
             )",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn insert_opportunity(&mut self, row: &NewOpportunity<'_>) -> Result<i64, StoreError> {
        let clave = self.next("oportunidades", 1).await?;
        self.run(sql!(
            "INSERT INTO oportunidades (
                 empresa, clave, folio, nombre, estatus, etapa, motivo_perdida, fecha_cierre, cliente,
                 contacto_nombre, contacto_empresa, contacto_correo, contacto_telefono, vendedor, monto, moneda,
                 probabilidad, cierre, origen, creado, modificado
             )
             VALUES (
                 :empresa, :clave::bigint, :clave::bigint::text, :nombre, :estatus, :etapa, :motivo_perdida,
                 :fecha_cierre, :cliente,
                 :contacto_nombre, :contacto_empresa, :contacto_correo, :contacto_telefono, :vendedor, :monto, :moneda,
                 :probabilidad, :cierre, :origen, :creado, :creado
             )",
            empresa: self.empresa,
            clave,
            nombre: row.nombre,
            estatus: row.state.estatus,
            etapa: row.state.etapa,
            motivo_perdida: row.state.motivo_perdida,
            fecha_cierre: row.state.fecha_cierre,
            cliente: row.cliente,
            contacto_nombre: row.contacto_nombre,
            contacto_empresa: row.contacto_empresa,
            contacto_correo: row.contacto_correo,
            contacto_telefono: row.contacto_telefono,
            vendedor: row.vendedor,
            monto: row.monto,
            moneda: row.moneda,
            probabilidad: row.probabilidad,
            cierre: row.cierre,
            origen: row.origen,
            creado: row.creado,
        ))
        .await?;
        Ok(clave)
    }

    async fn opportunity(&mut self, clave: i64) -> Result<Option<OpportunityState>, StoreError> {
        self.optional(sql!(
            "SELECT estatus, etapa, motivo_perdida, fecha_cierre
             FROM oportunidades
             WHERE empresa = :empresa AND clave = :clave
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn update_opportunity_state(
        &mut self,
        clave: i64,
        state: &OpportunityState,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE oportunidades
             SET estatus = :estatus, etapa = :etapa, motivo_perdida = :motivo_perdida, fecha_cierre = :fecha_cierre,
                 modificado = :modificado
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            estatus: state.estatus,
            etapa: state.etapa,
            motivo_perdida: state.motivo_perdida,
            fecha_cierre: state.fecha_cierre,
            modificado,
        ))
        .await
    }
}
