//! Receivables and the payments applied to them.

use rust_decimal::Decimal;
use serde::Deserialize;

use super::sales::require_payment_keys;
use super::{Record, require, require_clave, require_currency, require_uuid};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Complement, PaymentOrigin, ReceivableStatus, SaleKind};
use crate::error::Code;
use crate::json::{Digits, Fault, Text};
use crate::store::{StoreError, Tx};

/// A receivable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct ReceivableRecord {
    pub clave: Option<i64>,
    pub folio: Option<Text<50>>,
    pub estatus: Option<ReceivableStatus>,
    pub cliente: Option<i64>,
    pub venta: Option<i64>,
    pub tipo_venta: Option<SaleKind>,
    pub factura: Option<i64>,
    pub uuid: Option<Text<36>>,
    pub metodo_pago_sat: Option<Text<3>>,
    pub fecha: Option<Date>,
    pub vencimiento: Option<Date>,
    pub moneda: Option<Text<3>>,
    pub tipo_cambio: Option<Rate>,
    pub total: Money,
    pub pagado: Option<Money>,
    pub saldo: Option<Money>,
    pub parcialidades: Option<i64>,
    pub sucursal: Option<i64>,
    pub modificado: Option<Timestamp>,
}

/// A payment applied to a receivable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct PaymentRecord {
    pub clave: Option<i64>,
    pub cxc: i64,
    pub venta: Option<i64>,
    pub cliente: Option<i64>,
    pub fecha: Option<Date>,
    pub aplicado: Option<Timestamp>,
    pub origen: Option<PaymentOrigin>,
    pub importe: Money,
    pub moneda: Option<Text<3>>,
    pub tipo_cambio: Option<Rate>,
    pub forma_pago_sat: Option<Digits<2>>,
    pub cuenta_bancaria: Option<i64>,
    pub deposito: Option<i64>,
    pub referencia: Option<Text<100>>,
    pub parcialidad: Option<i64>,
    pub saldo_anterior: Option<Money>,
    pub saldo_insoluto: Option<Money>,
    pub complemento: Option<Complement>,
    pub factura: Option<i64>,
    pub uuid: Option<Text<36>>,
    pub cancelado: Option<bool>,
}

impl ReceivableRecord {
    /// What was paid and what is still owed; each follows from the total and the other when it is left out.
    pub fn paid_and_owed(&self) -> Result<(Money, Money), Fault> {
        let rest = |part: Money| self.total.get() - part.get();
        match (self.pagado, self.saldo) {
            (Some(paid), Some(owed)) => Ok((paid, owed)),
            (None, Some(owed)) => Ok((line::amount(rest(owed)).unwrap_or_default(), owed)),
            (paid, None) => {
                let paid = paid.unwrap_or_default();
                let owed = line::amount(rest(paid))
                    .ok_or_else(|| Fault::new(Code::DatoInvalido, "pagado", "es mayor que el total"))?;
                Ok((paid, owed))
            }
        }
    }
}

impl PaymentRecord {
    /// What was owed before and after; each follows from the amount and the other when it is left out.
    pub fn owed_before_and_after(&self) -> Result<(Money, Money), Fault> {
        let paid = self.importe.get();
        match (self.saldo_anterior, self.saldo_insoluto) {
            (Some(before), Some(after)) => Ok((before, after)),
            (Some(before), None) => match line::amount(before.get() - paid) {
                Some(after) => Ok((before, after)),
                None => Err(Fault::new(Code::DatoInvalido, "importe", "es mayor que saldo_anterior")),
            },
            (None, after) => {
                let after = after.unwrap_or_default();
                let before = line::amount(after.get() + paid)
                    .ok_or_else(|| Fault::new(Code::DatoInvalido, "saldo_anterior", "tiene demasiados dígitos"))?;
                Ok((before, after))
            }
        }
    }
}

impl Record for ReceivableRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        require_payment_keys(None, self.metodo_pago_sat.as_deref())?;
        require_currency(self.moneda.as_deref())?;
        require(self.parcialidades.is_none_or(|count| count >= 0), "parcialidades", "no puede ser negativa")?;
        self.paid_and_owed().map(|_| ())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_receivables(rows, now).await
    }
}

impl Record for PaymentRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.importe.get() > Decimal::ZERO, "importe", "debe ser mayor que cero")?;
        require_currency(self.moneda.as_deref())?;
        require_payment_keys(self.forma_pago_sat.as_deref(), None)?;
        require(self.parcialidad.is_none_or(|number| number > 0), "parcialidad", "debe ser un entero positivo")?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        self.owed_before_and_after().map(|_| ())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_payments(rows, now).await
    }
}
