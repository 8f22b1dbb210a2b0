//! Goods that come back from a ticket or an invoice, and the money that goes back for them.

use std::collections::HashMap;

use rust_decimal::Decimal;

use super::credit_note::{self, NewNote};
use super::refund::give_back;
use crate::domain::accounting::{Account, EntryLine, credit_entry};
use crate::domain::cfdi::TipoRelacion;
use crate::domain::credit_note::{CreditFault, CreditLine, CreditReason, Credited, REMITTED, TakenBack, credit};
use crate::domain::invoice::LockedSale;
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::payment::{CASH, PAYING_OFF, TRANSFER};
use crate::domain::quantity::Quantity;
use crate::domain::sale::Amounts;
use crate::domain::sat;
use crate::domain::words::MovementKind;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::posting::lines::fault;
use crate::store::{NewCreditBalance, NewRefund, NewReturn};

/// Goods that came back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TakenIn {
    /// What they were sold for.
    pub(crate) total: Money,
    /// The credit note, where a document stands.
    pub(crate) factura: Option<i64>,
    /// The payment that lowers the receivable.
    pub(crate) pago: Option<i64>,
    /// What was paid back from the bank account.
    pub(crate) reembolsado: Money,
    /// What stays as a balance in the customer's favour.
    pub(crate) a_favor: Money,
}

/// The lines of what comes back: no more than was sold less what came back before.
pub(crate) async fn lines(
    cx: &mut Cx<'_>,
    venta: i64,
    asked: &[(i64, Quantity)],
) -> Result<(Vec<CreditLine>, Amounts), Error> {
    let sold: HashMap<i64, _> =
        cx.tx.lines_to_stamp(&[venta]).await?.into_iter().map(|(_, line)| (line.renglon, line)).collect();
    let before: HashMap<i64, Credited> = cx.tx.credited(venta).await?.into_iter().collect();
    let mut found = Vec::with_capacity(asked.len());
    for (at, (renglon, units)) in asked.iter().enumerate() {
        let refused = |field: &str, text: &str| fault(Code::DatoInvalido, at, field, text);
        let line = sold.get(renglon).ok_or_else(|| refused("renglon", "la venta no tiene ese renglón"))?;
        let before = before.get(renglon).copied().unwrap_or_default();
        let line = credit(line, &before, TakenBack::Units(*units), CreditReason::Return).map_err(|of| match of {
            CreditFault::Units | CreditFault::Amount => {
                refused("cantidad", "es más de lo que se vendió menos lo que ya se devolvió")
            }
            CreditFault::Nothing => refused("renglon", "no queda importe que devolver"),
            CreditFault::TooLarge => refused("cantidad", "el importe pasa de 18 dígitos"),
        })?;
        found.push(line);
    }
    found.sort_unstable_by_key(|line| line.renglon);
    let too_large = |_| Error::field(Code::DatoInvalido, "renglones", "el total pasa de 18 dígitos");
    let amounts = Amounts::of_document(found.iter().map(|line| &line.amounts)).map_err(too_large)?;
    Ok((found, amounts))
}

/// Takes goods back. `about` is the stamped invoice that a credit note (03) is about, own or
/// global; without one only the books change. What the sale still owes is lowered; the rest goes
/// back from `cuenta`, else it stays as a balance in the customer's favour.
pub(crate) async fn take_back(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    about: Option<i64>,
    (lines, amounts): (Vec<CreditLine>, Amounts),
    cuenta: Option<i64>,
) -> Result<TakenIn, Error> {
    let owed = cx.tx.owed_of_sale(sale.clave).await?.map_or(Money::default(), |(_, saldo)| saldo);
    let applied = amounts.total.min(owed);
    let rest = Money::new(amounts.total.get() - applied.get());
    let own = sat::known_payment_form(sale.forma_pago_sat.as_deref());
    let (factura, pago, pesos) = if let Some(factura) = about {
        let forma_pago_sat = match (rest == Money::default(), cuenta) {
            (true, _) => own.unwrap_or(REMITTED),
            (false, Some(_)) => own.unwrap_or(TRANSFER),
            (false, None) => PAYING_OFF,
        };
        let relacion = TipoRelacion::Devolucion;
        let note = NewNote { factura, sale, relacion, forma_pago_sat, anticipo: None, cuenta, lines, amounts };
        let pesos = note.pesos()?;
        let made = credit_note::make(cx, note, true).await?;
        (Some(made.factura), made.pago, pesos)
    } else {
        let note = NewNote {
            factura: 0,
            sale,
            relacion: TipoRelacion::Devolucion,
            forma_pago_sat: own.unwrap_or(CASH),
            anticipo: None,
            cuenta,
            lines,
            amounts,
        };
        (None, without_document(cx, &note).await?, note.pesos()?)
    };
    let reembolsado = match cuenta {
        Some(cuenta) if rest > Money::default() => {
            let left = pesos.get() - line::share(pesos, applied, amounts.total).get();
            pay_back(cx, sale, factura, cuenta, (rest, left)).await?;
            rest
        }
        _ => Money::default(),
    };
    let a_favor = Money::new(rest.get() - reembolsado.get());
    Ok(TakenIn { total: amounts.total, factura, pago, reembolsado, a_favor })
}

/// Books goods that came back of a ticket that is in no document.
async fn without_document(cx: &mut Cx<'_>, note: &NewNote<'_>) -> Result<Option<i64>, Error> {
    let (sale, amounts) = (note.sale, note.amounts);
    credit_note::lock_customer(cx, sale).await?;
    let devolucion = cx.tx.next_return().await?;
    let back = credit_note::lock_goods_coming_back(cx, note, MovementKind::Devolucion).await?;
    credit_note::lock_account(cx, note).await?;
    let folio = format!("devolución {devolucion}");
    let fecha = cx.day_at(sale.sucursal);
    if amounts.total > Money::default() {
        let unnamed =
            || Error::field(Code::EstadoInvalido, "venta", "no tiene cliente, a cuyo favor quedaría un saldo");
        let cliente = sale.cliente.ok_or_else(unnamed)?;
        let (moneda, importe, pesos) = (&sale.moneda, amounts.total, Some(note.pesos()?));
        let balance = NewCreditBalance { cliente, moneda, fecha, importe, pesos, factura: None, deposito: None };
        cx.tx.insert_credit_balance(balance, cx.now).await?;
    }
    let pago = credit_note::lower_debt(cx, note).await?;
    let costo = credit_note::goods_come_back(cx, note, &folio, back).await?;
    let concept = format!("Devolución {devolucion}");
    let poliza = match credit_entry(concept, fecha, &note.booked(costo))? {
        Some(entry) => Some(cx.tx.insert_entry(&entry.of_sale(Some(sale.clave)), cx.now).await?),
        None => None,
    };
    let (clave, venta, total) = (devolucion, sale.clave, amounts.total);
    let row = NewReturn { clave, venta, total, pago, poliza, lines: &note.lines };
    cx.tx.insert_return(&row, cx.now).await?;
    Ok(pago)
}

/// Pays a customer back from a bank account, which is locked, what they have in their favour. A
/// refund of the credit note `factura` is undone with it.
async fn pay_back(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    factura: Option<i64>,
    cuenta_bancaria: i64,
    (importe, pesos): (Money, Decimal),
) -> Result<(), Error> {
    let unnamed = || Error::internal(format!("sale {} has no customer to pay back", sale.clave));
    let refund = NewRefund {
        cliente: sale.cliente.ok_or_else(unnamed)?,
        anticipo: None,
        moneda: &sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        importe,
        cuenta_bancaria,
        fecha: cx.day_at(sale.sucursal),
        referencia: &format!("devolución de la venta {}", sale.clave),
        factura,
    };
    give_back(cx, &refund, Some(sale.clave), vec![EntryLine::of(Account::Anticipos, pesos)]).await?;
    Ok(())
}
