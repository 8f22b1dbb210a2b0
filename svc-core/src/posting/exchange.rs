//! Payments into bank accounts of another currency than the receivable's.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::payment_data::PaymentData;
use crate::domain::currency::{self, PESO};
use crate::domain::deposit::PaidAccount;
use crate::domain::money::Money;
use crate::domain::payment::LockedReceivable;
use crate::domain::quantity::Rate;
use crate::domain::words::PaymentOrigin;
use crate::error::{Code, Error};
use crate::operation::{Actor, Cx};
use crate::store::Exchanged;

/// What a bank account receives for each part of a payment, in its own currency.
pub(crate) struct ReceivedAmounts {
    /// The part of each receivable in its own currency, and what it became, if it was exchanged.
    parts: Vec<(Money, Option<Exchanged>)>,
}

/// The account, and pesos for one unit of the foreign currency, if the payment states them: only
/// the back office's may.
fn exchange<'a>(
    cx: &Cx<'_>,
    terms: &PaymentData<'_>,
    account: Option<&'a PaidAccount>,
) -> Option<(&'a PaidAccount, Rate)> {
    let may = matches!(cx.actor, Actor::BackOffice) && terms.origen == PaymentOrigin::Deposito;
    account.filter(|account| may && account.activa).zip(terms.tipo_cambio)
}

/// Whether money of one currency pays the other at a rate in pesos.
fn exchangeable(one: &str, other: &str) -> bool {
    one != other && (one == PESO || other == PESO)
}

/// The exchange rate of the payment for each receivable, in its own currency. One rate pays debts
/// of one foreign currency.
pub(crate) fn rates(
    cx: &Cx<'_>,
    terms: &PaymentData<'_>,
    debts: &BTreeMap<i64, LockedReceivable>,
    account: Option<&PaidAccount>,
) -> Result<BTreeMap<i64, Rate>, Error> {
    let foreign: BTreeSet<&str> = debts.values().map(|debt| &*debt.moneda).filter(|moneda| *moneda != PESO).collect();
    if terms.tipo_cambio.is_some() && foreign.len() > 1 {
        return Err(Code::MonedaDistinta.into());
    }
    let exchanged = exchange(cx, terms, account)
        .is_some_and(|(account, _)| debts.values().any(|debt| exchangeable(&debt.moneda, &account.moneda)));
    let of_day = |debt: &LockedReceivable| match &*debt.moneda {
        PESO if exchanged => Ok(Rate::ONE),
        moneda => currency::rate_of_day(moneda, terms.tipo_cambio, debt.tipo_cambio),
    };
    debts.iter().map(|(cxc, debt)| Ok((*cxc, of_day(debt)?))).collect()
}

/// What the account receives for each part.
pub(crate) fn amounts(
    cx: &Cx<'_>,
    terms: &PaymentData<'_>,
    debts: &BTreeMap<i64, LockedReceivable>,
    account: Option<&PaidAccount>,
    parts: &[(i64, Money)],
) -> Result<ReceivedAmounts, Error> {
    let exchange = exchange(cx, terms, account);
    let received = |(cxc, importe): &(i64, Money)| {
        let debt = debts.get(cxc).ok_or(Code::NoEncontrado)?;
        let Some((account, rate)) = exchange.filter(|(account, _)| exchangeable(&debt.moneda, &account.moneda)) else {
            return Ok((*importe, None));
        };
        let monto = currency::exchange(*importe, &debt.moneda, &account.moneda, rate);
        let monto = monto.ok_or_else(|| {
            Error::field(Code::DatoInvalido, "importe", "en la moneda de la cuenta no es nada, o pasa de 18 dígitos")
        })?;
        let tipo_cambio = if account.moneda == PESO { Rate::ONE } else { rate };
        Ok((*importe, Some(Exchanged { moneda: account.moneda.clone(), tipo_cambio, monto })))
    };
    Ok(ReceivedAmounts { parts: parts.iter().map(received).collect::<Result<_, Error>>()? })
}

impl ReceivedAmounts {
    /// What each part became.
    pub(crate) fn exchanged(&self) -> impl Iterator<Item = Option<&Exchanged>> {
        self.parts.iter().map(|(_, exchanged)| exchanged.as_ref())
    }

    /// What the account receives in all.
    pub(crate) fn total(&self) -> Money {
        let each = self.parts.iter().map(|(importe, exchanged)| exchanged.as_ref().map_or(importe, |of| &of.monto));
        Money::new(each.map(|amount| amount.get()).sum::<Decimal>())
    }

    /// Takes what is left of a deposit, if the parts come to more only because their amounts are
    /// rounded to cents of another currency.
    pub(crate) fn fit(&mut self, rest: Money) {
        let over = self.total().get() - rest.get();
        let Some((importe, Some(last))) = self.parts.last_mut() else { return };
        let cent = last.monto.get().checked_div(importe.get()).map(|worth| worth * Decimal::new(1, 2));
        if over > Decimal::ZERO && cent.is_some_and(|cent| over + over <= cent) && over < last.monto.get() {
            last.monto = Money::new(last.monto.get() - over);
        }
    }
}
