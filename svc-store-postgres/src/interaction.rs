//! Interactions with customers and the tasks that follow.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::interaction::{Account, Minutes};
use svc_core::domain::time::Timestamp;
use svc_core::store::{InteractionTx, NewCommitment, NewInteraction, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

fn account(row: &PgRow) -> Result<Account, sqlx::Error> {
    Ok(Account {
        de_plataforma: row.try_get(0)?,
        correo: row.try_get(1)?,
        telefono: row.try_get(2)?,
        movil: row.try_get(3)?,
        vendedor: row.try_get(4)?,
    })
}

#[async_trait]
impl InteractionTx for PostgresTx {
    async fn account(&mut self, cliente: i64) -> Result<Option<Account>, StoreError> {
        let row = sqlx::query(
            "SELECT plataforma IS NOT NULL, correo, telefono, movil, vendedor
             FROM clientes WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(cliente)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(account).transpose().map_err(store_error)
    }

    async fn insert_interaction(&mut self, row: &NewInteraction<'_>) -> Result<i64, StoreError> {
        let clave = self.next("interacciones", 1).await?;
        let (proximo_fecha, proximo_texto) = row.siguiente.commitment().unzip();
        let query = sqlx::query(
            "INSERT INTO interacciones (empresa, clave, cliente, vendedor, canal, resultado, sentido, nota, fecha,
                                        duracion_min, proximo_fecha, proximo_texto, cierre, solo_nota, creada)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.cliente)
        .bind(row.vendedor)
        .bind(row.canal.word())
        .bind(row.resultado.word())
        .bind(row.sentido.word())
        .bind(row.nota)
        .bind(row.fecha.get())
        .bind(row.duracion.map(Minutes::get))
        .bind(proximo_fecha)
        .bind(proximo_texto.flatten())
        .bind(row.siguiente.closing())
        .bind(row.solo_nota)
        .bind(row.creada.get());
        self.run(query).await?;
        Ok(clave)
    }

    async fn replace_commitment(
        &mut self,
        cliente: i64,
        commitment: Option<&NewCommitment<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE tareas SET estado = 'cerrada', cerrada = $3
             WHERE empresa = $1 AND cliente = $2 AND estado = 'abierta'",
        )
        .bind(self.empresa)
        .bind(cliente)
        .bind(now.get());
        self.run(query).await?;
        if let Some(task) = commitment {
            let clave = self.next("tareas", 1).await?;
            let query = sqlx::query(
                "INSERT INTO tareas (empresa, clave, cliente, vendedor, interaccion, fecha, texto, estado, creada)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, 'abierta', $8)",
            )
            .bind(self.empresa)
            .bind(clave)
            .bind(cliente)
            .bind(task.vendedor)
            .bind(task.interaccion)
            .bind(task.fecha)
            .bind(task.texto)
            .bind(now.get());
            self.run(query).await?;
        }
        let query =
            sqlx::query("UPDATE clientes SET proximo_contacto = $3, modificado = $4 WHERE empresa = $1 AND clave = $2")
                .bind(self.empresa)
                .bind(cliente)
                .bind(commitment.map(|task| task.fecha))
                .bind(now.get());
        self.run(query).await
    }
}
