//! What the stock was worth on a day.

use chrono::NaiveDate;
use svc_core::domain::accounting::Account;
use svc_core::store::{StockWorth, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(StockWorth { producto, sku, descripcion, existencia, valor, otros, saldo });

impl PostgresTx {
    /// Goes back from today's values by what was written after the day. Imported movements are in
    /// no value.
    pub(crate) async fn read_stock_worth(&mut self, al: NaiveDate, limite: i64) -> Result<Vec<StockWorth>, StoreError> {
        self.many(sql!(
            "WITH despues AS (
                 SELECT d.producto, sum(d.existencia) AS existencia, sum(d.valor) AS valor
                 FROM (
                     SELECT m.producto, m.existencia_actual - m.existencia_anterior AS existencia, m.valor
                     FROM movimientos_inventario m
                     WHERE m.empresa = :empresa AND m.dia > :al
                     UNION ALL
                     SELECT a.producto, a.existencia, a.valor
                     FROM costos_aperturas a
                     WHERE a.empresa = :empresa AND a.dia > :al
                 ) d
                 GROUP BY d.producto
             ), entonces AS (
                 SELECT c.producto, c.existencia - coalesce(d.existencia, 0) AS existencia,
                        c.valor - coalesce(d.valor, 0) AS valor
                 FROM costos c
                 LEFT JOIN despues d ON d.producto = c.producto
                 WHERE c.empresa = :empresa
             ), lugares AS (
                 SELECT e.producto, e.existencia, e.valor,
                        row_number() OVER (ORDER BY e.valor DESC, e.producto) AS lugar
                 FROM entonces e
                 WHERE e.existencia <> 0 OR e.valor <> 0
             )
             SELECT * FROM (
                 SELECT l.lugar, l.producto, p.sku, p.descripcion, l.existencia, l.valor, 0::bigint AS otros, 0 AS saldo
                 FROM lugares l
                 JOIN productos p ON p.empresa = :empresa AND p.clave = l.producto
                 WHERE l.lugar <= :limite
                 UNION ALL
                 SELECT NULL, NULL, NULL, NULL, 0,
                        coalesce((SELECT sum(l.valor) FROM lugares l WHERE l.lugar > :limite), 0),
                        (SELECT count(*) FROM lugares l WHERE l.lugar > :limite),
                        coalesce((SELECT sum(r.cargo - r.abono)
                                  FROM polizas p
                                  JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                                  WHERE p.empresa = :empresa AND p.fecha <= :al
                                    AND r.codigo = :inventario), 0)
             ) t
             ORDER BY t.lugar NULLS LAST",
            empresa: self.empresa,
            al,
            limite,
            inventario: Account::Inventario,
        ))
        .await
    }
}
