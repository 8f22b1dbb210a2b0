//! Interactions with customers and the tasks that follow.

use async_trait::async_trait;
use svc_core::domain::interaction::{ContactedCustomer, Minutes};
use svc_core::domain::time::Timestamp;
use svc_core::store::{InteractionTx, NewCommitment, NewInteraction, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(ContactedCustomer { de_plataforma, correo, telefono, movil, vendedor });

#[async_trait]
impl InteractionTx for PostgresTx {
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
            cliente: row.cliente,
            vendedor: row.vendedor,
            canal: row.canal,
            resultado: row.resultado,
            sentido: row.sentido,
            nota: row.nota,
            fecha: row.fecha,
            duracion_min: row.duracion.map(Minutes::get),
            proximo_fecha,
            proximo_texto: proximo_texto.flatten(),
            cierre: row.siguiente.closing(),
            solo_nota: row.solo_nota,
            creada: row.creada,
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
                vendedor: task.vendedor,
                interaccion: task.interaccion,
                fecha: task.fecha,
                texto: task.texto,
                creada: now,
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
}
