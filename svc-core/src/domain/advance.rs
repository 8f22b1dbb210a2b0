//! Advances (anticipos): money received before there is a sale, IVA included (contract §7).

use rust_decimal::{Decimal, RoundingStrategy};

use super::cfdi::Line;
use super::credit_note::CreditLine;
use super::line::{self, VatRate};
use super::money::Money;
use super::quantity::Quantity;
use super::sale::Amounts;
use super::tax::{LineRates, TaxRate};

/// The description on the document of an advance (cfdi guide, "Anticipos").
pub(crate) const WORDS: &str = "Anticipo del bien o servicio";
/// `c_FormaPago`: the application of an advance.
pub(crate) const FORM: &str = "30";

/// Splits an amount that was paid, so with its IVA and without what the customer withheld, to the
/// cent. The base is rounded half-up, and the IVA is what is left; if that is not the IVA of the
/// base, the base is a nearby one. `None` if the amount has more than 18 digits.
pub(crate) fn amounts(importe: Money, rates: &LineRates) -> Option<Amounts> {
    let vat = vat(rates);
    let of = |rate: Option<TaxRate>| rate.map_or(Decimal::ZERO, TaxRate::get);
    let (isr, iva) = (of(rates.retencion_isr), of(rates.retencion_iva));
    let exact = importe.get().checked_div(Decimal::ONE + vat - isr - iva)?;
    let rounded = exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    let split = |cents: i64| {
        let base = line::amount(rounded + Decimal::new(cents, 2))?;
        let (isr, iva) = (line::withheld(base.get(), Some(isr))?, line::withheld(base.get(), Some(iva))?);
        of_base(base, isr, Money::new(isr.get() + iva.get()), importe)
    };
    let fits = |split: &Amounts| line::fits(split.iva, split.subtotal.get(), vat);
    [0, 1, -1, 2, -2, 3, -3].into_iter().filter_map(split).find(fits)
}

/// The amounts of `importe` with this base and these withholdings.
fn of_base(base: Money, isr_retenido: Money, retenciones: Money, importe: Money) -> Option<Amounts> {
    let iva = line::amount(importe.get() - base.get() + retenciones.get())?;
    let total = line::amount(importe.get())?;
    Some(Amounts { subtotal: base, iva, retenciones, isr_retenido, total, ..Amounts::default() })
}

/// The part `importe` of an advance after `before` of it, so that the parts of a whole advance add
/// up to its amounts. `None` if a tax of it would not be that of its base.
fn part(of: &Line, before: Money, importe: Money) -> Option<Amounts> {
    let after = Money::new(before.get() + importe.get());
    let upto = |whole: Money, applied| line::share(whole, applied, of.amounts.total).get();
    let share = |whole: Money| line::amount(upto(whole, after) - upto(whole, before));
    let (base, isr) = (share(of.amounts.subtotal)?, share(of.amounts.isr_retenido)?);
    let iva_retenido = share(of.amounts.iva_retenido())?;
    let amounts = of_base(base, isr, Money::new(isr.get() + iva_retenido.get()), importe)?;
    let withheld = |tax: Money, rate: Option<TaxRate>| line::withheld(base.get(), rate.map(TaxRate::get)) == Some(tax);
    let fitting = base > Money::default()
        && line::fits(amounts.iva, base.get(), vat(&of.rates))
        && withheld(isr, of.rates.retencion_isr)
        && withheld(iva_retenido, of.rates.retencion_iva);
    fitting.then_some(amounts)
}

fn vat(rates: &LineRates) -> Decimal {
    match rates.iva_tasa {
        Some(VatRate::Rate(rate)) => rate,
        Some(VatRate::Exempt) | None => Decimal::ZERO,
    }
}

/// The line of the credit note that applies `importe` of an advance, after `before` of it was
/// applied; `of` is the advance's own line.
pub(crate) fn applied(of: &Line, before: Money, importe: Money) -> Option<CreditLine> {
    let amounts = match part(of, before, importe) {
        Some(amounts) => amounts,
        None => amounts(importe, &of.rates)?,
    };
    let one = Quantity::new(Decimal::ONE);
    let precio_unitario = amounts.subtotal;
    Some(CreditLine { renglon: of.renglon, acreditada: Quantity::default(), cantidad: one, precio_unitario, amounts })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_iva_is_what_the_authority_takes(cents in 1_i64..1_000_000_000, key in prop::sample::select(vec!["16", "8", "0", "EX"])) {
            let (importe, rate) = (Money::new(Decimal::new(cents, 2)), VatRate::of_key(key));
            let found = amounts(importe, &LineRates::of_vat(rate)).unwrap();
            prop_assert_eq!(found.total, importe);
            prop_assert_eq!(found.subtotal.get() + found.iva.get(), importe.get());
            if let Some(VatRate::Rate(rate)) = rate {
                prop_assert!(line::fits(found.iva, found.subtotal.get(), rate), "{:?}", found);
            }
        }
    }
}
