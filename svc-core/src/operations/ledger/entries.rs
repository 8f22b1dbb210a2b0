//! Entries with their lines, documents and balances, in pages.

use chrono::{NaiveTime, TimeZone as _, Utc};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chart::Chart;
use crate::domain::accounting::EntryOrigin;
use crate::domain::money::Money;
use crate::domain::quantity::Balance;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::json::{Text, Within};
use crate::operation::page::{Cursors, Position};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{EntryFilter, StoredEntry, StoredLine};

/// How many entries a page has if the request does not say.
const PAGE: i64 = 100;

/// Reads the entries of a span, in order of day and clave. With an account, only entries that move
/// it, each with the account's balance after it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEntries {
    /// The first day.
    pub desde: Date,
    /// The last day.
    pub hasta: Date,
    /// The account, by its code or its number.
    pub cuenta: Option<Text<100>>,
    /// How many entries the page has at most; 100 if left out.
    pub limite: Option<Within<1, 500>>,
    /// Where the page begins: `siguiente` of the page before.
    pub cursor: Option<Text<200>>,
}

/// A page of entries.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Entries {
    /// The entries.
    pub datos: Vec<EntryItem>,
    /// The cursor of the next page.
    pub siguiente: Option<String>,
    /// Whether there is a next page.
    pub hay_mas: bool,
    /// The account's balance before the first entry of the page, debits less credits.
    pub saldo_inicial: Option<Balance>,
}

/// An accounting entry. The documents that it is about are their claves.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EntryItem {
    /// Its clave.
    pub clave: i64,
    /// Its day.
    pub fecha: Date,
    /// Its description.
    pub concepto: String,
    /// Where it comes from.
    pub origen: EntryOrigin,
    /// The entry that it reverses.
    pub revierte: Option<i64>,
    /// The entry that reverses it.
    pub revertida: Option<i64>,
    /// The sales document.
    pub venta: Option<i64>,
    /// The record in the registry of invoices.
    pub factura: Option<i64>,
    /// The payment of a receivable.
    pub pago: Option<i64>,
    /// The purchase order.
    pub compra: Option<i64>,
    /// The account payable.
    pub cxp: Option<i64>,
    /// The payment of an account payable.
    pub pago_cxp: Option<i64>,
    /// The deposit.
    pub deposito: Option<i64>,
    /// The refund to a customer.
    pub reembolso: Option<i64>,
    /// The first stock movement.
    pub movimiento: Option<i64>,
    /// Series and number of the tax document; else the supplier's number, or the sale's.
    pub folio: Option<String>,
    /// The fiscal folio.
    pub uuid: Option<String>,
    /// The customer.
    pub cliente: Option<i64>,
    /// The supplier.
    pub proveedor: Option<i64>,
    /// The name of the customer or supplier.
    pub contraparte: Option<String>,
    /// The tax id of the customer or supplier.
    pub rfc: Option<String>,
    /// The lines.
    pub movimientos: Vec<EntryMovement>,
    /// The account's balance after the entry, debits less credits; null without `cuenta`.
    pub saldo: Option<Balance>,
}

/// A line of an entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EntryMovement {
    /// The account's number at the time.
    pub cuenta: String,
    /// The account's code.
    pub codigo: String,
    /// The account's name.
    pub nombre: String,
    /// The debit.
    pub debe: Money,
    /// The credit.
    pub haber: Money,
}

impl Operation for ListEntries {
    const SPEC: Spec = Spec::new().named("ledger.entries").errors(&[Code::CursorInvalido]).reads();
    type Output = Entries;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Entries, Error> {
        let (desde, hasta) = (self.desde.0, self.hasta.0);
        if desde > hasta {
            return Err(Error::field(Code::DatoInvalido, "hasta", "es anterior a desde"));
        }
        let named = format!("{desde}/{hasta}/{}", self.cuenta.as_deref().unwrap_or_default());
        let cursors = Cursors::new(cx.company, "ledger.entries");
        let despues = match self.cursor.as_deref() {
            Some(cursor) => {
                let Position { after, until } = cursors.open(cursor, &named)?;
                Some((until.ok_or(Code::CursorInvalido)?.date_naive(), after))
            }
            None => None,
        };
        let chart = Chart::read(cx).await?;
        let (codigos, numero) = self.accounts(cx, &chart).await?;
        let limite = self.limite.map_or(PAGE, Within::get);
        let filter = EntryFilter { desde, hasta, codigos, numero, despues, limite: limite + 1 };
        let mut stored = cx.tx.entries(&filter).await?;
        let hay_mas = stored.len() as i64 > limite;
        stored.truncate(limite as usize);
        let siguiente = stored.last().filter(|_| hay_mas).map(|last| {
            let until = Some(Utc.from_utc_datetime(&last.fecha.and_time(NaiveTime::MIN)));
            cursors.seal(Position { after: last.clave, until }, &named)
        });
        let before = match filter.codigos {
            Some(_) => Some(cx.tx.balance_before(&filter).await?),
            None => None,
        };
        let mut balance = before;
        let datos = stored.into_iter().map(|entry| {
            if let Some(balance) = &mut balance {
                *balance += filter.moved(&entry);
            }
            EntryItem::of(entry, &chart, balance)
        });
        Ok(Entries { datos: datos.collect(), siguiente, hay_mas, saldo_inicial: before.map(Balance::new) })
    }
}

impl ListEntries {
    /// The codes of the named account, and its number if it was named by that.
    async fn accounts(&self, cx: &mut Cx<'_>, chart: &Chart) -> Result<(Option<Vec<String>>, Option<String>), Error> {
        let Some(cuenta) = self.cuenta.as_deref() else { return Ok((None, None)) };
        if let Some(account) = chart.account(cuenta) {
            return Ok((Some(vec![account.codigo]), None));
        }
        let codes = cx.tx.accounts_under(cuenta).await?;
        if codes.is_empty() && chart.numbered(cuenta).is_empty() {
            return Err(Error::field(Code::ReferenciaInvalida, "cuenta", "no es una cuenta de la empresa"));
        }
        Ok((Some(codes), Some(cuenta.to_owned())))
    }
}

impl EntryFilter {
    /// What an entry moves the filter's accounts by.
    fn moved(&self, entry: &StoredEntry) -> Decimal {
        let counts = |line: &&StoredLine| {
            self.codigos.as_ref().is_none_or(|codes| codes.contains(&line.codigo))
                && self.numero.as_ref().is_none_or(|numero| *numero == line.cuenta)
        };
        entry.lines.iter().filter(counts).map(|line| line.cargo.get() - line.abono.get()).sum()
    }
}

impl EntryItem {
    fn of(entry: StoredEntry, chart: &Chart, saldo: Option<Decimal>) -> Self {
        let StoredEntry { clave, fecha, concepto, origen, revierte, revertida, documentos: about, .. } = entry;
        let movement = |line: StoredLine| EntryMovement {
            nombre: chart.name(&line.codigo).to_owned(),
            cuenta: line.cuenta,
            codigo: line.codigo,
            debe: line.cargo,
            haber: line.abono,
        };
        Self {
            clave,
            fecha: Date(fecha),
            concepto,
            origen,
            revierte,
            revertida,
            venta: about.venta,
            factura: about.factura,
            pago: about.pago,
            compra: about.compra,
            cxp: about.cxp,
            pago_cxp: about.cxp_pago,
            deposito: about.deposito,
            reembolso: about.reembolso,
            movimiento: about.movimiento,
            folio: about.folio,
            uuid: about.uuid,
            cliente: entry.contraparte.cliente,
            proveedor: entry.contraparte.proveedor,
            contraparte: entry.contraparte.nombre,
            rfc: entry.contraparte.rfc,
            movimientos: entry.lines.into_iter().map(movement).collect(),
            saldo: saldo.map(Balance::new),
        }
    }
}
