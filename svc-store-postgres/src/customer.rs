//! Customers, contacts, tasks and opportunities.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::cfdi::Receiver;
use svc_core::domain::interaction::{ContactedCustomer, Minutes};
use svc_core::domain::opportunity::{FunnelStage, OpportunityState};
use svc_core::domain::time::Timestamp;
use svc_core::record::customer::CustomerData;
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{
    Buyer, Conflict, CustomerTx, NewCommitment, NewCustomerRow, NewInteraction, NewOpportunity, StoreError,
};

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(Buyer { receptor: .., lista, dias_credito, limite_credito, prospecto });

impl FromRow for Receiver {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let rfc: Option<String> = row.read("rfc")?;
        Ok(Self {
            nombre: Self::name(row.read("razon_social")?, row.read("nombre")?, rfc.as_deref()),
            rfc,
            cp: row.read("cp")?,
            regimen: row.read("regimen")?,
            uso_cfdi: row.read("uso_cfdi")?,
            pais: row.read("pais")?,
            num_reg_id_trib: row.read("num_reg_id_trib")?,
        })
    }
}

/// Reads a [`Buyer`].
macro_rules! buyer {
    () => {
        "SELECT rfc, razon_social, nombre, cp, regimen, uso_cfdi, pais, num_reg_id_trib,
                lista, dias_credito::bigint, limite_credito, prospecto
         FROM clientes
         WHERE empresa = :empresa AND clave = :clave"
    };
}

from_row!(ContactedCustomer { de_plataforma, correo, telefono, movil, vendedor });

from_row!(FunnelStage { clave, tipo, activa });
from_row!(OpportunityState { etapa, estatus, motivo_perdida, fecha_cierre });

#[async_trait]
impl CustomerTx for PostgresTx {
    async fn insert_customer(&mut self, row: &NewCustomerRow<'_>) -> Result<i64, StoreError> {
        let more = [
            ("mensaje", row.mensaje.map_or(Value::Null, |text| Value::Text(text.into())), Kind::Text),
            ("modificado", row.creado.to_value(), Kind::Instant),
        ];
        // After an error the transaction could not say whose RFC it is. Without one there is no
        // conflict, and PostgreSQL looks for none.
        let conflict = if row.data.rfc.is_some() { " ON CONFLICT DO NOTHING" } else { "" };
        let inserted = self.insert_stored_unless(row.data, &more, conflict).await?;
        match (inserted, row.data.rfc.as_deref()) {
            (Some(clave), _) => Ok(clave),
            (None, Some(rfc)) => Err(Conflict::Rfc(self.customer_of_rfc(rfc).await?).into()),
            (None, None) => Err(Conflict::Clave.into()),
        }
    }

    async fn customer_of_rfc(&mut self, rfc: &str) -> Result<Option<i64>, StoreError> {
        self.optional_value(sql!(
            "SELECT clave
             FROM clientes
             WHERE empresa = :empresa AND rfc = :rfc AND rfc NOT IN ('XAXX010101000', 'XEXX010101000')",
            empresa: self.empresa,
            rfc,
        ))
        .await
    }

    async fn customer(&mut self, clave: i64) -> Result<Option<CustomerData>, StoreError> {
        self.lock_stored(clave).await
    }

    async fn buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        self.optional(sql!(buyer!(), empresa: self.empresa, clave)).await
    }

    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        self.optional(sql!(concat!(buyer!(), " FOR NO KEY UPDATE"), empresa: self.empresa, clave)).await
    }

    async fn convert_prospect(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE clientes
             SET prospecto = false, modificado = :modificado
             WHERE empresa = :empresa AND clave = :clave AND prospecto",
            empresa: self.empresa,
            clave,
            modificado,
        ))
        .await
    }

    async fn update_customer(
        &mut self,
        clave: i64,
        data: &CustomerData,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        self.update_stored(clave, data, modificado).await
    }

    async fn account(&mut self, cliente: i64) -> Result<Option<ContactedCustomer>, StoreError> {
        self.optional(sql!(
            "SELECT plataforma IS NOT NULL AS de_plataforma, correo, telefono, movil, vendedor
             FROM clientes
             WHERE empresa = :empresa AND clave = :cliente
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            cliente,
        ))
        .await
    }

    async fn insert_interaction(&mut self, row: &NewInteraction<'_>) -> Result<i64, StoreError> {
        let clave = self.next("interacciones", 1).await?;
        let (proximo_fecha, proximo_texto) = row.siguiente.commitment().unzip();
        self.run(sql!(
            "INSERT INTO interacciones (
                 empresa, clave, cliente, vendedor, canal, resultado, sentido, nota, fecha,
                 duracion_min, proximo_fecha, proximo_texto, cierre, solo_nota, creada
             )
             VALUES (
                 :empresa, :clave, :cliente, :vendedor, :canal, :resultado, :sentido, :nota, :fecha,
                 :duracion_min, :proximo_fecha, :proximo_texto, :cierre, :solo_nota, :creada
             )",
            empresa: self.empresa,
            clave,
            duracion_min: row.duracion.map(Minutes::get),
            proximo_fecha,
            proximo_texto: proximo_texto.flatten(),
            cierre: row.siguiente.closing();
            from row { cliente, vendedor, canal, resultado, sentido, nota, fecha, solo_nota, creada }
        ))
        .await?;
        Ok(clave)
    }

    async fn replace_commitment(
        &mut self,
        cliente: i64,
        commitment: Option<&NewCommitment<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE tareas
             SET estado = 'cerrada', cerrada = :ahora
             WHERE empresa = :empresa AND cliente = :cliente AND estado = 'abierta'",
            empresa: self.empresa,
            cliente,
            ahora: now,
        ))
        .await?;
        if let Some(task) = commitment {
            let clave = self.next("tareas", 1).await?;
            self.run(sql!(
                "INSERT INTO tareas (empresa, clave, cliente, vendedor, interaccion, fecha, texto, estado, creada)
                 VALUES (
                     :empresa, :clave, :cliente, :vendedor, :interaccion, :fecha, :texto, 'abierta', :creada
                 )",
                empresa: self.empresa,
                clave,
                cliente,
                creada: now;
                from task { vendedor, interaccion, fecha, texto }
            ))
            .await?;
        }
        self.run(sql!(
            "UPDATE clientes
             SET proximo_contacto = :proximo_contacto, modificado = :ahora
             WHERE empresa = :empresa AND clave = :cliente",
            empresa: self.empresa,
            cliente,
            proximo_contacto: commitment.map(|task| task.fecha),
            ahora: now,
        ))
        .await
    }

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
            estatus: row.state.estatus,
            etapa: row.state.etapa,
            motivo_perdida: row.state.motivo_perdida,
            fecha_cierre: row.state.fecha_cierre;
            from row {
                nombre, cliente, contacto_nombre, contacto_empresa, contacto_correo, contacto_telefono, vendedor,
                monto, moneda, probabilidad, cierre, origen, creado
            }
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
            modificado;
            from state { estatus, etapa, motivo_perdida, fecha_cierre }
        ))
        .await
    }
}
