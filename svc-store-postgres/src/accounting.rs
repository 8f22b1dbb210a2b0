//! Accounting entries and what they say of payments.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::accounting::{Account, Collected, Entry, EntryLine, Side};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::store::{AccountingTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl AccountingTx for PostgresTx {
    /// The only statement that writes entries. It adds the lines up beside them, where a constraint compares the sums: an entry
    /// that does not balance is not written.
    async fn insert_entry(&mut self, entry: &Entry, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("polizas", 1).await?;
        let on = |side: Side| -> Vec<Decimal> {
            let amounts = entry.lines().iter().map(|line| (line.lado, line.importe.get()));
            amounts.map(|(lado, importe)| if lado == side { importe } else { Decimal::ZERO }).collect()
        };
        let query = sqlx::query(
            "WITH renglones AS MATERIALIZED (
                 SELECT cuenta, cargo, abono, renglon
                 FROM unnest($9::text[], $10::numeric[], $11::numeric[]) WITH ORDINALITY AS r (cuenta, cargo, abono, renglon)
             ), poliza AS (
                 INSERT INTO polizas (empresa, clave, fecha, concepto, venta, factura, pago, creada, cargos, abonos, cxp_pago)
                 SELECT $1, $2, $3, $4, $5, $6, $7, $8, sum(cargo), sum(abono), $12 FROM renglones
             )
             INSERT INTO polizas_renglones (empresa, poliza, renglon, cuenta, cargo, abono)
             SELECT $1, $2, renglon, cuenta, cargo, abono FROM renglones",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(entry.fecha())
        .bind(entry.concepto())
        .bind(entry.venta())
        .bind(entry.factura())
        .bind(entry.pago())
        .bind(now.get())
        .bind(entry.lines().iter().map(|line| line.cuenta.word()).collect::<Vec<_>>())
        .bind(on(Side::Cargo))
        .bind(on(Side::Abono))
        .bind(entry.cxp_pago());
        self.run(query).await?;
        Ok(clave)
    }

    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<Entry>, StoreError> {
        let first = "SELECT p.concepto, p.fecha, p.venta, p.factura, p.pago, r.cuenta, r.cargo, r.abono
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = $1
               AND p.clave = (SELECT min(clave) FROM polizas WHERE empresa = $1 AND venta = $2 AND pago IS NULL)
             ORDER BY r.renglon";
        self.entry(first, venta).await
    }

    async fn entry_of_note(&mut self, venta: i64, factura: i64) -> Result<Option<Entry>, StoreError> {
        let clave: Option<i64> = sqlx::query_scalar(
            "SELECT min(clave) FROM polizas WHERE empresa = $1 AND venta = $2 AND factura = $3 AND pago IS NULL",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(factura)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let Some(clave) = clave else { return Ok(None) };
        let entry = "SELECT p.concepto, p.fecha, p.venta, p.factura, p.pago, r.cuenta, r.cargo, r.abono
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = $1 AND p.clave = $2 ORDER BY r.renglon";
        self.entry(entry, clave).await
    }

    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError> {
        // The entries of a cancelled payment cancel out.
        let row = sqlx::query(
            "SELECT coalesce(sum(x.importe) FILTER (WHERE NOT x.cancelado), 0), coalesce(sum(e.iva), 0), coalesce(sum(e.ieps), 0)
             FROM cxc_pagos x
             CROSS JOIN LATERAL (
                 SELECT sum(r.abono - r.cargo) FILTER (WHERE r.cuenta = $3) AS iva,
                        sum(r.abono - r.cargo) FILTER (WHERE r.cuenta = $4) AS ieps
                 FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                 WHERE p.empresa = $1 AND p.pago = x.clave HAVING count(*) > 0
             ) e
             WHERE x.empresa = $1 AND x.cxc = $2",
        )
        .bind(self.empresa)
        .bind(cxc)
        .bind(Account::IvaCobrado.word())
        .bind(Account::IepsCobrado.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let read = || Ok(Collected { importe: row.try_get(0)?, iva: row.try_get(1)?, ieps: row.try_get(2)? });
        read().map_err(store_error)
    }

    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<Entry>, StoreError> {
        let first = "SELECT p.concepto, p.fecha, p.venta, p.factura, p.pago, r.cuenta, r.cargo, r.abono
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = $1 AND p.clave = (SELECT min(clave) FROM polizas WHERE empresa = $1 AND pago = $2)
             ORDER BY r.renglon";
        self.entry(first, pago).await
    }
}

impl PostgresTx {
    /// The entry whose lines a statement about the company (`$1`) and one clave (`$2`) gives.
    async fn entry(&mut self, statement: &'static str, clave: i64) -> Result<Option<Entry>, StoreError> {
        let rows = sqlx::query(statement)
            .bind(self.empresa)
            .bind(clave)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?;
        let Some(first) = rows.first() else { return Ok(None) };
        let lines = rows.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        let about = |at| first.try_get::<Option<i64>, _>(at).map_err(store_error);
        let concepto: String = first.try_get(0).map_err(store_error)?;
        let entry = Entry::new(concepto, first.try_get(1).map_err(store_error)?, lines)
            .map_err(|error| StoreError::Other(error.into()))?;
        let (venta, factura, pago) = (about(2)?, about(3)?, about(4)?);
        Ok(entry.map(|entry| entry.of_sale(venta).of_invoice(factura).of_payment(pago)))
    }
}

fn line(row: &PgRow) -> Result<EntryLine, StoreError> {
    let amount = |at| row.try_get::<Decimal, _>(at).map(Money::new).map_err(store_error);
    let (cargo, abono) = (amount(6)?, amount(7)?);
    let cuenta: &str = row.try_get(5).map_err(store_error)?;
    let account = Account::of(cuenta).ok_or_else(|| StoreError::Other(format!("no account {cuenta}").into()))?;
    Ok(if cargo > abono { EntryLine::cargo(account, cargo) } else { EntryLine::abono(account, abono) })
}
