//! Applying payments to receivables (spec, "Payment application to a receivable").

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::payment_data::PaymentData;
use super::{complement, exchange, favour};
use crate::domain::accounting::{
    About, Account, Collected, EntryError, EntryLine, LedgerEntry, PaymentAmounts, payment_entry,
};
use crate::domain::currency::PESO;
use crate::domain::deposit::{NamedDeposit, PaidAccount};
use crate::domain::event::Event;
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::payment::{Instalment, LockedReceivable};
use crate::domain::quantity::Rate;
use crate::domain::words::{Complement, PaymentOrigin};
use crate::error::{Code, Error};
use crate::operation::{Actor, Cx};
use crate::store::{BankReceipt, BookedDocument, DepositOrigin, Exchanged, NewPayment};

#[derive(Debug)]
pub(crate) struct Applied {
    /// A payment per part, in the order of the parts.
    pub(crate) payments: Vec<PartApplied>,
    /// The deposit that brought the money.
    pub(crate) deposito: Option<i64>,
    /// What is left of a captured deposit.
    pub(crate) sin_aplicar: Option<Money>,
}

#[derive(Debug)]
pub(crate) struct PartApplied {
    pub(crate) pago: i64,
    /// What the receivable still owes.
    pub(crate) saldo: Money,
    pub(crate) complemento: Complement,
}

/// Applies a payment to each receivable of `parts`, which are distinct: all of them or none.
///
/// Locks the receivables in ascending order of clave, then the bank account. So duplicate payments
/// are serialized, and a duplicate is detected before any balance is checked.
pub(crate) async fn apply(cx: &mut Cx<'_>, terms: &PaymentData<'_>, parts: &[(i64, Money)]) -> Result<Applied, Error> {
    // The reference is missing before anything is not found.
    terms.receipt(Money::default())?;
    let debts = lock_debts(cx, parts).await?;
    let account = match terms.cuenta_bancaria {
        Some(cuenta) => cx.tx.lock_bank_account(cuenta).await?,
        None => None,
    };
    let account = account.as_ref();
    let rates = exchange::rates(cx, terms, &debts, account)?;
    let mut amounts = exchange::amounts(cx, terms, &debts, account, parts)?;
    let named = match terms.deposito {
        Some(deposito) => Some((deposito, named_deposit(cx, deposito).await?.validate()?)),
        None => None,
    };
    if let Some((_, rest)) = named {
        amounts.fit(rest);
    }
    let total = amounts.total();
    let receipt = terms.receipt(total)?;
    let waiting = match (named, &receipt) {
        (None, Some(receipt)) => waiting_deposit(cx, receipt).await?.map(|deposito| (deposito, total)),
        _ => named,
    };
    let mut instalments = Vec::with_capacity(parts.len());
    for ((cxc, importe), cambio) in parts.iter().zip(amounts.exchanged()) {
        let debt = debts.get(cxc).ok_or(Code::NoEncontrado)?;
        debt.validate(matches!(cx.actor, Actor::Key { .. }))?;
        let tipo_cambio = rates.get(cxc).copied().ok_or(Code::NoEncontrado)?;
        let mut instalment = validate(debt, terms, account, cambio, *importe)?;
        if terms.by_note {
            instalment.parcialidad = debt.ultima_parcialidad.max(1);
            instalment.parcialidades = debt.parcialidades;
        }
        instalments.push(PaidPart { debt, instalment, tipo_cambio, cambio });
        validate_funds(cx, terms.origen, debt, *importe).await?;
    }
    let deposito = take_in(cx, receipt.as_ref(), waiting, account, total).await?;
    let identified = match waiting {
        Some((deposito, _)) => -cx.tx.booked(BookedDocument::Deposit(deposito), &[Account::PorIdentificar]).await?,
        None => Decimal::ZERO,
    };
    let identified = Money::new(identified.max(Decimal::ZERO));
    let documented = terms.by_note || terms.origen == PaymentOrigin::Anticipo;
    let paid = instalments.iter().map(|part| part.debt).filter(|_| !documented);
    let complements = complement::open_all(cx, paid).await?;
    let mut payments = Vec::with_capacity(parts.len());
    let mut before = Decimal::ZERO;
    for part in &instalments {
        let debt = part.debt;
        let factura = complements.by_receivable.get(&debt.clave).copied();
        let recibido = match terms.origen {
            PaymentOrigin::Anticipo => terms.advance()?.lines.clone(),
            PaymentOrigin::SaldoAFavor => vec![part.favour(cx, terms).await?],
            PaymentOrigin::Deposito => {
                part.received(terms.received_in(), before, identified, waiting.map_or(total, |(_, rest)| rest))?
            }
        };
        before += part.monto().get();
        payments.push(write(cx, terms, part, recibido, deposito, factura).await?);
    }
    complements.keep(cx).await?;
    let left = waiting.map(|(_, rest)| Money::new(rest.get() - total.get()));
    Ok(Applied { payments, deposito, sin_aplicar: left.filter(|_| terms.deposito.is_some()) })
}

/// Applies the deposit that waits, or inserts the one that came with the payment. Returns it.
async fn take_in(
    cx: &mut Cx<'_>,
    receipt: Option<&BankReceipt<'_>>,
    waiting: Option<(i64, Money)>,
    account: Option<&PaidAccount>,
    total: Money,
) -> Result<Option<i64>, Error> {
    match (receipt, waiting) {
        (None, None) => Ok(None),
        (_, Some((_, rest))) if total > rest => Err(Code::SaldoInsuficiente.into()),
        (_, Some((deposito, _))) => {
            if !cx.tx.apply_deposit(deposito, total).await? {
                return Err(Error::internal(format!("deposit {deposito} changed while its account was locked")));
            }
            Ok(Some(deposito))
        }
        (Some(receipt), None) => {
            PaidAccount::validate(account)?.validate_receiving(total)?;
            Ok(Some(cx.tx.insert_deposit(receipt, DepositOrigin::Pago, cx.now).await?))
        }
    }
}

/// The part of a payment that pays one receivable.
struct PaidPart<'d> {
    debt: &'d LockedReceivable,
    instalment: Instalment,
    /// Pesos per unit of the currency on the day of the payment.
    tipo_cambio: Rate,
    /// What the bank account received, if it has another currency.
    cambio: Option<&'d Exchanged>,
}

impl PaidPart<'_> {
    /// The amount in the currency in which it came in.
    fn monto(&self) -> Money {
        self.cambio.map_or(self.instalment.importe, |cambio| cambio.monto)
    }

    /// What the payment takes of the customer's balance in their favour: the part that its own
    /// credit note left, otherwise a share of all that they have in that currency.
    async fn favour(&self, cx: &mut Cx<'_>, terms: &PaymentData<'_>) -> Result<EntryLine, Error> {
        let importe = self.instalment.importe;
        let pesos = match (&terms.acreditado, self.debt.cliente) {
            (Some(note), _) => note.pesos,
            (None, Some(cliente)) => favour::used(cx, cliente, &self.debt.moneda, importe, self.tipo_cambio).await?,
            (None, None) => return Err(Code::SaldoInsuficiente.into()),
        };
        Ok(EntryLine::cargo(Account::Anticipos, pesos))
    }

    /// What came in for this part, in pesos, after `before` of its currency came in for other parts
    /// of the same payment: at one exchange rate the parts add up to the whole. For a deposit that
    /// waited, its share of the `identified` pesos posted for the `rest` of it.
    fn received(
        &self,
        source: Account,
        before: Decimal,
        identified: Money,
        rest: Money,
    ) -> Result<Vec<EntryLine>, EntryError> {
        let after = before + self.monto().get();
        let pesos = |amount| line::pesos(Money::new(amount), self.tipo_cambio).ok_or(EntryError::TooLarge);
        let worth = match self.cambio {
            None => pesos(after)?.get() - pesos(before)?.get(),
            // One of both is in pesos.
            Some(cambio) if cambio.moneda == PESO => cambio.monto.get(),
            Some(_) => self.instalment.importe.get(),
        };
        let waited = |amount| line::share(identified, Money::new(amount), rest).get();
        let waited = waited(after) - waited(before);
        let currency = self.cambio.map_or(&self.debt.moneda, |cambio| &cambio.moneda);
        let whole = identified > Money::default() && currency != PESO;
        let new = if whole { Decimal::ZERO } else { (worth - waited).max(Decimal::ZERO) };
        let received = |cuenta, importe| EntryLine::cargo(cuenta, Money::new(importe));
        Ok(vec![received(Account::PorIdentificar, waited), received(source, new)])
    }
}

async fn lock_debts(cx: &mut Cx<'_>, parts: &[(i64, Money)]) -> Result<BTreeMap<i64, LockedReceivable>, Error> {
    let mut debts = BTreeMap::new();
    for cxc in parts.iter().map(|(cxc, _)| *cxc).collect::<BTreeSet<_>>() {
        let missing = || match cx.actor {
            Actor::Key { .. } => Code::NoEncontrado.into(),
            Actor::BackOffice => Error::field(
                Code::NoEncontrado,
                "cxc",
                format_args!("la cuenta por cobrar {cxc} no existe en la empresa"),
            ),
        };
        debts.insert(cxc, cx.tx.lock_receivable(cxc).await?.ok_or_else(missing)?);
    }
    Ok(debts)
}

/// The deposit that a payment names; an error if there is none.
pub(crate) async fn named_deposit(cx: &mut Cx<'_>, deposito: i64) -> Result<NamedDeposit, Error> {
    let missing = || {
        let text = format_args!("el depósito {deposito} no existe en la empresa");
        Error::field(Code::NoEncontrado, "deposito", text)
    };
    cx.tx.deposit(deposito).await?.ok_or_else(missing)
}

/// The first day on which a deposit of `fecha` can pay these receivables: its own, or the last of
/// theirs.
pub(crate) async fn payable_since(
    cx: &mut Cx<'_>,
    parts: &[(i64, Money)],
    fecha: NaiveDate,
) -> Result<NaiveDate, Error> {
    Ok(lock_debts(cx, parts).await?.values().map(|debt| debt.fecha).fold(fecha, NaiveDate::max))
}

/// The captured deposit with the same data as the payment. The back office applies it; for the API
/// it is an error.
async fn waiting_deposit(cx: &mut Cx<'_>, receipt: &BankReceipt<'_>) -> Result<Option<i64>, Error> {
    let earlier = cx.tx.earlier(receipt).await?;
    match cx.actor {
        Actor::Key { .. } => earlier.refuse().map(|()| None),
        Actor::BackOffice => earlier.deposit_of(receipt.importe),
    }
}

/// Locks a receivable and validates a payment of it that needs no deposit, without paying.
pub(crate) async fn validate_one(
    cx: &mut Cx<'_>,
    terms: &PaymentData<'_>,
    cxc: i64,
    importe: Money,
) -> Result<LockedReceivable, Error> {
    let debt = lock_debts(cx, &[(cxc, importe)]).await?.remove(&cxc).ok_or(Code::NoEncontrado)?;
    let account = match terms.cuenta_bancaria {
        Some(cuenta) => cx.tx.lock_bank_account(cuenta).await?,
        None => None,
    };
    debt.validate(false)?;
    validate(&debt, terms, account.as_ref(), None, importe)?;
    validate_funds(cx, terms.origen, &debt, importe).await?;
    Ok(debt)
}

/// Validates a payment of a receivable, in the order of the codes (decisions, "Payments").
fn validate(
    debt: &LockedReceivable,
    terms: &PaymentData<'_>,
    account: Option<&PaidAccount>,
    cambio: Option<&Exchanged>,
    importe: Money,
) -> Result<Instalment, Error> {
    if terms.cuenta_bancaria.is_some() {
        let account = PaidAccount::validate(account)?;
        if cambio.is_none() {
            account.validate_currency(&debt.moneda)?;
        }
    }
    debt.validate_day(terms.fecha)?;
    debt.pay(importe)
}

/// Refuses to apply more of an advance, or of a balance in the customer's favour, than there is
/// (contract §7). The customer stays locked, so that a second payment sees the first.
async fn validate_funds(
    cx: &mut Cx<'_>,
    origen: PaymentOrigin,
    debt: &LockedReceivable,
    importe: Money,
) -> Result<(), Error> {
    if origen == PaymentOrigin::Deposito {
        return Ok(());
    }
    let Some(cliente) = debt.cliente else { return Err(Code::SaldoInsuficiente.into()) };
    cx.tx.lock_buyer(cliente).await?;
    let funds = cx.tx.funds(cliente, &debt.moneda, origen).await?;
    if importe.get() > funds { Err(Code::SaldoInsuficiente.into()) } else { Ok(()) }
}

/// Writes one payment and its effects.
async fn write(
    cx: &mut Cx<'_>,
    terms: &PaymentData<'_>,
    part: &PaidPart<'_>,
    recibido: Vec<EntryLine>,
    deposito: Option<i64>,
    factura: Option<i64>,
) -> Result<PartApplied, Error> {
    let PaidPart { debt, instalment, tipo_cambio, cambio } = part;
    let row = NewPayment {
        receivable: debt,
        instalment: *instalment,
        tipo_cambio: *tipo_cambio,
        fecha: terms.fecha,
        aplicado: cx.now,
        origen: terms.origen,
        forma_pago_sat: terms.forma_pago_sat,
        cuenta_bancaria: terms.cuenta_bancaria,
        deposito,
        referencia: terms.referencia,
        factura,
        anticipo: terms.anticipo.map(|part| part.anticipo),
        cambio: *cambio,
    };
    let contabilizado = cx.tx.collected(debt.clave).await?;
    let pago = cx.tx.insert_payment(&row).await?.ok_or(Code::ImporteExcedeSaldo)?;
    let amounts = PaymentAmounts {
        recibido,
        importe: instalment.importe,
        liquida: instalment.saldo_insoluto == Money::default(),
        acreditado: debt.acreditado.with(terms.acreditado.map(|note| note.parte)),
        tipo_cambio_pago: *tipo_cambio,
        cambio: cambio.is_some(),
        ..amounts_of(debt, contabilizado)
    };
    let concept = format!("Pago {pago} de la cuenta por cobrar {}", debt.clave);
    if let Some(entry) = payment_entry(concept, terms.fecha, &amounts)? {
        let about = About { venta: debt.venta, factura, pago: Some(pago), deposito, ..About::default() };
        let entry = entry.of(About { cuenta_bancaria: terms.cuenta_bancaria, ..about });
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    cx.emit(&Event::PagoAplicado { pago, cxc: debt.clave, importe: instalment.importe }).await?;
    Ok(PartApplied { pago, saldo: instalment.saldo_insoluto, complemento: row.complemento() })
}

/// What is posted of a receivable before its next payment.
fn amounts_of(debt: &LockedReceivable, contabilizado: Collected) -> PaymentAmounts {
    let [iva, ieps, total] = debt.taxes();
    PaymentAmounts {
        recibido: Vec::new(),
        importe: Money::default(),
        pagado: debt.pagado,
        liquida: false,
        contabilizado,
        acreditado: debt.acreditado,
        total,
        iva,
        ieps,
        tipo_cambio: debt.tipo_cambio,
        tipo_cambio_pago: debt.tipo_cambio,
        cambio: false,
    }
}

/// Adds to the reversal of a cancelled payment the correction of the taxes of a receivable with
/// credit notes. Without the payment, a later note may have collected less of its own taxes, or a
/// payment more of the rest, than they should have.
pub(super) async fn with_corrected_taxes(
    cx: &mut Cx<'_>,
    cxc: i64,
    reversal: LedgerEntry,
) -> Result<Option<LedgerEntry>, Error> {
    let Some(debt) = cx.tx.lock_receivable(cxc).await? else { return Ok(Some(reversal)) };
    let reversed = |account| {
        let lines = reversal.lines().iter().filter(|line| line.cuenta == account);
        lines.map(EntryLine::signed).sum::<Decimal>()
    };
    let posted = cx.tx.collected(cxc).await?;
    let posted = Collected {
        iva: posted.iva + reversed(Account::IvaNoCobrado),
        ieps: posted.ieps + reversed(Account::IepsNoCobrado),
        ..posted
    };
    let Some(taxes) = payment_entry(String::new(), reversal.fecha(), &amounts_of(&debt, posted))? else {
        return Ok(Some(reversal));
    };
    let mut lines = reversal.lines().to_vec();
    for tax in taxes.lines() {
        // Of an advance the first line of an account is what the advance had charged.
        match lines.iter_mut().rfind(|line| line.cuenta == tax.cuenta) {
            Some(line) => *line = EntryLine::of(tax.cuenta, line.signed() + tax.signed()),
            None => lines.push(*tax),
        }
    }
    Ok(reversal.with_lines(lines)?)
}
