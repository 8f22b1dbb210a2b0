use std::collections::HashMap;

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::cxc::{Receivable, ReceivableFilter, Receivables};
use svc_core::api::cxc_pagos::{Payment, PaymentFilter, Payments};
use svc_core::backoffice::import::{PaymentRecord, ReceivableRecord};
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Complement, PaymentMethod, PaymentOrigin, ReceivableStatus};
use svc_core::operation::{Query, window};
use svc_core::store::{ListReader, NewReceivable, ReceivableTx, Standing, StoreError};

use crate::columns::{instant, instant_or_null, money, rate};
use crate::copy::Copy;
use crate::error::{store_error, value_error};
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn receivable(row: &PgRow) -> Result<Receivable, sqlx::Error> {
    Ok(Receivable {
        clave: row.try_get(0)?,
        folio: row.try_get(1)?,
        estatus: row.try_get(2)?,
        cliente: row.try_get(3)?,
        venta: row.try_get(4)?,
        tipo_venta: row.try_get(5)?,
        factura: row.try_get(6)?,
        uuid: row.try_get(7)?,
        metodo_pago_sat: row.try_get(8)?,
        fecha: row.try_get(9)?,
        vencimiento: row.try_get(10)?,
        moneda: row.try_get(11)?,
        tipo_cambio: rate(row, 12)?,
        total: money(row, 13)?,
        pagado: money(row, 14)?,
        saldo: money(row, 15)?,
        parcialidades: row.try_get(16)?,
        sucursal: row.try_get(17)?,
        modificado: instant_or_null(row, 18)?,
    })
}

fn payment(row: &PgRow) -> Result<Payment, sqlx::Error> {
    Ok(Payment {
        clave: row.try_get(0)?,
        cxc: row.try_get(1)?,
        venta: row.try_get(2)?,
        cliente: row.try_get(3)?,
        fecha: row.try_get(4)?,
        aplicado: instant(row, 5)?,
        origen: row.try_get(6)?,
        importe: money(row, 7)?,
        moneda: row.try_get(8)?,
        tipo_cambio: rate(row, 9)?,
        forma_pago_sat: row.try_get(10)?,
        cuenta_bancaria: row.try_get(11)?,
        deposito: row.try_get(12)?,
        referencia: row.try_get(13)?,
        parcialidad: row.try_get(14)?,
        saldo_anterior: money(row, 15)?,
        saldo_insoluto: money(row, 16)?,
        complemento: row.try_get(17)?,
        factura: row.try_get(18)?,
        uuid: row.try_get(19)?,
        cancelado: row.try_get(20)?,
    })
}

#[async_trait]
impl ListReader<Receivables> for PostgresReader<'_> {
    async fn page(&self, query: &Query<ReceivableFilter>) -> Result<Vec<Receivable>, StoreError> {
        use ReceivableFilter as F;
        const SELECT: &str = "SELECT x.clave, x.folio, x.estatus, x.cliente, x.venta, coalesce(v.tipo, x.tipo_venta), x.factura, \
                              x.uuid, x.metodo_pago_sat, x.fecha, x.vencimiento, x.moneda, x.tipo_cambio, x.total, x.pagado, \
                              x.saldo, x.parcialidades, x.sucursal, x.modificado \
                              FROM cxc x \
                              LEFT JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta";
        let mut page = Page::new(SELECT, "x.", self.empresa);
        let today = query.now.date_naive();
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("x.clave = ", clave),
                F::Estatus(estatus) => page.compare("x.estatus = ", estatus),
                F::Cliente(cliente) => page.compare("x.cliente = ", cliente),
                F::Venta(venta) => page.compare("x.venta = ", venta),
                F::Uuid(uuid) => page.compare("x.uuid = ", uuid),
                F::ConSaldo(true) => page.only("x.saldo > 0"),
                F::ConSaldo(false) => page.only("(x.saldo > 0) IS FALSE"),
                F::Vencido(true) => page.compare("x.saldo > 0 AND x.vencimiento < ", today),
                F::Vencido(false) => {
                    page.with("((x.saldo > 0) IS FALSE OR x.vencimiento IS NULL OR x.vencimiento >= ", today, ")");
                }
            }
        }
        page.fetch(self, query, receivable).await
    }
}

#[async_trait]
impl ListReader<Payments> for PostgresReader<'_> {
    async fn page(&self, query: &Query<PaymentFilter>) -> Result<Vec<Payment>, StoreError> {
        use PaymentFilter as F;
        const SELECT: &str = "SELECT clave, cxc, venta, cliente, fecha, aplicado, origen, importe, moneda, tipo_cambio, \
                              forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior, \
                              saldo_insoluto, complemento, factura, uuid, cancelado \
                              FROM cxc_pagos";
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("clave = ", clave),
                F::Cxc(cxc) => page.compare("cxc = ", cxc),
                F::Cliente(cliente) => page.compare("cliente = ", cliente),
                F::Venta(venta) => page.compare("venta = ", venta),
                F::FechaDesde(from) => page.compare("fecha >= ", from),
                F::FechaHasta(until) => page.compare("fecha <= ", until),
            }
        }
        if is_short(query) {
            page.range_leads();
        }
        page.fetch(self, query, payment).await
    }
}

/// Whether the days asked for are so few, as when sales are read, that collecting them is cheaper than walking the claves.
fn is_short(query: &Query<PaymentFilter>) -> bool {
    let (mut from, mut until) = (None, query.now.date_naive());
    for filter in &query.filters {
        match filter {
            PaymentFilter::FechaDesde(date) => from = Some(*date),
            PaymentFilter::FechaHasta(date) => until = *date,
            _ => {}
        }
    }
    from.is_some_and(|from| until - from <= window::LONGEST)
}

#[async_trait]
impl ReceivableTx for PostgresTx {
    async fn insert_receivable(&mut self, row: &NewReceivable<'_>) -> Result<i64, StoreError> {
        let clave = self.next("cxc", 1).await?;
        let query = sqlx::query(
            "INSERT INTO cxc (empresa, clave, folio, estatus, cliente, venta, tipo_venta, factura, metodo_pago_sat, fecha, vencimiento,
                              moneda, tipo_cambio, total, saldo, sucursal, modificado)
             VALUES ($1, $2, $3, CASE WHEN $13 = 0 THEN 'pagado' ELSE 'pendiente' END, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
                     $13, $14, $15)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.folio)
        .bind(row.cliente)
        .bind(row.venta)
        .bind(row.tipo_venta.word())
        .bind(row.factura)
        .bind(row.metodo_pago_sat.map(PaymentMethod::word))
        .bind(row.fecha)
        .bind(row.vencimiento)
        .bind(row.moneda)
        .bind(row.tipo_cambio.get())
        .bind(row.total.get())
        .bind(row.sucursal)
        .bind(row.modificado.get());
        self.run(query).await?;
        Ok(clave)
    }

    async fn lock_receivables(&mut self, venta: i64) -> Result<bool, StoreError> {
        let paid: Vec<bool> = sqlx::query_scalar(
            "SELECT pagado > 0 FROM cxc WHERE empresa = $1 AND venta = $2 AND estatus <> 'cancelado'
             ORDER BY clave FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(venta)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(paid.contains(&true))
    }

    async fn cancel_receivables(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE cxc SET estatus = 'cancelado', saldo = 0, modificado = $3
             WHERE empresa = $1 AND venta = $2 AND estatus <> 'cancelado'",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(now.get());
        self.run(query).await
    }

    async fn standing(&mut self, cliente: i64, today: NaiveDate) -> Result<Standing, StoreError> {
        let row = sqlx::query(
            // Imported receivables may come to more than our decimals hold; no credit reaches that far.
            "SELECT least(round(coalesce(sum(saldo * tipo_cambio), 0), 6), 1e20), coalesce(bool_or(saldo > 0 AND vencimiento < $3), false)
             FROM cxc WHERE empresa = $1 AND estatus = 'pendiente' AND cliente = $2",
        )
        .bind(self.empresa)
        .bind(cliente)
        .bind(today)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let read = || Ok(Standing { adeudo: row.try_get(0)?, vencido: row.try_get(1)? });
        read().map_err(store_error)
    }

    async fn import_receivables(&mut self, rows: &[ReceivableRecord], now: Timestamp) -> Result<(), StoreError> {
        let sales = sales(self, rows.iter().filter_map(|row| row.venta).collect()).await?;
        let claves = self.claves("cxc", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            let sale = row.venta.and_then(|venta| sales.get(&venta));
            let (paid, owed) = row.paid_and_owed().map_err(|fault| value_error(&fault))?;
            let by_balance =
                if owed.get() > Decimal::ZERO { ReceivableStatus::Pendiente } else { ReceivableStatus::Pagado };
            copy.value(self.empresa).value(clave).optional(row.folio.as_deref());
            copy.value(row.estatus.unwrap_or(by_balance).word());
            copy.optional(row.cliente.or_else(|| sale?.cliente)).optional(row.venta);
            let kind = row.tipo_venta.map(|kind| kind.settled().word());
            copy.optional(kind.or_else(|| Some(sale?.tipo.as_str())));
            copy.optional(row.factura).optional(row.uuid.as_deref().map(str::to_lowercase));
            copy.optional(row.metodo_pago_sat.as_deref());
            copy.value(row.fecha.map_or_else(|| now.get().date_naive(), |date| date.0));
            copy.optional(row.vencimiento.map(|date| date.0)).value(row.moneda.as_deref().unwrap_or("MXN"));
            copy.value(row.tipo_cambio.unwrap_or(Rate::ONE)).value(row.total).value(paid).value(owed);
            copy.value(row.parcialidades.unwrap_or(0)).value(row.sucursal.unwrap_or(0));
            copy.value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY cxc (empresa, clave, folio, estatus, cliente, venta, tipo_venta, factura, uuid, metodo_pago_sat, fecha, vencimiento, \
             moneda, tipo_cambio, total, pagado, saldo, parcialidades, sucursal, modificado) FROM STDIN",
        )
        .await
    }

    async fn import_payments(&mut self, rows: &[PaymentRecord], now: Timestamp) -> Result<(), StoreError> {
        let receivables = receivables(self, rows.iter().map(|row| row.cxc).collect()).await?;
        let claves = self.claves("cxc_pagos", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            let paid = receivables.get(&row.cxc);
            let (before, after) = row.owed_before_and_after().map_err(|fault| value_error(&fault))?;
            let currency = row.moneda.as_deref().or_else(|| Some(paid?.moneda.as_str())).unwrap_or("MXN");
            let rate =
                paid.filter(|paid| paid.moneda == currency).map_or(Rate::ONE, |paid| Rate::new(paid.tipo_cambio));
            copy.value(self.empresa).value(clave).value(row.cxc).optional(row.cliente.or_else(|| paid?.cliente));
            copy.optional(row.venta.or_else(|| paid?.venta));
            copy.value(row.fecha.map_or_else(|| now.get().date_naive(), |date| date.0));
            copy.value(row.aplicado.unwrap_or(now)).value(row.origen.unwrap_or(PaymentOrigin::Deposito).word());
            copy.value(row.importe).value(currency).value(row.tipo_cambio.unwrap_or(rate));
            copy.optional(row.forma_pago_sat.as_deref()).optional(row.cuenta_bancaria).optional(row.deposito);
            copy.optional(row.referencia.as_deref()).value(row.parcialidad.unwrap_or(1)).value(before).value(after);
            copy.value(row.complemento.unwrap_or(Complement::NoAplica).word()).optional(row.factura);
            copy.optional(row.uuid.as_deref().map(str::to_lowercase)).value(row.cancelado.unwrap_or(false)).end();
        }
        copy.send(
            self.connection(),
            "COPY cxc_pagos (empresa, clave, cxc, cliente, venta, fecha, aplicado, origen, importe, moneda, tipo_cambio, \
             forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior, saldo_insoluto, complemento, \
             factura, uuid, cancelado) FROM STDIN",
        )
        .await?;
        // Deposits of ours get other numbers; what no series reaches is a number of another kind.
        match rows.iter().filter_map(|row| row.deposito).filter(|number| *number < 1_000_000_000_000).max() {
            Some(last) => self.move_past("depositos", last).await,
            None => Ok(()),
        }
    }
}

/// What a receivable takes from its sale.
#[derive(sqlx::FromRow)]
struct OfSale {
    clave: i64,
    cliente: Option<i64>,
    tipo: String,
}

async fn sales(tx: &mut PostgresTx, claves: Vec<i64>) -> Result<HashMap<i64, OfSale>, StoreError> {
    let found: Vec<OfSale> =
        sqlx::query_as("SELECT clave, cliente, tipo FROM ventas WHERE empresa = $1 AND clave = ANY ($2)")
            .bind(tx.empresa)
            .bind(claves)
            .fetch_all(tx.connection())
            .await
            .map_err(store_error)?;
    Ok(found.into_iter().map(|sale| (sale.clave, sale)).collect())
}

/// What a payment takes from its receivable.
#[derive(sqlx::FromRow)]
struct OfReceivable {
    clave: i64,
    cliente: Option<i64>,
    venta: Option<i64>,
    moneda: String,
    tipo_cambio: Decimal,
}

async fn receivables(tx: &mut PostgresTx, claves: Vec<i64>) -> Result<HashMap<i64, OfReceivable>, StoreError> {
    let found: Vec<OfReceivable> = sqlx::query_as(
        "SELECT clave, cliente, venta, moneda, tipo_cambio FROM cxc WHERE empresa = $1 AND clave = ANY ($2)",
    )
    .bind(tx.empresa)
    .bind(claves)
    .fetch_all(tx.connection())
    .await
    .map_err(store_error)?;
    Ok(found.into_iter().map(|receivable| (receivable.clave, receivable)).collect())
}
