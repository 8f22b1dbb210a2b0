//! Accounting entries and the numbers of accounts.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;
use svc_core::domain::accounting::{
    About, Account, Collected, EntryLine, EntryOrigin, LedgerEntry, Side, bank_subaccount,
};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::store::{AccountBalance, AccountingTx, BookedDocument, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(Collected { adeudo, importe, iva, ieps });
from_row!(AccountBalance { cuenta, codigos, saldo_inicial, cargos, abonos });

from_row!(About {
    venta,
    factura,
    pago,
    cxp_pago,
    compra,
    cxp,
    deposito,
    reembolso,
    movimiento,
    revierte: (None),
    cuenta_bancaria: (None),
});

from_row! {
    /// A line of an entry, joined with the entry.
    struct PostedLine {
        poliza: i64,
        concepto: String,
        fecha: NaiveDate,
        codigo: Account,
        cargo: Money,
        abono: Money,
        about: About = ..,
    }
}

from_row! {
    /// An entry that was written: its clave and day, and the last closed day.
    struct WrittenEntry { valor: i64, fecha: NaiveDate, cerrado: Option<NaiveDate> }
}

/// An entry to be written.
pub(crate) struct NewEntry<'a> {
    pub(crate) fecha: NaiveDate,
    pub(crate) concepto: &'a str,
    pub(crate) origen: EntryOrigin,
    /// The currency of a revaluation; no other entry has one.
    pub(crate) moneda: Option<&'a str>,
    pub(crate) about: About,
    pub(crate) lines: Vec<NewLine<'a>>,
}

/// A line of it: the account by its code, and one amount that is not zero. The line is written on
/// `numero`, else on the company's number for the account, followed by `subcuenta`.
pub(crate) struct NewLine<'a> {
    codigo: &'a str,
    numero: Option<&'a str>,
    subcuenta: Option<String>,
    cargo: Decimal,
    abono: Decimal,
}

impl<'a> NewLine<'a> {
    pub(crate) fn new(codigo: &'a str, lado: Side, importe: Money) -> Self {
        let on = |side| if lado == side { importe.get() } else { Decimal::ZERO };
        Self { codigo, numero: None, subcuenta: None, cargo: on(Side::Cargo), abono: on(Side::Abono) }
    }

    /// The line on this number of its account.
    pub(crate) fn numbered(self, numero: Option<&'a str>) -> Self {
        Self { numero, ..self }
    }

    /// The line on the subaccount of a bank account, if it is on the account of banks.
    fn of_bank(self, cuenta_bancaria: Option<i64>) -> Self {
        let bank = cuenta_bancaria.filter(|_| self.codigo == Account::Bancos.word());
        Self { subcuenta: bank.map(bank_subaccount), ..self }
    }
}

/// The document whose entries are read.
#[derive(Debug, Clone, Copy, Default)]
struct Posted {
    /// A sale, without its payments.
    venta: Option<i64>,
    /// A payment of a receivable.
    pago: Option<i64>,
    /// An account payable: without its payments, or only the payment `cxp_pago`.
    cxp: Option<i64>,
    cxp_pago: Option<i64>,
    /// Whether only entries about stock movements count, or only others.
    entregas: Option<bool>,
}

impl Posted {
    fn sale(venta: i64, entregas: bool) -> Self {
        Self { venta: Some(venta), entregas: Some(entregas), ..Self::default() }
    }
}

#[async_trait]
impl AccountingTx for PostgresTx {
    async fn insert_entry(&mut self, entry: &LedgerEntry, now: Timestamp) -> Result<i64, StoreError> {
        let bank = entry.about().cuenta_bancaria;
        let line = |line: &EntryLine| NewLine::new(line.cuenta.word(), line.lado, line.importe).of_bank(bank);
        let new = NewEntry {
            fecha: entry.fecha(),
            concepto: entry.concepto(),
            origen: EntryOrigin::Documento,
            moneda: None,
            about: entry.about(),
            lines: entry.lines().iter().map(line).collect(),
        };
        self.write_entry(&new, now).await
    }

    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<LedgerEntry>, StoreError> {
        Ok(self.standing(Posted::sale(venta, false)).await?.into_iter().next())
    }

    async fn entries_of_handovers(&mut self, venta: i64) -> Result<Vec<LedgerEntry>, StoreError> {
        self.standing(Posted::sale(venta, true)).await
    }

    async fn entries_of_note(&mut self, venta: i64, factura: i64) -> Result<Vec<LedgerEntry>, StoreError> {
        let mut standing = self.standing(Posted::sale(venta, false)).await?;
        standing.retain(|entry| entry.about().factura == Some(factura));
        Ok(standing)
    }

    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError> {
        // The entries of a cancelled payment add up to zero, but for taxes that moved since.
        self.one(sql!(
            "WITH cuenta AS (
                 SELECT venta, apertura
                 FROM cxc
                 WHERE empresa = :empresa AND clave = :cxc
             ), cobrado AS (
                 SELECT coalesce(sum(x.importe) FILTER (WHERE NOT x.cancelado), 0) AS importe,
                        coalesce(sum(e.iva), 0) AS iva,
                        coalesce(sum(e.ieps), 0) AS ieps,
                        coalesce(sum(e.clientes), 0) AS clientes
                 FROM cxc_pagos x
                 CROSS JOIN LATERAL (
                     SELECT sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :iva) AS iva,
                            sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :ieps) AS ieps,
                            sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :clientes) AS clientes
                     FROM polizas p
                     JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                     WHERE p.empresa = :empresa AND p.pago = x.clave
                     HAVING count(*) > 0
                 ) e
                 WHERE x.empresa = :empresa AND x.cxc = :cxc
             )
             SELECT CASE
                        -- What an import opened is in an entry that names no document.
                        WHEN c.apertura <> 0 THEN c.apertura + p.clientes
                        ELSE coalesce((SELECT sum(r.cargo - r.abono)
                                       FROM polizas p
                                       JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
                                       WHERE p.empresa = :empresa AND p.venta = c.venta
                                         AND r.codigo = :clientes), 0)
                    END AS adeudo,
                    p.importe, p.iva, p.ieps
             FROM cuenta c
             CROSS JOIN cobrado p",
            empresa: self.empresa,
            cxc,
            iva: Account::IvaNoCobrado,
            ieps: Account::IepsNoCobrado,
            clientes: Account::Clientes,
        ))
        .await
    }

    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<LedgerEntry>, StoreError> {
        let posted = Posted { pago: Some(pago), entregas: Some(false), ..Posted::default() };
        Ok(self.standing(posted).await?.into_iter().next())
    }

    async fn entries_of_payable(&mut self, cxp: i64, pago: Option<i64>) -> Result<Vec<LedgerEntry>, StoreError> {
        self.standing(Posted { cxp: Some(cxp), cxp_pago: pago, ..Posted::default() }).await
    }

    async fn first_entry_of_payable(&mut self, cxp: i64) -> Result<Option<NaiveDate>, StoreError> {
        self.value(sql!(
            "SELECT min(fecha)
             FROM polizas
             WHERE empresa = :empresa AND cxp = :cxp",
            empresa: self.empresa,
            cxp,
        ))
        .await
    }

    async fn booked(&mut self, document: BookedDocument, accounts: &[Account]) -> Result<Decimal, StoreError> {
        let (mut venta, mut compra, mut cxp, mut deposito) = (None, None, None, None);
        match document {
            BookedDocument::Sale(clave) => venta = Some(clave),
            BookedDocument::Purchase(clave) => compra = Some(clave),
            BookedDocument::Payable(clave) => cxp = Some(clave),
            BookedDocument::Deposit(clave) => deposito = Some(clave),
        }
        self.value(sql!(
            "SELECT coalesce(sum(r.cargo - r.abono), 0)
             FROM polizas p
             JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = :empresa
               AND (p.venta = :venta OR p.compra = :compra OR p.cxp = :cxp OR p.deposito = :deposito)
               AND r.codigo = ANY (:cuentas)",
            empresa: self.empresa,
            venta,
            compra,
            cxp,
            deposito,
            cuentas: accounts,
        ))
        .await
    }

    async fn trial_balance(
        &mut self,
        desde: Option<NaiveDate>,
        hasta: Option<NaiveDate>,
    ) -> Result<Vec<AccountBalance>, StoreError> {
        self.many(sql!(
            "SELECT cuenta, array_agg(codigo ORDER BY codigo) AS codigos, sum(inicial) AS saldo_inicial,
                    sum(cargos) AS cargos, sum(abonos) AS abonos
             FROM (
                 SELECT r.cuenta, r.codigo,
                        coalesce(sum(r.cargo - r.abono) FILTER (WHERE r.fecha < :desde), 0) AS inicial,
                        coalesce(sum(r.cargo) FILTER (WHERE :desde::date IS NULL OR r.fecha >= :desde), 0) AS cargos,
                        coalesce(sum(r.abono) FILTER (WHERE :desde::date IS NULL OR r.fecha >= :desde), 0) AS abonos
                 FROM polizas_renglones r
                 WHERE r.empresa = :empresa AND (:hasta::date IS NULL OR r.fecha <= :hasta)
                 GROUP BY r.cuenta, r.codigo
             ) l
             GROUP BY cuenta
             ORDER BY cuenta",
            empresa: self.empresa,
            desde,
            hasta,
        ))
        .await
    }
}

impl PostgresTx {
    /// The only statement that writes entries, and the only one that replaces accounts by the
    /// company's numbers. It stores the sums of the lines, which a constraint compares: an entry
    /// that does not balance is not written. It locks the row of the counter, which has the last
    /// closed day, so that nobody closes the entry's month before its transaction ends.
    pub(crate) async fn write_entry(&mut self, entry: &NewEntry<'_>, now: Timestamp) -> Result<i64, StoreError> {
        let about = entry.about;
        let written: WrittenEntry = self
            .one(sql!(
                "WITH numero AS (
                     INSERT INTO contadores AS c (empresa, serie, valor)
                     VALUES (:empresa, 'polizas', 1)
                     ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                     RETURNING valor, cerrado
                 ), dia AS MATERIALIZED (
                     SELECT valor, cerrado,
                            CASE WHEN :aplaza AND cerrado >= :fecha THEN cerrado + 1 ELSE :fecha::date END AS fecha
                     FROM numero
                 ), renglones AS MATERIALIZED (
                     SELECT r.renglon,
                            coalesce(r.numero,
                                     (SELECT min(o.cuenta)
                                      FROM polizas_renglones o
                                      WHERE o.empresa = :empresa AND o.poliza = :revierte
                                        AND o.codigo = r.codigo),
                                     coalesce((SELECT c.numero
                                               FROM cuentas_contables c
                                               WHERE c.empresa = :empresa AND c.codigo = r.codigo),
                                              r.codigo)
                                     || coalesce(r.subcuenta, '')) AS cuenta,
                            r.cargo, r.abono, r.codigo
                     FROM unnest(:codigo::text[], :numero::text[], :subcuenta::text[], :cargo::numeric[],
                                 :abono::numeric[])
                          WITH ORDINALITY AS r (codigo, numero, subcuenta, cargo, abono, renglon)
                 ), poliza AS (
                     INSERT INTO polizas (
                         empresa, clave, fecha, concepto, origen, venta, factura, pago, creada, cargos, abonos,
                         cxp_pago, compra, cxp, deposito, reembolso, movimiento, revierte, moneda, sustituta
                     )
                     SELECT :empresa, d.valor, d.fecha, :concepto, :origen, :venta, :factura, :pago, :ahora, s.cargos,
                            s.abonos, :cxp_pago, :compra, :cxp, :deposito, :reembolso, :movimiento, :revierte, :moneda,
                            (SELECT o.sustituta FROM polizas o WHERE o.empresa = :empresa AND o.clave = :revierte)
                     FROM dia d, (SELECT sum(cargo) AS cargos, sum(abono) AS abonos FROM renglones) s
                     WHERE d.cerrado IS NULL OR d.fecha > d.cerrado
                 ), escritos AS (
                     INSERT INTO polizas_renglones (empresa, poliza, renglon, fecha, cuenta, cargo, abono, codigo)
                     SELECT :empresa, d.valor, r.renglon, d.fecha, r.cuenta, r.cargo, r.abono, r.codigo
                     FROM dia d, renglones r
                     WHERE d.cerrado IS NULL OR d.fecha > d.cerrado
                 )
                 SELECT valor, fecha, cerrado FROM dia",
                empresa: self.empresa,
                aplaza: self.postpones_entries,
                fecha: entry.fecha,
                concepto: entry.concepto,
                origen: entry.origen,
                venta: about.venta,
                factura: about.factura,
                pago: about.pago,
                ahora: now,
                cxp_pago: about.cxp_pago,
                compra: about.compra,
                cxp: about.cxp,
                deposito: about.deposito,
                reembolso: about.reembolso,
                movimiento: about.movimiento,
                revierte: about.revierte,
                moneda: entry.moneda;
                for line in (entry.lines) {
                    codigo: line.codigo,
                    numero: line.numero,
                    subcuenta: line.subcuenta.as_deref(),
                    cargo: line.cargo,
                    abono: line.abono,
                }
            ))
            .await?;
        if let Some(day) = written.cerrado.filter(|day| written.fecha <= *day) {
            return Err(StoreError::PeriodClosed(day));
        }
        if written.fecha != entry.fecha {
            self.postpone_movements(entry.fecha, written.fecha).await?;
        }
        Ok(written.valor)
    }

    /// Gives the goods that this transaction moved the day of their postponed entry. It holds the
    /// counter of movements, so later ones are its own; what moves value is refused on a closed day
    /// unless its entry is postponed.
    async fn postpone_movements(&mut self, from: NaiveDate, to: NaiveDate) -> Result<(), StoreError> {
        let Some(first) = self.first_movement else { return Ok(()) };
        self.run(sql!(
            "UPDATE movimientos_inventario
             SET dia = :hasta
             WHERE empresa = :empresa AND clave >= :primero AND dia = :desde",
            empresa: self.empresa,
            primero: first,
            desde: from,
            hasta: to,
        ))
        .await
    }

    /// The entries of a document that were not reversed, the oldest first.
    async fn standing(&mut self, posted: Posted) -> Result<Vec<LedgerEntry>, StoreError> {
        let lines: Vec<PostedLine> = self
            .many(sql!(
                "SELECT p.clave AS poliza, p.concepto, p.fecha, p.venta, p.factura, p.pago, p.cxp_pago, p.compra, p.cxp,
                        p.deposito, p.reembolso, p.movimiento, r.codigo AS codigo, r.cargo, r.abono
                 FROM polizas p
                 JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                 WHERE p.empresa = :empresa
                   AND (p.venta = :venta AND p.pago IS NULL OR p.pago = :pago
                        OR p.cxp = :cxp AND p.cxp_pago IS NOT DISTINCT FROM :cxp_pago)
                   AND (:entregas::boolean IS NULL OR (p.movimiento IS NOT NULL) = :entregas) AND p.revierte IS NULL
                   AND NOT EXISTS (SELECT FROM polizas o WHERE o.empresa = :empresa AND o.revierte = p.clave)
                 ORDER BY p.clave, r.renglon",
                empresa: self.empresa;
                from posted { venta, pago, cxp, cxp_pago, entregas }
            ))
            .await?;
        lines.chunk_by(|a, b| a.poliza == b.poliza).filter_map(|lines| entry(lines).transpose()).collect()
    }
}

fn entry(lines: &[PostedLine]) -> Result<Option<LedgerEntry>, StoreError> {
    let Some(PostedLine { poliza, concepto, fecha, about, .. }) = lines.first() else { return Ok(None) };
    let lines = lines.iter().map(|line| {
        if line.cargo > line.abono {
            EntryLine::cargo(line.codigo, line.cargo)
        } else {
            EntryLine::abono(line.codigo, line.abono)
        }
    });
    let entry = LedgerEntry::new(concepto.clone(), *fecha, lines).map_err(|error| StoreError::Other(error.into()))?;
    Ok(entry.map(|entry| entry.of(*about).stored(*poliza)))
}
