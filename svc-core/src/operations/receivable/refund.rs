//! Money given back to customers: of their advances, and of what they have in their favour.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::accounting::{Account, EntryLine};
use crate::domain::cfdi::TipoRelacion;
use crate::domain::currency;
use crate::domain::deposit::PaidAccount;
use crate::domain::money::Money;
use crate::domain::payment::{TRANSFER, amount_schema, validate_amount, validate_document_day, validate_form};
use crate::domain::quantity::Rate;
use crate::domain::sat::{Currencies, PaidForms, SatKey};
use crate::domain::time::Date;
use crate::domain::words::PaymentOrigin;
use crate::error::{Code, Error};
use crate::json::{Digits, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::advance::{note_line, refuse_in_error};
use crate::posting::credit_note::{self, NewNote};
use crate::posting::favour;
use crate::posting::issuer::validate_issuer;
use crate::posting::payment_data::AdvancePart;
use crate::posting::refund::give_back;
use crate::store::{Advance, NewRefund};

/// Gives money of an advance back from a bank account. A credit note of the advance's invoice,
/// queued for stamping, says so; cancelling it undoes the refund.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefundAdvance {
    /// The clave of the advance's sales document.
    pub anticipo: i64,
    /// The amount, IVA included, in the advance's currency.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
    /// The clave of the bank account that it leaves, in the same currency.
    pub cuenta_bancaria: i64,
    /// The day on which it leaves, not in the future and at most five years ago.
    pub fecha: Date,
    /// The bank's reference.
    pub referencia: Text<100>,
    /// The SAT's payment form of the refund, except 99; 03 if left out.
    pub forma_pago_sat: Option<SatKey<Digits<2>, PaidForms>>,
    /// Pesos per unit of the currency on that day; the advance's own if left out. The difference is
    /// posted as an exchange gain or loss.
    pub tipo_cambio: Option<Rate>,
}

/// The refund of an advance.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AdvanceRefunded {
    /// The refund's clave.
    pub reembolso: i64,
    /// The clave of the credit note in the registry; null if the advance has no invoice.
    pub factura: Option<i64>,
    /// What is left of the advance.
    pub restante: Money,
}

/// Gives money that a customer has in their favour back from a bank account, in its currency.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefundFavour {
    /// The clave of the customer.
    pub cliente: i64,
    /// The amount.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
    /// The clave of the bank account that it leaves, in the currency of the balance.
    pub cuenta_bancaria: i64,
    /// The day on which it leaves, not in the future and at most five years ago.
    pub fecha: Date,
    /// The bank's reference.
    pub referencia: Text<100>,
    /// The currency of the balance; the account's, which it must be, if left out.
    pub moneda: Option<SatKey<Text<3>, Currencies>>,
    /// Pesos per unit of the currency on that day; required unless that is MXN.
    pub tipo_cambio: Option<Rate>,
}

/// The refund of a balance in the customer's favour.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FavourRefunded {
    /// The refund's clave.
    pub reembolso: i64,
    /// What is left in the customer's favour, in that currency.
    pub saldo: Money,
}

/// Locks an account that can pay in this currency.
async fn account(cx: &mut Cx<'_>, cuenta: i64, moneda: Option<&str>) -> Result<PaidAccount, Error> {
    let found = cx.tx.lock_bank_account(cuenta).await?;
    let found = PaidAccount::validate(found.as_ref())?;
    if let Some(moneda) = moneda {
        found.validate_currency(moneda)?;
    }
    Ok(found.clone())
}

impl RefundAdvance {
    fn form(&self) -> Result<&str, Error> {
        let form = self.forma_pago_sat.as_deref().unwrap_or(TRANSFER);
        validate_form(form)?;
        Ok(form)
    }

    /// The credit note of the refund, if the advance has an invoice.
    async fn note(&self, cx: &mut Cx<'_>, found: &Advance, importe: Money) -> Result<Option<i64>, Error> {
        let Some(factura) = found.factura else { return Ok(None) };
        validate_issuer(cx).await?;
        let anticipo = found.venta;
        let sale = cx.tx.lock_sale(anticipo).await?.ok_or(Code::NoEncontrado)?;
        let line = note_line(cx, found, importe).await?;
        let note = NewNote {
            factura,
            sale: &sale,
            relacion: TipoRelacion::NotaDeCredito,
            forma_pago_sat: self.form()?,
            anticipo: Some(anticipo),
            cuenta: None,
            amounts: line.amounts,
            lines: vec![line],
        };
        Ok(Some(credit_note::of_refund(cx, note).await?))
    }
}

impl Operation for RefundAdvance {
    const SPEC: Spec = Spec::new().named("advance.refund");
    type Output = AdvanceRefunded;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<AdvanceRefunded, Error> {
        let importe = validate_amount(self.importe)?;
        let fecha = validate_document_day(self.fecha.0, cx.latest_day())?;
        self.form()?;
        let anticipo = self.anticipo;
        let missing = || {
            let text = format_args!("el anticipo {anticipo} no existe en la empresa, o está cancelado");
            Error::field(Code::NoEncontrado, "anticipo", text)
        };
        let found = cx.tx.lock_advance(anticipo).await?.ok_or_else(missing)?;
        refuse_in_error(&found)?;
        let tipo_cambio = currency::rate_of_day(&found.moneda, self.tipo_cambio, found.tipo_cambio)?;
        let account = account(cx, self.cuenta_bancaria, Some(&found.moneda)).await?;
        let cliente = found.cliente.ok_or(Code::SaldoInsuficiente)?;
        let refund = NewRefund {
            cliente,
            anticipo: Some(anticipo),
            moneda: &account.moneda,
            tipo_cambio,
            importe,
            cuenta_bancaria: account.clave,
            fecha,
            referencia: &self.referencia,
            factura: None,
        };
        if cx.tx.is_refunded(&refund).await? {
            return Err(Code::PagoRepetido.into());
        }
        cx.tx.lock_buyer(cliente).await?;
        let funds = cx.tx.funds(cliente, &found.moneda, PaymentOrigin::Anticipo).await?;
        if importe > found.restante || importe.get() > funds {
            return Err(Code::SaldoInsuficiente.into());
        }
        let factura = self.note(cx, &found, importe).await?;
        let refund = NewRefund { factura, ..refund };
        let part = AdvancePart::of(&found, importe)?;
        let reembolso = give_back(cx, &refund, Some(anticipo), part.lines).await?;
        let restante = Money::new(found.restante.get() - importe.get());
        Ok(AdvanceRefunded { reembolso, factura, restante })
    }
}

impl Operation for RefundFavour {
    const SPEC: Spec = Spec::new().named("favour.refund");
    type Output = FavourRefunded;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<FavourRefunded, Error> {
        let importe = validate_amount(self.importe)?;
        let fecha = validate_document_day(self.fecha.0, cx.latest_day())?;
        let cliente = self.cliente;
        let missing = || {
            let text = format_args!("el cliente {cliente} no existe en la empresa");
            Error::field(Code::NoEncontrado, "cliente", text)
        };
        cx.tx.lock_buyer(cliente).await?.ok_or_else(missing)?;
        let account = account(cx, self.cuenta_bancaria, self.moneda.as_deref()).await?;
        let refund = NewRefund {
            cliente,
            anticipo: None,
            moneda: &account.moneda,
            tipo_cambio: currency::exchange_rate(&account.moneda, self.tipo_cambio)?,
            importe,
            cuenta_bancaria: account.clave,
            fecha,
            referencia: &self.referencia,
            factura: None,
        };
        if cx.tx.is_refunded(&refund).await? {
            return Err(Code::PagoRepetido.into());
        }
        let funds = cx.tx.funds(cliente, &account.moneda, PaymentOrigin::SaldoAFavor).await?;
        if importe.get() > funds {
            return Err(Code::SaldoInsuficiente.into());
        }
        let pesos = favour::used(cx, cliente, &account.moneda, importe, refund.tipo_cambio).await?;
        let reembolso = give_back(cx, &refund, None, vec![EntryLine::cargo(Account::Anticipos, pesos)]).await?;
        Ok(FavourRefunded { reembolso, saldo: Money::new(funds - importe.get()) })
    }
}
