//! `POST /cxc/{clave}/pagos`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::event::EventKind;
use crate::domain::money::Money;
use crate::domain::payment::{BankForm, amount_schema, validate_amount, validate_day};
use crate::domain::scope::Scope;
use crate::domain::time::Date;
use crate::domain::words::{Complement, PaymentOrigin};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Http, Operation, Spec};
use crate::posting::payment::apply;
use crate::posting::payment_data::PaymentData;

/// Applies a payment to one receivable and emits `cxc.pago_aplicado`. The bank deposit, the
/// balances of receivable and sale, the accounting entry and the complement of a PPD invoice are
/// written in one transaction (spec, "POST /cxc/{clave}/pagos").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayReceivable {
    /// The clave of the receivable.
    pub clave: i64,
    /// The amount, in the receivable's currency, with at most two decimals.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
    /// The clave of the bank account that received it.
    pub cuenta_bancaria: i64,
    /// The SAT's payment form, except cash.
    pub forma_pago_sat: BankForm,
    /// The day of the payment, not in the future; the complement states it.
    pub fecha: Date,
    /// The bank's reference.
    pub referencia: Text<100>,
}

/// The answer of [`PayReceivable`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct PaymentApplied {
    /// The payment's clave.
    pub pago: i64,
    /// The receivable's clave.
    pub cxc: i64,
    /// The amount.
    pub importe: Money,
    /// What is still owed.
    pub saldo: Money,
    /// Whether a payment complement was queued: `encolado` or `no_aplica`.
    pub complemento: Complement,
    /// The complement's fiscal folio; always null in this answer.
    pub uuid: Option<String>,
}

impl Operation for PayReceivable {
    const SPEC: Spec = Spec::new()
        .http(Http::post("/cxc/{clave}/pagos", Scope::CxcWrite).sends())
        .emits(&[EventKind::PagoAplicado])
        .errors(&[
            Code::PagoRepetido,
            Code::DepositoSinAplicar,
            Code::CxcCancelada,
            Code::CancelacionEnCurso,
            Code::VentaSinDesglose,
            Code::MetodoPagoFaltante,
            Code::CuentaBancariaInvalida,
            Code::MonedaDistinta,
            Code::FechaAnteriorFactura,
            Code::CxcSinSaldo,
            Code::ImporteExcedeSaldo,
            Code::PeriodoCerrado,
        ]);
    type Output = PaymentApplied;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PaymentApplied, Error> {
        let cxc = self.clave;
        let importe = validate_amount(self.importe)?;
        let terms = PaymentData {
            origen: PaymentOrigin::Deposito,
            cuenta_bancaria: Some(self.cuenta_bancaria),
            forma_pago_sat: self.forma_pago_sat.word(),
            fecha: validate_day(self.fecha.0, cx.latest_day())?,
            referencia: Some(&self.referencia),
            deposito: None,
            by_note: false,
            acreditado: None,
            anticipo: None,
            tipo_cambio: None,
        };
        let applied = apply(cx, &terms, &[(cxc, importe)]).await?;
        let [one] = applied.payments.as_slice() else {
            return Err(Error::internal("a payment of one receivable was applied to several"));
        };
        Ok(PaymentApplied { pago: one.pago, cxc, importe, saldo: one.saldo, complemento: one.complemento, uuid: None })
    }
}
