use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::money::Money;
use crate::domain::payment::{BankForm, judge_amount, judge_day};
use crate::domain::scope::Scope;
use crate::domain::time::Date;
use crate::domain::words::{Complement, PaymentOrigin};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Method, Operation, Spec};
use crate::posting::payment::{Terms, apply};

/// Applies a payment to one receivable and emits `cxc.pago_aplicado`: the deposit it makes in the bank account, the
/// balances of receivable and sale, the accounting entry and the complement of a PPD invoice are one transaction.
pub struct ApplyPayment;

/// The body of [`ApplyPayment`] (spec, "POST /cxc/{clave}/pagos").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentToApply {
    /// The amount, in the receivable's currency; at most two decimals.
    pub importe: Money,
    /// The bank account it came to.
    pub cuenta_bancaria: i64,
    /// How: no cash.
    pub forma_pago_sat: BankForm,
    /// The day it came, not in the future; it goes to the complement.
    pub fecha: Date,
    /// Bank reference.
    pub referencia: Text<100>,
}

/// The answer of [`ApplyPayment`].
#[derive(Debug, Clone, Serialize)]
pub struct PaymentApplied {
    /// The payment's clave.
    pub pago: i64,
    /// The receivable.
    pub cxc: i64,
    /// The amount.
    pub importe: Money,
    /// What is still owed.
    pub saldo: Money,
    /// `encolado` or `no_aplica`.
    pub complemento: Complement,
    /// The complement's fiscal folio: none yet.
    pub uuid: Option<String>,
}

impl Operation for ApplyPayment {
    const SPEC: Spec = Spec::write(Method::Post, "/cxc/{clave}/pagos", Scope::CxcWrite)
        .summary("Apply a payment to a receivable")
        .errors(&[
            Code::PagoRepetido,
            Code::DepositoSinAplicar,
            Code::CxcCancelada,
            Code::VentaSinDesglose,
            Code::MetodoPagoFaltante,
            Code::CuentaBancariaInvalida,
            Code::MonedaDistinta,
            Code::FechaAnteriorFactura,
            Code::CxcSinSaldo,
            Code::ImporteExcedeSaldo,
        ]);
    type Path = i64;
    type Input = PaymentToApply;
    type Output = PaymentApplied;

    async fn run(cx: &mut Cx<'_>, cxc: i64, payment: PaymentToApply) -> Result<PaymentApplied, Error> {
        let importe = judge_amount(payment.importe)?;
        let terms = Terms {
            origen: PaymentOrigin::Deposito,
            cuenta_bancaria: Some(payment.cuenta_bancaria),
            forma_pago_sat: payment.forma_pago_sat.word(),
            fecha: judge_day(payment.fecha.0, cx.now)?,
            referencia: Some(&payment.referencia),
        };
        let applied = apply(cx, &terms, &[(cxc, importe)]).await?;
        let [one] = applied.payments.as_slice() else {
            return Err(Error::internal("one payment is one receivable's"));
        };
        Ok(PaymentApplied { pago: one.pago, cxc, importe, saldo: one.saldo, complemento: one.complemento, uuid: None })
    }
}
