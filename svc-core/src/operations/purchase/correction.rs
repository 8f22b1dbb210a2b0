//! Corrections of accounts payable: edits, and cancelling them and their payments.

use schemars::JsonSchema;
use serde::Deserialize;

use super::order::{branch, supplier};
use super::payable::{PayablePaid, PayableRef, balance_too_large, no_payable, validate_due_day};
use crate::domain::currency;
use crate::domain::money::SIGNED_CENTS;
use crate::domain::payable::validate_cents;
use crate::domain::payment::validate_document_day;
use crate::domain::quantity::{Balance, Rate};
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::text::UUID;
use crate::domain::time::Date;
use crate::domain::words::PayableStatus;
use crate::error::{Code, Error};
use crate::json::{Exact, Patch, Sent, Text, Within};
use crate::operation::{Cx, Operation, Spec};
use crate::operations::import::require_uuid;
use crate::posting::purchases;
use crate::store::{PurchaseOrder, StoredPayable, period_closed};

/// How many payments an error names.
const NAMED_PAYMENTS: usize = 10;

/// Edits an account payable that is not cancelled. Its day, currency, amount and taxes stay while
/// payments are applied to it; a change of them is posted anew.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditPayable {
    /// The clave of the account payable.
    pub clave: i64,
    /// The folio; the clave if cleared.
    #[serde(default)]
    pub folio: Patch<Text<50>>,
    /// The clave of the supplier, or 0 for none; of a purchase order's payable it stays.
    #[serde(default)]
    pub proveedor: Sent<i64>,
    /// The supplier's document number.
    #[serde(default)]
    pub factura: Patch<Text<255>>,
    /// The fiscal folio of the supplier's document.
    #[serde(default)]
    #[schemars(extend("pattern" = UUID))]
    pub uuid: Patch<Exact<36>>,
    /// The document's day, not in the future and at most five years ago.
    #[serde(default)]
    pub fecha: Sent<Date>,
    /// The due day, not before the document's.
    #[serde(default)]
    pub vencimiento: Patch<Date>,
    /// The currency.
    #[serde(default)]
    pub moneda: Sent<SatKey<Exact<3>, Currencies>>,
    /// Pesos per unit of the currency; required with another currency than before, unless that is
    /// MXN.
    #[serde(default)]
    pub tipo_cambio: Sent<Rate>,
    /// The total; negative if the supplier owes it.
    #[serde(default)]
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub total: Sent<Balance>,
    /// The IVA within the total; none if cleared.
    #[serde(default)]
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub iva: Patch<Balance>,
    /// The IEPS within the total; none if cleared.
    #[serde(default)]
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub ieps: Patch<Balance>,
    /// The ISR that the company withholds; none if cleared.
    #[serde(default)]
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub retencion_isr: Patch<Balance>,
    /// The IVA that the company withholds; none if cleared.
    #[serde(default)]
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub retencion_iva: Patch<Balance>,
    /// The branch.
    #[serde(default)]
    pub sucursal: Sent<i64>,
    /// The number of operations that it groups; 1 if cleared.
    #[serde(default)]
    pub operaciones: Patch<Within<1, 1_000_000>>,
    /// What it is for.
    #[serde(default)]
    pub concepto: Patch<Text<500>>,
}

/// Cancels an account payable without payments: it owes nothing, its entries are undone and its
/// fiscal folio is free again. The purchase order that it billed can be billed again.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelPayable {
    /// The clave of the account payable.
    pub cxp: i64,
}

/// Cancels a payment of an account payable: the amount is owed again, is back in the bank account
/// or the till, and the entry is reversed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelPayablePayment {
    /// The payment's clave, which `payable.pay` answered.
    pub pago: i64,
}

impl Operation for EditPayable {
    const SPEC: Spec = Spec::new().named("payable.edit").each_time();
    type Output = PayableRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PayableRef, Error> {
        let cxp = self.clave;
        let before = locked(cx, "clave", cxp).await?;
        let after = self.applied(cx, &before).await?.with_balance().ok_or_else(balance_too_large)?;
        let posted = |payable: &StoredPayable| {
            let StoredPayable { fecha, moneda, tipo_cambio, total, impuestos, .. } = payable;
            (*fecha, moneda.clone(), *tipo_cambio, *total, *impuestos)
        };
        if posted(&before) != posted(&after) {
            refuse_paid(cx, "clave", cxp).await?;
            let order = ordered(cx, &before).await?;
            purchases::reposted(cx, cxp, &before, &after, order.as_ref()).await?;
        }
        cx.tx.update_payable(cxp, &after, cx.now).await?;
        Ok(PayableRef { cxp })
    }
}

impl Operation for CancelPayable {
    const SPEC: Spec = Spec::new().named("payable.cancel");
    type Output = PayableRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PayableRef, Error> {
        let cxp = self.cxp;
        let payable = locked(cx, "cxp", cxp).await?;
        refuse_paid(cx, "cxp", cxp).await?;
        let order = ordered(cx, &payable).await?;
        let today = cx.day_at(payable.sucursal);
        purchases::unbilled(cx, cxp, &payable, today).await?;
        cx.tx.cancel_payable(cxp, cx.now).await?;
        if let Some((compra, order)) = payable.compra.zip(order) {
            let other = order.cxp.filter(|named| *named != cxp);
            if other != order.cxp {
                cx.tx.update_purchase(compra, order.estatus, None, cx.now).await?;
            }
            if payable.apertura.is_some() && cx.tx.bill_of_purchase(compra, other).await?.is_none() {
                purchases::unopened(cx, compra, cxp, today).await?;
            }
        }
        Ok(PayableRef { cxp })
    }
}

impl Operation for CancelPayablePayment {
    const SPEC: Spec = Spec::new().named("payable.payment-cancel");
    type Output = PayablePaid;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PayablePaid, Error> {
        let pago = self.pago;
        let missing =
            || Error::field(Code::NoEncontrado, "pago", format_args!("el pago {pago} no existe en la empresa"));
        let cxp = cx.tx.payable_payment(pago).await?.ok_or_else(missing)?.cxp;
        // Payments are made and cancelled under the lock of their payable.
        cx.tx.lock_payable(cxp).await?;
        let payment = cx.tx.payable_payment(pago).await?.ok_or_else(missing)?;
        if payment.cancelado {
            return Err(Error::field(Code::EstadoInvalido, "pago", "ya está cancelado"));
        }
        if let Some(cuenta) = payment.cuenta_bancaria {
            cx.tx.lock_bank_account(cuenta).await?;
        }
        cx.tx.cancel_payable_payment(pago, cx.now).await?;
        for entry in cx.tx.entries_of_payable(cxp, Some(pago)).await? {
            cx.tx.insert_entry(&entry.reversed(cx.today()), cx.now).await?;
        }
        Ok(PayablePaid { cxp, pago })
    }
}

/// Locks an account payable that is not cancelled.
async fn locked(cx: &mut Cx<'_>, field: &str, cxp: i64) -> Result<StoredPayable, Error> {
    let payable = cx.tx.lock_payable(cxp).await?.ok_or_else(|| no_payable(field, cxp))?;
    if payable.estatus == PayableStatus::Cancelado {
        return Err(Error::field(Code::EstadoInvalido, field, "está cancelada"));
    }
    Ok(payable)
}

/// Locks the purchase order of an account payable, so that no goods of it come meanwhile.
async fn ordered(cx: &mut Cx<'_>, payable: &StoredPayable) -> Result<Option<PurchaseOrder>, Error> {
    match payable.compra {
        Some(compra) => Ok(cx.tx.purchase(compra).await?),
        None => Ok(None),
    }
}

/// Refuses an account payable with payments, which it names.
async fn refuse_paid(cx: &mut Cx<'_>, field: &str, cxp: i64) -> Result<(), Error> {
    let payments = cx.tx.payments_of_payable(cxp).await?;
    if payments.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = payments.iter().take(NAMED_PAYMENTS).map(i64::to_string).collect();
    let more = if payments.len() > NAMED_PAYMENTS { " y otros" } else { "" };
    let text =
        format_args!("tiene pagos ({}{more}), que se cancelan antes con payable.payment-cancel", named.join(", "));
    Err(Error::field(Code::EstadoInvalido, field, text))
}

impl EditPayable {
    /// The payable with the changes, validated.
    async fn applied(&self, cx: &mut Cx<'_>, before: &StoredPayable) -> Result<StoredPayable, Error> {
        let mut after = before.clone();
        if let Patch::Set(uuid) = &self.uuid {
            require_uuid(Some(&**uuid), "uuid")?;
        }
        self.uuid.clone().map(|uuid| uuid.to_ascii_lowercase()).apply(&mut after.uuid);
        self.folio.clone().map(Text::into_string).apply(&mut after.folio);
        self.factura.clone().map(Text::into_string).apply(&mut after.factura);
        self.concepto.clone().map(Text::into_string).apply(&mut after.concepto);
        self.vencimiento.clone().map(|date| date.0).apply(&mut after.vencimiento);
        if let Some(fecha) = self.fecha.get() {
            after.fecha = validate_document_day(fecha.0, cx.latest_day())?;
        }
        validate_due_day(after.fecha, after.vencimiento)?;
        let mut operaciones = Some(before.operaciones);
        self.operaciones.clone().map(Within::get).apply(&mut operaciones);
        after.operaciones = operaciones.unwrap_or(1);
        self.apply_amounts(&mut after)?;
        self.apply_references(cx, &mut after).await?;
        Ok(after)
    }

    fn apply_amounts(&self, after: &mut StoredPayable) -> Result<(), Error> {
        let moneda = self.moneda.get().map_or(&*after.moneda, |moneda| &**moneda).to_owned();
        let kept = (moneda == after.moneda).then_some(after.tipo_cambio);
        after.tipo_cambio = currency::exchange_rate(&moneda, self.tipo_cambio.get().copied().or(kept))?;
        if moneda != after.moneda {
            currency::validate(&moneda)?;
        }
        after.moneda = moneda;
        after.total = self.total.get().copied().unwrap_or(after.total);
        for (change, tax) in [
            (&self.iva, &mut after.impuestos.iva),
            (&self.ieps, &mut after.impuestos.ieps),
            (&self.retencion_isr, &mut after.impuestos.retencion_isr),
            (&self.retencion_iva, &mut after.impuestos.retencion_iva),
        ] {
            let mut changed = Some(*tax);
            change.clone().apply(&mut changed);
            *tax = changed.unwrap_or_default();
        }
        if let Some(total) = self.total.get() {
            validate_cents(*total, "total")?;
        }
        Ok(after.impuestos.validate(after.total)?)
    }

    async fn apply_references(&self, cx: &mut Cx<'_>, after: &mut StoredPayable) -> Result<(), Error> {
        if let Some(proveedor) = self.proveedor.get().copied().filter(|named| *named != after.proveedor) {
            if after.compra.is_some() {
                return Err(Error::field(Code::EstadoInvalido, "proveedor", "no es el de la compra"));
            }
            after.proveedor = if proveedor == 0 { 0 } else { supplier(cx, proveedor).await? };
            // What was declared of each supplier in a closed month stays.
            let closed = cx.tx.lock_books().await?;
            if let Some(day) = closed
                && cx.tx.first_entry_of_payable(self.clave).await?.is_some_and(|first| first <= day)
            {
                return Err(period_closed(day));
            }
        }
        if let Some(sucursal) = self.sucursal.get().copied().filter(|named| *named != after.sucursal) {
            after.sucursal = branch(cx, Some(sucursal)).await?;
        }
        Ok(())
    }
}
