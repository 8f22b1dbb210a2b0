//! What becomes of the money, the debt and the entry of a payment that is cancelled.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::complement;
use super::payment::with_corrected_taxes;
use crate::domain::accounting::{
    About, Account, EntryError, EntryLine, LedgerEntry, OpeningBalance, opened_debt, opening_entry,
};
use crate::domain::money::Money;
use crate::domain::payment::LockedReceivable;
use crate::domain::words::{PaymentOrigin, ReceivableStatus};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{AppliedPayment, BookedDocument, NewCreditBalance, ReleasedDeposit, Withdrawal};

/// Reverses a locked payment that is not cancelled: the balances of receivable and sale, its
/// deposit, its accounting entry and its complement. Returns the clave of the document that
/// replaces a stamped complement of several payments. Fails if the complement's outcome is unknown.
pub(crate) async fn undo(cx: &mut Cx<'_>, pago: i64, payment: &AppliedPayment) -> Result<Option<i64>, Error> {
    let debt = cx.tx.lock_receivable(payment.cxc).await?;
    let fecha = debt.as_ref().map_or(cx.today(), |debt| cx.day_at(debt.sucursal));
    let estatus = debt.as_ref().map(|debt| debt.status_without(payment.importe));
    cx.tx.cancel_payment(pago, payment, estatus, cx.now).await?;
    let released = match (payment.cuenta_bancaria, payment.deposito) {
        (Some(cuenta), Some(deposito)) => {
            cx.tx.lock_bank_account(cuenta).await?;
            cx.tx.release_deposit(deposito, cuenta, payment.monto).await?.map(|released| (deposito, released))
        }
        _ => None,
    };
    let substitute = match payment.factura {
        // Its future is large, and rarely needed.
        Some(factura) => Box::pin(withdraw(cx, pago, factura, debt.as_ref())).await?,
        None => None,
    };
    let Some(entry) = cx.tx.entry_of_payment(pago).await? else {
        return match &debt {
            Some(debt) => open_again(cx, debt, payment.importe, fecha).await.map(|()| substitute),
            None => Ok(substitute),
        };
    };
    let reversal = entry.reversed(fecha);
    let reversal = match released {
        Some((deposito, released)) => {
            let about = About { cuenta_bancaria: payment.cuenta_bancaria, ..reversal.about() };
            of_released(cx, reversal.of(about), deposito, released).await?
        }
        None => Some(reversal),
    };
    let reversal = match reversal {
        Some(reversal) if debt.is_some_and(|debt| debt.con_notas) => {
            with_corrected_taxes(cx, payment.cxc, reversal).await?
        }
        other => other,
    };
    if let Some(reversal) = reversal {
        cx.tx.insert_entry(&reversal, cx.now).await?;
    }
    Ok(substitute)
}

/// Takes the payment `pago`, which is cancelled, out of its complement `factura`. Returns the clave
/// of the document that replaces it if it is stamped.
async fn withdraw(
    cx: &mut Cx<'_>,
    pago: i64,
    factura: i64,
    debt: Option<&LockedReceivable>,
) -> Result<Option<i64>, Error> {
    match cx.tx.withdraw_complement(factura, pago, cx.now).await? {
        Withdrawal::Done => Ok(None),
        Withdrawal::Underway => {
            let text = "su complemento se envió a timbrar y aún no hay respuesta; reintente";
            Err(Error::field(Code::EstadoInvalido, "pago", text))
        }
        // The validated document included this payment.
        Withdrawal::Waiting(waiting) => {
            complement::keep_again(cx, waiting).await?;
            Ok(Some(waiting).filter(|waiting| *waiting != factura))
        }
        Withdrawal::Stamped => match (cx.tx.lock_invoice(factura).await?, debt) {
            (Some(stamped), Some(debt)) => Ok(Some(complement::substitute(cx, &stamped, debt).await?)),
            _ => Ok(None),
        },
    }
}

/// Opens what a payment from before the books began no longer pays: the customer owes it from the
/// opening account, with its part of the taxes. The entry is about no document, like that of the
/// receivable's import.
async fn open_again(cx: &mut Cx<'_>, debt: &LockedReceivable, importe: Money, fecha: NaiveDate) -> Result<(), Error> {
    if debt.estatus == ReceivableStatus::Cancelado {
        return Ok(());
    }
    // An imported payment may never have been counted in what was paid.
    let importe = debt.pagado.min(importe);
    let before = Money::new(debt.pagado.get() - importe.get());
    let opened = opened_debt(before, importe, debt.taxes(), debt.tipo_cambio).ok_or(EntryError::TooLarge)?;
    if let Some(entry) = opening_entry(fecha, OpeningBalance::Receivables(opened))? {
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(cx.tx.add_opening(debt.clave, opened).await?)
}

/// Cancels a locked payment of an advance whose invoice `factura` is discarded. Its money stays
/// where it is, as a balance in the customer's favour.
pub(crate) async fn into_favour(
    cx: &mut Cx<'_>,
    pago: i64,
    payment: &AppliedPayment,
    factura: i64,
) -> Result<(), Error> {
    let debt = cx.tx.lock_receivable(payment.cxc).await?;
    let debt = debt.filter(|_| payment.origen == PaymentOrigin::Deposito);
    let Some((debt, cliente)) = debt.and_then(|debt| debt.cliente.map(|cliente| (debt, cliente))) else {
        return undo(cx, pago, payment).await.map(|_| ());
    };
    cx.tx.cancel_payment(pago, payment, Some(debt.status_without(payment.importe)), cx.now).await?;
    let (moneda, importe, deposito) = (debt.moneda.as_str(), payment.importe, payment.deposito);
    let entry = cx.tx.entry_of_payment(pago).await?;
    let is_money = |line: &&EntryLine| matches!(line.cuenta, Account::Bancos | Account::Caja | Account::PorIdentificar);
    let money: Option<Vec<EntryLine>> =
        entry.as_ref().map(|entry| entry.lines().iter().filter(is_money).copied().collect());
    let worth = |lines: &Vec<EntryLine>| lines.iter().map(EntryLine::signed).sum::<Decimal>();
    let pesos = money.as_ref().map(|lines| Money::new(worth(lines)));
    let today = cx.day_at(debt.sucursal);
    let fecha = entry.as_ref().map_or(today, |entry| entry.reversal_day(today));
    let balance = NewCreditBalance { cliente, moneda, fecha, importe, pesos, factura: Some(factura), deposito };
    cx.tx.insert_credit_balance(balance, cx.now).await?;
    let Some((entry, money)) = entry.zip(money) else { return Ok(()) };
    cx.tx.insert_entry(&entry.reversed(fecha), cx.now).await?;
    let favour = EntryLine::of(Account::Anticipos, -worth(&money));
    let concept = format!("Saldo a favor del pago {pago}");
    if let Some(kept) = LedgerEntry::new(concept, fecha, money.into_iter().chain([favour]))? {
        let about = About { factura: Some(factura), pago: Some(pago), deposito, ..About::default() };
        let kept = kept.of(About { cuenta_bancaria: payment.cuenta_bancaria, ..about });
        cx.tx.insert_entry(&kept, cx.now).await?;
    }
    Ok(())
}

/// Adjusts the reversal of a payment whose deposit was released. Money that stays in the bank waits
/// to be identified; money that leaves also takes what still waited of the deposit. A deposit whose
/// worth in pesos is unknown is posted by the next payment that applies it.
async fn of_released(
    cx: &mut Cx<'_>,
    reversal: LedgerEntry,
    deposito: i64,
    released: ReleasedDeposit,
) -> Result<Option<LedgerEntry>, Error> {
    let gone = released == ReleasedDeposit::Gone;
    let (from, to) = match released {
        ReleasedDeposit::Gone => (Account::PorIdentificar, Account::Bancos),
        ReleasedDeposit::Waits => (Account::Bancos, Account::PorIdentificar),
        ReleasedDeposit::Unposted => return Ok(Some(reversal)),
    };
    let moved = |line: &EntryLine| EntryLine { cuenta: if line.cuenta == from { to } else { line.cuenta }, ..*line };
    let mut lines: Vec<EntryLine> = reversal.lines().iter().map(moved).collect();
    if gone {
        let waited = cx.tx.booked(BookedDocument::Deposit(deposito), &[Account::PorIdentificar]).await?;
        lines.extend([EntryLine::of(Account::PorIdentificar, -waited), EntryLine::of(Account::Bancos, waited)]);
    }
    Ok(reversal.with_lines(lines)?)
}
