//! `modificado` of the records that show a field of another record.

use svc_core::domain::time::Timestamp;
use svc_core::store::{Renamed, StoreError};

use crate::sql::sql;
use crate::transaction::PostgresTx;

impl PostgresTx {
    /// Rows are locked in the order in which stock movements and other renames lock them, so that
    /// they do not deadlock.
    pub(super) async fn write_renamed(&mut self, renamed: Renamed, now: Timestamp) -> Result<(), StoreError> {
        let statement = match renamed {
            Renamed::Brand(marca) => sql!(
                "WITH muestran AS MATERIALIZED (
                     SELECT clave
                     FROM productos
                     WHERE empresa = :empresa AND marca = :marca
                     ORDER BY clave
                     FOR NO KEY UPDATE
                 )
                 UPDATE productos p
                 SET modificado = :ahora
                 FROM muestran m
                 WHERE p.empresa = :empresa AND p.clave = m.clave",
                empresa: self.empresa,
                marca,
                ahora: now,
            ),
            Renamed::Category(categoria) => sql!(
                "WITH muestran AS MATERIALIZED (
                     SELECT clave
                     FROM productos
                     WHERE empresa = :empresa AND categoria = :categoria
                     ORDER BY clave
                     FOR NO KEY UPDATE
                 )
                 UPDATE productos p
                 SET modificado = :ahora
                 FROM muestran m
                 WHERE p.empresa = :empresa AND p.clave = m.clave",
                empresa: self.empresa,
                categoria,
                ahora: now,
            ),
            Renamed::Product(producto) => sql!(
                "WITH existencias AS MATERIALIZED (
                     SELECT clave
                     FROM inventario
                     WHERE empresa = :empresa AND producto = :producto
                     ORDER BY almacen
                     FOR NO KEY UPDATE
                 ), marcadas AS (
                     UPDATE inventario i
                     SET modificado = :ahora
                     FROM existencias e
                     WHERE i.empresa = :empresa AND i.clave = e.clave
                 )
                 UPDATE precios
                 SET modificado = :ahora
                 WHERE empresa = :empresa AND producto = :producto",
                empresa: self.empresa,
                producto,
                ahora: now,
            ),
            // Documents show the later of their own `modificado` and `renombrado`: there may be
            // millions of them.
            Renamed::Warehouse(almacen) => sql!(
                "WITH existencias AS MATERIALIZED (
                     SELECT clave
                     FROM inventario
                     WHERE empresa = :empresa AND almacen = :almacen
                     ORDER BY producto
                     FOR NO KEY UPDATE
                 ), marcadas AS (
                     UPDATE inventario i
                     SET modificado = :ahora
                     FROM existencias e
                     WHERE i.empresa = :empresa AND i.clave = e.clave
                 )
                 UPDATE almacenes
                 SET renombrado = :ahora
                 WHERE empresa = :empresa AND clave = :almacen",
                empresa: self.empresa,
                almacen,
                ahora: now,
            ),
        };
        self.run(statement.planned_each_time()).await
    }
}
