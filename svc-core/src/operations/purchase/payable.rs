//! Accounts payable: capturing and paying them.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::order::{branch, supplier};
use crate::domain::accounting::{About, Account, PayablePayment, payable_payment_entry};
use crate::domain::currency::{self, PESO};
use crate::domain::deposit::PaidAccount;
use crate::domain::line;
use crate::domain::money::{Money, SIGNED_CENTS};
use crate::domain::payable::{PayableTaxes, validate_cents};
use crate::domain::payment::{amount_schema, validate_amount, validate_document_day};
use crate::domain::quantity::{Balance, Rate};
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::text::UUID;
use crate::domain::time::Date;
use crate::domain::words::{PayableKind, PayableStatus, PurchaseStatus};
use crate::error::{Code, Error};
use crate::json::{Exact, Text, Within};
use crate::operation::{Cx, Operation, Spec};
use crate::operations::import::require_uuid;
use crate::posting::purchases;
use crate::store::{BookedDocument, NewPayablePayment, PurchaseOrder, StoredPayable};

/// Captures an account payable: an expense, or the bill of a purchase order, which has at most one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapturePayable {
    /// The folio; the clave if left out.
    pub folio: Option<Text<50>>,
    /// The kind; `compra` with a purchase order, otherwise `gasto`.
    pub tipo: Option<PayableKind>,
    /// The clave of the supplier; if left out, the purchase order's, or 0 for none.
    pub proveedor: Option<i64>,
    /// The clave of the purchase order that is billed.
    pub compra: Option<i64>,
    /// The supplier's document number.
    pub factura: Option<Text<255>>,
    /// The fiscal folio of the supplier's document.
    #[schemars(extend("pattern" = UUID))]
    pub uuid: Option<Exact<36>>,
    /// The document's day, not in the future and at most five years ago; if left out, today at its
    /// branch.
    pub fecha: Option<Date>,
    /// The due day, not before the document's.
    pub vencimiento: Option<Date>,
    /// The currency; if left out, the purchase order's, or MXN.
    pub moneda: Option<SatKey<Exact<3>, Currencies>>,
    /// Pesos per unit of the currency; required unless that is MXN or the purchase order's.
    pub tipo_cambio: Option<Rate>,
    /// The total; negative if the supplier owes it.
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub total: Balance,
    /// What has already been paid; zero if left out.
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub pagado: Option<Balance>,
    /// The branch; if left out, the purchase order's, or head office (0).
    pub sucursal: Option<i64>,
    /// The number of operations that it groups; 1 if left out.
    pub operaciones: Option<Within<1, 1_000_000>>,
    /// What it is for.
    pub concepto: Option<Text<500>>,
    /// The IVA within the total, which becomes creditable when it is paid; it has the total's sign
    /// and is no larger. If left out, the purchase order's in proportion, or none for an expense.
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub iva: Option<Balance>,
    /// The IEPS within the total, with its sign; it is part of the cost. If left out, the purchase
    /// order's in proportion, or none for an expense.
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub ieps: Option<Balance>,
    /// The ISR that the company withholds, with the total's sign; the total is what is left to pay.
    /// If left out, the purchase order's in proportion, or none for an expense.
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub retencion_isr: Option<Balance>,
    /// The IVA that the company withholds, with the total's sign; the total is what is left to pay.
    /// If left out, the purchase order's in proportion, or none for an expense.
    #[schemars(extend("pattern" = SIGNED_CENTS))]
    pub retencion_iva: Option<Balance>,
}

/// Pays an account payable in part or in full. If the supplier owes it, the supplier pays.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayPayable {
    /// The clave of the account payable.
    pub cxp: i64,
    /// The amount, in the payable's currency; at most its balance, without sign.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
    /// The clave of the bank account that pays, or receives what the supplier owes; cash if left
    /// out. One of another currency needs `tipo_cambio`.
    pub cuenta_bancaria: Option<i64>,
    /// The day of the payment, not in the future and at most five years ago.
    pub fecha: Date,
    /// The reference.
    pub referencia: Text<100>,
    /// Pesos per unit of the foreign currency on that day; the payable's own if left out. The
    /// difference is posted as an exchange gain or loss.
    pub tipo_cambio: Option<Rate>,
}

/// The answer of [`PayPayable`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PayablePaid {
    /// The clave of the account payable.
    pub cxp: i64,
    /// The payment's clave.
    pub pago: i64,
}

/// The account payable that was created.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PayableRef {
    /// The payable's clave.
    pub cxp: i64,
}

impl Operation for CapturePayable {
    const SPEC: Spec = Spec::new().named("payable.capture");
    type Output = PayableRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PayableRef, Error> {
        let tipo = self.kind()?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        let given = self.fecha.map(|date| validate_document_day(date.0, cx.latest_day())).transpose()?;
        let order = match self.compra {
            Some(compra) => Some(self.billable(cx, compra).await?),
            None => None,
        };
        let of_order = order.as_ref().map(|order| order.sucursal);
        let fecha = given.unwrap_or_else(|| cx.day_at(self.sucursal.or(of_order).unwrap_or_default()));
        let vencimiento = self.vencimiento.map(|date| date.0);
        validate_due_day(fecha, vencimiento)?;
        let (moneda, tipo_cambio) = self.currency(order.as_ref())?;
        let impuestos = self.taxes(order.as_ref())?;
        let pagado = self.pagado.unwrap_or_default();
        validate_cents(self.total, "total")?;
        validate_cents(pagado, "pagado")?;
        impuestos.validate(self.total)?;
        let text = |text: Option<&str>| text.map(str::to_owned);
        let payable = StoredPayable {
            folio: text(self.folio.as_deref()),
            tipo,
            estatus: PayableStatus::Pendiente,
            proveedor: self.supplier(cx, order.as_ref()).await?,
            compra: self.compra,
            factura: text(self.factura.as_deref()),
            uuid: self.uuid.as_deref().map(str::to_ascii_lowercase),
            fecha,
            vencimiento,
            moneda: moneda.to_owned(),
            tipo_cambio,
            total: self.total,
            pagado,
            saldo: Balance::default(),
            impuestos,
            sucursal: self.branch(cx, order.as_ref()).await?,
            operaciones: self.operaciones.map_or(1, Within::get),
            concepto: text(self.concepto.as_deref()),
            apertura: None,
        };
        let payable = payable.with_balance().ok_or_else(balance_too_large)?;
        let cxp = cx.tx.insert_payable(&payable, cx.now).await?;
        purchases::billed(cx, cxp, &payable, order.as_ref()).await?;
        if let (Some(compra), Some(order)) = (self.compra, &order) {
            cx.tx.update_purchase(compra, order.estatus, Some(cxp), cx.now).await?;
        }
        Ok(PayableRef { cxp })
    }
}

impl Operation for PayPayable {
    const SPEC: Spec = Spec::new().named("payable.pay");
    type Output = PayablePaid;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PayablePaid, Error> {
        let cxp = self.cxp;
        let fecha = validate_document_day(self.fecha.0, cx.latest_day())?;
        let importe = validate_amount(self.importe)?;
        let debt = cx.tx.lock_payable(cxp).await?.ok_or_else(|| no_payable("cxp", cxp))?;
        let account = match self.cuenta_bancaria {
            Some(cuenta) => cx.tx.lock_bank_account(cuenta).await?,
            None => None,
        };
        let (monto, tipo_cambio_pago) = self.exchanged(importe, &debt, account.as_ref())?;
        // What the supplier pays is stored as a negative payment.
        let signed = |amount: Money| {
            let paid = Balance::new(amount.get());
            if debt.saldo.get().is_sign_negative() { paid.negated() } else { paid }
        };
        let payment = NewPayablePayment {
            cxp,
            fecha,
            importe: signed(importe),
            cuenta_bancaria: self.cuenta_bancaria,
            referencia: &self.referencia,
            tipo_cambio: monto.map_or(self.tipo_cambio, |_| Some(tipo_cambio_pago)),
            monto: monto.map(signed),
        };
        if cx.tx.is_payable_paid(&payment).await? {
            return Err(Code::PagoRepetido.into());
        }
        let refused = |text| Err(Error::field(Code::EstadoInvalido, "cxp", text));
        match debt.estatus {
            PayableStatus::Cancelado => return refused("está cancelada"),
            _ if debt.saldo.get().is_zero() => return refused("no tiene saldo"),
            _ if importe.get() > debt.saldo.get().abs() => return Err(Code::ImporteExcedeSaldo.into()),
            _ => {}
        }
        let source = match self.cuenta_bancaria {
            Some(_) => {
                let account = PaidAccount::validate(account.as_ref())?;
                if account.moneda != debt.moneda && monto.is_none() {
                    let text = "su moneda no es la de la cuenta por pagar";
                    return Err(Error::field(Code::MonedaDistinta, "cuenta_bancaria", text));
                }
                account.validate_change(-payment.monto.unwrap_or(payment.importe).get())?;
                Account::Bancos
            }
            None => Account::Caja,
        };
        let opened = debt.apertura.unwrap_or_default();
        let booked = PayablePayment {
            apertura: debt.apertura,
            fuente: source,
            importe: payment.importe,
            saldo: debt.saldo,
            adeudo: opened.saldo - cx.tx.booked(BookedDocument::Payable(cxp), &[Account::Proveedores]).await?,
            iva: opened.iva + cx.tx.booked(BookedDocument::Payable(cxp), &[Account::IvaPorAcreditar]).await?,
            por_retener: opened.por_retener()
                - cx.tx.booked(BookedDocument::Payable(cxp), &[Account::PorRetener]).await?,
            isr_retenido: -cx.tx.booked(BookedDocument::Payable(cxp), &[Account::IsrRetenidoAProveedores]).await?,
            retencion_isr: debt.impuestos.retencion_isr,
            retencion_iva: debt.impuestos.retencion_iva,
            tipo_cambio: debt.tipo_cambio,
            tipo_cambio_pago,
        };
        let pago = cx.tx.pay_payable(&payment, cx.now).await?;
        let concept = format!("Pago {pago} de la cuenta por pagar {cxp}");
        if let Some(entry) = payable_payment_entry(concept, payment.fecha, &booked)? {
            let about = About { cxp: Some(cxp), cxp_pago: Some(pago), ..About::default() };
            let about = About { cuenta_bancaria: self.cuenta_bancaria, ..about };
            cx.tx.insert_entry(&entry.of(about), cx.now).await?;
        }
        Ok(PayablePaid { cxp, pago })
    }
}

impl PayPayable {
    /// What leaves an account of another currency, or comes to it, and the rate of the payable's
    /// currency on that day.
    fn exchanged(
        &self,
        importe: Money,
        debt: &StoredPayable,
        account: Option<&PaidAccount>,
    ) -> Result<(Option<Money>, Rate), Error> {
        let one_is_peso = |account: &PaidAccount| debt.moneda == PESO || account.moneda == PESO;
        let other = account.filter(|account| account.activa && account.moneda != debt.moneda && one_is_peso(account));
        let Some((account, rate)) = other.zip(self.tipo_cambio) else {
            return Ok((None, currency::rate_of_day(&debt.moneda, self.tipo_cambio, debt.tipo_cambio)?));
        };
        let monto = currency::exchange(importe, &debt.moneda, &account.moneda, rate);
        let monto = monto.ok_or_else(|| {
            Error::field(Code::DatoInvalido, "importe", "en la moneda de la cuenta no es nada, o pasa de 18 dígitos")
        })?;
        let rate = if debt.moneda == PESO { Rate::ONE } else { rate };
        Ok((Some(monto), rate))
    }
}

/// Refuses a due day before the document's.
pub(super) fn validate_due_day(fecha: NaiveDate, vencimiento: Option<NaiveDate>) -> Result<(), Error> {
    if vencimiento.is_some_and(|due| due < fecha) {
        return Err(Error::field(Code::DatoInvalido, "vencimiento", "es anterior a la fecha"));
    }
    Ok(())
}

pub(super) fn balance_too_large() -> Error {
    Error::field(Code::DatoInvalido, "total", "el saldo pasa de 18 dígitos")
}

/// The error of an account payable that the company does not have.
pub(super) fn no_payable(field: &str, cxp: i64) -> Error {
    Error::field(Code::NoEncontrado, field, format_args!("la cuenta por pagar {cxp} no existe en la empresa"))
}

impl CapturePayable {
    fn kind(&self) -> Result<PayableKind, Error> {
        match (self.tipo, self.compra) {
            (Some(PayableKind::Compra), None) => {
                Err(Error::field(Code::DatoRequerido, "compra", "hace falta si el tipo es compra"))
            }
            (Some(PayableKind::Gasto), Some(_)) => {
                Err(Error::field(Code::DatoInvalido, "compra", "no va con un gasto"))
            }
            (tipo, None) => Ok(tipo.unwrap_or(PayableKind::Gasto)),
            (_, Some(_)) => Ok(PayableKind::Compra),
        }
    }

    /// Finds a purchase order that is not cancelled and has no bill yet.
    async fn billable(&self, cx: &mut Cx<'_>, compra: i64) -> Result<PurchaseOrder, Error> {
        let missing = || Error::field(Code::ReferenciaInvalida, "compra", "no existe en la empresa");
        let order = cx.tx.purchase(compra).await?.ok_or_else(missing)?;
        let had = cx.tx.bill_of_purchase(compra, order.cxp).await?;
        let refused = |text| Err(Error::field(Code::EstadoInvalido, "compra", text));
        match order {
            PurchaseOrder { estatus: PurchaseStatus::Cancelada, .. } => refused("está cancelada"),
            _ if had.is_some() => refused("ya tiene cuenta por pagar"),
            PurchaseOrder { proveedor, .. } if self.proveedor.is_some_and(|named| named != proveedor) => {
                Err(Error::field(Code::EstadoInvalido, "proveedor", "no es el de la compra"))
            }
            order => Ok(order),
        }
    }

    /// The taxes within the total: those that are given, otherwise the order's in proportion to the
    /// totals, in whichever currency each is.
    fn taxes(&self, order: Option<&PurchaseOrder>) -> Result<PayableTaxes, Error> {
        let (total, size) = (self.total.get(), Money::new(self.total.get().abs()));
        let of_order = order.map(|order| (order.impuestos, order.total));
        let too_large = || Error::field(Code::DatoInvalido, "total", "en proporción, un impuesto pasa de 18 dígitos");
        let tax = |given: Option<Balance>, part: fn(&PayableTaxes) -> Balance| -> Result<Balance, Error> {
            match (given, &of_order) {
                (Some(given), _) => Ok(given),
                (None, None) => Ok(Balance::default()),
                (None, Some((taxes, whole))) => {
                    let tax = Money::new(part(taxes).get());
                    let share = line::proportion(tax, size, *whole).ok_or_else(too_large)?.get();
                    Ok(Balance::new(if total.is_sign_negative() { -share } else { share }))
                }
            }
        };
        Ok(PayableTaxes {
            iva: tax(self.iva, |taxes| taxes.iva)?,
            ieps: tax(self.ieps, |taxes| taxes.ieps)?,
            retencion_isr: tax(self.retencion_isr, |taxes| taxes.retencion_isr)?,
            retencion_iva: tax(self.retencion_iva, |taxes| taxes.retencion_iva)?,
        })
    }

    fn currency<'a>(&'a self, order: Option<&'a PurchaseOrder>) -> Result<(&'a str, Rate), Error> {
        let own = self.moneda.as_deref();
        let moneda = own.or(order.map(|order| order.moneda.as_str())).unwrap_or(PESO);
        let of_order = order.filter(|order| order.moneda == moneda).map(|order| order.tipo_cambio);
        let tipo_cambio = currency::exchange_rate(moneda, self.tipo_cambio.or(of_order))?;
        currency::validate(moneda)?;
        Ok((moneda, tipo_cambio))
    }

    async fn supplier(&self, cx: &mut Cx<'_>, order: Option<&PurchaseOrder>) -> Result<i64, Error> {
        match order {
            Some(order) => Ok(order.proveedor),
            None => match self.proveedor.unwrap_or(0) {
                0 => Ok(0),
                proveedor => supplier(cx, proveedor).await,
            },
        }
    }

    async fn branch(&self, cx: &mut Cx<'_>, order: Option<&PurchaseOrder>) -> Result<i64, Error> {
        match (self.sucursal, order) {
            (None, Some(order)) => Ok(order.sucursal),
            (sucursal, _) => branch(cx, sucursal).await,
        }
    }
}
