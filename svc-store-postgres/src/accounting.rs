//! Accounting entries, what they say of documents, and the accounts that they are written on.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::accounting::{About, Account, Collected, Entry, EntryLine, Side};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::store::{AccountBalance, AccountingTx, Booked, StoreError};

use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

#[async_trait]
impl AccountingTx for PostgresTx {
    /// The only statement that writes entries, and that puts the company's numbers in the place of accounts. It adds the lines up beside
    /// them, where a constraint compares the sums: an entry that does not balance is not written.
    async fn insert_entry(&mut self, entry: &Entry, now: Timestamp) -> Result<i64, StoreError> {
        let on = |side: Side| -> Vec<Decimal> {
            let amounts = entry.lines().iter().map(|line| (line.lado, line.importe.get()));
            amounts.map(|(lado, importe)| if lado == side { importe } else { Decimal::ZERO }).collect()
        };
        let about = entry.about();
        sqlx::query_scalar(numbered!(
            "VALUES ($1, 'polizas', 1)",
            ", renglones AS MATERIALIZED (
                 SELECT r.codigo, r.cargo, r.abono, r.renglon,
                        coalesce((SELECT min(o.cuenta) FROM polizas_renglones o
                                  WHERE o.empresa = $1 AND o.poliza = $16 AND coalesce(o.codigo, o.cuenta) = r.codigo),
                                 (SELECT c.numero FROM cuentas_contables c WHERE c.empresa = $1 AND c.codigo = r.codigo),
                                 r.codigo) AS cuenta
                 FROM unnest($8::text[], $9::numeric[], $10::numeric[]) WITH ORDINALITY AS r (codigo, cargo, abono, renglon)
             ), poliza AS (
                 INSERT INTO polizas (empresa, clave, fecha, concepto, venta, factura, pago, creada, cargos, abonos, cxp_pago,
                     compra, cxp, deposito, movimiento, revierte)
                 SELECT $1, n.valor, $2, $3, $4, $5, $6, $7, s.cargos, s.abonos, $11, $12, $13, $14, $15, $16
                 FROM numero n, (SELECT sum(cargo) AS cargos, sum(abono) AS abonos FROM renglones) s
             ), escritos AS (
                 INSERT INTO polizas_renglones (empresa, poliza, renglon, cuenta, cargo, abono, codigo)
                 SELECT $1, n.valor, r.renglon, r.cuenta, r.cargo, r.abono, r.codigo FROM numero n, renglones r
             )
             SELECT valor FROM numero"
        ))
        .bind(self.empresa)
        .bind(entry.fecha())
        .bind(entry.concepto())
        .bind(about.venta)
        .bind(about.factura)
        .bind(about.pago)
        .bind(now.get())
        .bind(entry.lines().iter().map(|line| line.cuenta.word()).collect::<Vec<_>>())
        .bind(on(Side::Cargo))
        .bind(on(Side::Abono))
        .bind(about.cxp_pago)
        .bind(about.compra)
        .bind(about.cxp)
        .bind(about.deposito)
        .bind(about.movimiento)
        .bind(about.revierte)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }

    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<Entry>, StoreError> {
        Ok(self.standing(Some(venta), None, false).await?.into_iter().next())
    }

    async fn entries_of_handovers(&mut self, venta: i64) -> Result<Vec<Entry>, StoreError> {
        self.standing(Some(venta), None, true).await
    }

    async fn entry_of_note(&mut self, venta: i64, factura: i64) -> Result<Option<Entry>, StoreError> {
        let standing = self.standing(Some(venta), None, false).await?;
        Ok(standing.into_iter().find(|entry| entry.about().factura == Some(factura)))
    }

    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError> {
        // The entries of a cancelled payment cancel out.
        let row = sqlx::query(
            "SELECT coalesce(sum(x.importe) FILTER (WHERE NOT x.cancelado), 0), coalesce(sum(e.iva), 0), coalesce(sum(e.ieps), 0),
                    coalesce((SELECT sum(r.cargo - r.abono)
                              FROM cxc c JOIN polizas p ON p.empresa = $1 AND p.venta = c.venta
                              JOIN polizas_renglones r ON r.empresa = $1 AND r.poliza = p.clave
                              WHERE c.empresa = $1 AND c.clave = $2 AND coalesce(r.codigo, r.cuenta) = $5), 0)
             FROM cxc_pagos x
             CROSS JOIN LATERAL (
                 SELECT sum(r.cargo - r.abono) FILTER (WHERE coalesce(r.codigo, r.cuenta) = $3) AS iva,
                        sum(r.cargo - r.abono) FILTER (WHERE coalesce(r.codigo, r.cuenta) = $4) AS ieps
                 FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                 WHERE p.empresa = $1 AND p.pago = x.clave HAVING count(*) > 0
             ) e
             WHERE x.empresa = $1 AND x.cxc = $2",
        )
        .bind(self.empresa)
        .bind(cxc)
        .bind(Account::IvaNoCobrado.word())
        .bind(Account::IepsNoCobrado.word())
        .bind(Account::Clientes.word())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let read = || {
            let (iva, ieps) = (row.try_get(1)?, row.try_get(2)?);
            Ok(Collected { adeudo: row.try_get(3)?, importe: row.try_get(0)?, iva, ieps })
        };
        read().map_err(store_error)
    }

    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<Entry>, StoreError> {
        Ok(self.standing(None, Some(pago), false).await?.into_iter().next())
    }

    async fn booked(&mut self, document: Booked, accounts: &[Account]) -> Result<Decimal, StoreError> {
        let of = |clave: fn(Booked) -> Option<i64>| clave(document);
        sqlx::query_scalar(
            "SELECT coalesce(sum(r.cargo - r.abono), 0)
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = $1 AND (p.venta = $2 OR p.compra = $3 OR p.cxp = $4 OR p.deposito = $5)
               AND coalesce(r.codigo, r.cuenta) = ANY($6)",
        )
        .bind(self.empresa)
        .bind(of(|one| if let Booked::Sale(clave) = one { Some(clave) } else { None }))
        .bind(of(|one| if let Booked::Purchase(clave) = one { Some(clave) } else { None }))
        .bind(of(|one| if let Booked::Payable(clave) = one { Some(clave) } else { None }))
        .bind(of(|one| if let Booked::Deposit(clave) = one { Some(clave) } else { None }))
        .bind(accounts.iter().map(|account| account.word()).collect::<Vec<_>>())
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }

    async fn account_numbers(&mut self) -> Result<Vec<(Account, String)>, StoreError> {
        let rows = sqlx::query("SELECT codigo, numero FROM cuentas_contables WHERE empresa = $1 ORDER BY codigo")
            .bind(self.empresa)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?;
        let read =
            |row: &PgRow| Ok((account(row.try_get(0).map_err(store_error)?)?, row.try_get(1).map_err(store_error)?));
        rows.iter().map(read).collect()
    }

    async fn number_account(
        &mut self,
        account: Account,
        numero: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let query = match numero {
            Some(numero) => sqlx::query(
                "INSERT INTO cuentas_contables (empresa, codigo, numero, modificado) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (empresa, codigo) DO UPDATE SET numero = excluded.numero, modificado = excluded.modificado",
            )
            .bind(self.empresa)
            .bind(account.word())
            .bind(numero.to_owned())
            .bind(now.get()),
            None => sqlx::query("DELETE FROM cuentas_contables WHERE empresa = $1 AND codigo = $2")
                .bind(self.empresa)
                .bind(account.word()),
        };
        self.run(query).await
    }

    async fn trial_balance(
        &mut self,
        desde: Option<NaiveDate>,
        hasta: Option<NaiveDate>,
    ) -> Result<Vec<AccountBalance>, StoreError> {
        let rows = sqlx::query(
            "SELECT cuenta, array_agg(codigo ORDER BY codigo), sum(inicial), sum(cargos), sum(abonos)
             FROM (
                 SELECT r.cuenta, coalesce(r.codigo, r.cuenta) AS codigo,
                        coalesce(sum(r.cargo - r.abono) FILTER (WHERE p.fecha < $2), 0) AS inicial,
                        coalesce(sum(r.cargo) FILTER (WHERE $2::date IS NULL OR p.fecha >= $2), 0) AS cargos,
                        coalesce(sum(r.abono) FILTER (WHERE $2::date IS NULL OR p.fecha >= $2), 0) AS abonos
                 FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                 WHERE p.empresa = $1 AND ($3::date IS NULL OR p.fecha <= $3)
                 GROUP BY r.cuenta, coalesce(r.codigo, r.cuenta)
             ) l
             GROUP BY cuenta ORDER BY cuenta",
        )
        .bind(self.empresa)
        .bind(desde)
        .bind(hasta)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(balance).collect()
    }
}

impl PostgresTx {
    /// The entries of a sale that are no payments, or those of a payment, that were not undone: of handovers, or others. The first is
    /// the oldest.
    async fn standing(
        &mut self,
        venta: Option<i64>,
        pago: Option<i64>,
        handovers: bool,
    ) -> Result<Vec<Entry>, StoreError> {
        let rows = sqlx::query(
            "SELECT coalesce(r.codigo, r.cuenta), r.cargo, r.abono, p.clave, p.concepto, p.fecha, p.venta, p.factura, p.pago,
                    p.cxp_pago, p.compra, p.cxp, p.deposito, p.movimiento
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = $1 AND (p.venta = $2 AND p.pago IS NULL OR p.pago = $3) AND (p.movimiento IS NOT NULL) = $4
               AND p.revierte IS NULL AND NOT EXISTS (SELECT FROM polizas x WHERE x.empresa = $1 AND x.revierte = p.clave)
             ORDER BY p.clave, r.renglon",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(pago)
        .bind(handovers)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let clave = |row: &PgRow| row.try_get::<i64, _>(3).ok();
        rows.chunk_by(|a, b| clave(a) == clave(b)).filter_map(|rows| entry(rows).transpose()).collect()
    }
}

/// The entry of these lines.
fn entry(rows: &[PgRow]) -> Result<Option<Entry>, StoreError> {
    let Some(first) = rows.first() else { return Ok(None) };
    let lines = rows.iter().map(line).collect::<Result<Vec<_>, _>>()?;
    let about = || {
        Ok(About {
            venta: first.try_get(6)?,
            factura: first.try_get(7)?,
            pago: first.try_get(8)?,
            cxp_pago: first.try_get(9)?,
            compra: first.try_get(10)?,
            cxp: first.try_get(11)?,
            deposito: first.try_get(12)?,
            movimiento: first.try_get(13)?,
            revierte: None,
        })
    };
    let concepto: String = first.try_get(4).map_err(store_error)?;
    let entry = Entry::new(concepto, first.try_get(5).map_err(store_error)?, lines)
        .map_err(|error| StoreError::Other(error.into()))?;
    let (clave, about) = (first.try_get(3).map_err(store_error)?, about().map_err(store_error)?);
    Ok(entry.map(|entry| entry.of(about).stored(clave)))
}

fn line(row: &PgRow) -> Result<EntryLine, StoreError> {
    let amount = |at| row.try_get::<Decimal, _>(at).map(Money::new).map_err(store_error);
    let (cargo, abono) = (amount(1)?, amount(2)?);
    let account = account(row.try_get(0).map_err(store_error)?)?;
    Ok(if cargo > abono { EntryLine::cargo(account, cargo) } else { EntryLine::abono(account, abono) })
}

fn account(codigo: &str) -> Result<Account, StoreError> {
    Account::of(codigo).ok_or_else(|| StoreError::Other(format!("no account {codigo}").into()))
}

fn balance(row: &PgRow) -> Result<AccountBalance, StoreError> {
    let codes: Vec<String> = row.try_get(1).map_err(store_error)?;
    let amount = |at| row.try_get::<Decimal, _>(at).map_err(store_error);
    Ok(AccountBalance {
        cuenta: row.try_get(0).map_err(store_error)?,
        codigos: codes.iter().map(|code| account(code)).collect::<Result<_, _>>()?,
        saldo_inicial: amount(2)?,
        cargos: amount(3)?,
        abonos: amount(4)?,
    })
}
