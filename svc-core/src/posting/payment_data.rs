//! The data of a payment: where the money comes from, and what advances and credit notes
//! contribute.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use crate::domain::accounting::{Account, CreditedPart, EntryError, EntryLine};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::words::PaymentOrigin;
use crate::error::{Code, Error};
use crate::store::{Advance, BankReceipt};

/// The data of a payment that do not depend on the receivable.
#[derive(Debug)]
pub(crate) struct PaymentData<'a> {
    /// The source of the money.
    pub(crate) origen: PaymentOrigin,
    /// The bank account that received it; required for a deposit.
    pub(crate) cuenta_bancaria: Option<i64>,
    /// Payment form, a key of the SAT's catalogue.
    pub(crate) forma_pago_sat: &'a str,
    pub(crate) fecha: NaiveDate,
    /// Bank reference; required for a deposit.
    pub(crate) referencia: Option<&'a str>,
    /// The captured deposit that it applies.
    pub(crate) deposito: Option<i64>,
    /// Whether a credit note lowers the receivable. It needs no complement and no instalment
    /// number.
    pub(crate) by_note: bool,
    /// What the credit note takes back; `None` if it applies an advance.
    pub(crate) acreditado: Option<NotePart>,
    /// The part of an advance that pays it; required by the origin.
    pub(crate) anticipo: Option<&'a AdvancePart>,
    /// Pesos per unit of the currency on that day; `None` for each receivable's own.
    pub(crate) tipo_cambio: Option<Rate>,
}

/// The part of a credit note that pays a receivable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotePart {
    pub(crate) parte: CreditedPart,
    /// What it takes of the balance that the note leaves, in pesos.
    pub(crate) pesos: Money,
}

impl<'a> PaymentData<'a> {
    pub(super) fn advance(&self) -> Result<&'a AdvancePart, Error> {
        self.anticipo.ok_or_else(|| Error::internal("a payment from advances names none"))
    }

    /// The account that the money of a deposit goes to: without a bank account it stays in the
    /// till.
    pub(super) fn received_in(&self) -> Account {
        if self.cuenta_bancaria.is_some() { Account::Bancos } else { Account::Caja }
    }

    /// The money that came to the bank; `None` for cash in the till, a balance in the customer's
    /// favour or an advance.
    pub(super) fn receipt(&self, importe: Money) -> Result<Option<BankReceipt<'a>>, Error> {
        // Money that is not taken to a bank stays in the till.
        if self.origen != PaymentOrigin::Deposito || self.deposito.is_some() {
            return Ok(None);
        }
        let Some(cuenta_bancaria) = self.cuenta_bancaria else { return Ok(None) };
        let missing = || Error::field(Code::DatoRequerido, "referencia", "es obligatorio");
        let referencia = self.referencia.ok_or_else(missing)?;
        Ok(Some(BankReceipt { cuenta_bancaria, fecha: self.fecha, importe, referencia }))
    }
}

/// The part of an advance that pays a receivable.
#[derive(Debug)]
pub(crate) struct AdvancePart {
    /// The clave of the advance's sale.
    pub(crate) anticipo: i64,
    /// What it contributes, in pesos. Its taxes were collected when it was paid and are not
    /// collected again.
    pub(crate) lines: Vec<EntryLine>,
}

impl AdvancePart {
    /// The part of `importe`: its share of each of the advance's amounts. The share of the base
    /// starts from what the entries still have open, so that an advance that is used up leaves
    /// nothing. In a foreign currency the shares are rounded to pesos one by one and may differ
    /// from the whole by cents, which the exchange difference takes.
    pub(crate) fn of(advance: &Advance, importe: Money) -> Result<Self, EntryError> {
        let whole = &advance.amounts;
        let pesos = |amount| line::pesos(amount, advance.tipo_cambio).ok_or(EntryError::TooLarge);
        let (before, after) = (advance.aplicado, Money::new(advance.aplicado.get() + importe.get()));
        let upto = |whole, applied| line::share(whole, applied, advance.amounts.total).get();
        let part = |amount| pesos(amount).map(|amount| upto(amount, after) - upto(amount, before));
        let ieps = part(whole.ieps)?;
        let (isr, iva_retenido) = (part(whole.isr_retenido)?, part(whole.iva_retenido())?);
        let net = whole.total.get() + whole.retenciones.get() - whole.impuestos().get();
        let net = pesos(Money::new(net.max(Decimal::ZERO)))?;
        let taken = advance.abierto.map_or(upto(net, before), |open| net.get() - open);
        // The base and its IVA.
        let rest = pesos(importe)?.get() - ieps + isr + iva_retenido;
        let open = (upto(net, after) - taken).max(Decimal::ZERO);
        let (is_foreign, is_taxed) = (advance.tipo_cambio != Rate::ONE, whole.iva > Money::default());
        let base = match (is_foreign, is_taxed) {
            (true, _) => open,
            (false, true) => open.min(rest),
            (false, false) => rest,
        };
        let iva = if is_taxed { (rest - base).max(Decimal::ZERO) } else { Decimal::ZERO };
        let lines = [
            (Account::Anticipos, base),
            (Account::IvaCobrado, iva),
            (Account::IepsCobrado, ieps),
            (Account::IsrRetenido, -isr),
            (Account::IvaRetenido, -iva_retenido),
        ];
        let lines = lines.map(|(cuenta, importe)| EntryLine::of(cuenta, importe)).to_vec();
        Ok(Self { anticipo: advance.venta, lines })
    }
}
