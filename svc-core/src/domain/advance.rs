//! Advances (anticipos): money received before there is a sale, IVA included (contract §7).

use rust_decimal::{Decimal, RoundingStrategy};

use super::cfdi::Line;
use super::credit_note::CreditLine;
use super::line::{self, VatRate};
use super::money::Money;
use super::quantity::Quantity;
use super::sale::Amounts;

/// The description on the document of an advance (cfdi guide, "Anticipos").
pub(crate) const WORDS: &str = "Anticipo del bien o servicio";
/// `c_FormaPago`: the application of an advance.
pub(crate) const FORM: &str = "30";

/// Splits an amount that includes its IVA: the amount without IVA is rounded half-up and the IVA is
/// the remainder, so that both add up to the cent. `None` if the amount has more than 18 digits.
pub(crate) fn amounts(importe: Money, rate: Option<VatRate>) -> Option<Amounts> {
    let rate = match rate {
        Some(VatRate::Rate(rate)) => rate,
        Some(VatRate::Exempt) | None => Decimal::ZERO,
    };
    let exact = importe.get().checked_div(Decimal::ONE.checked_add(rate)?)?;
    let base = line::amount(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))?;
    let iva = line::amount(importe.get() - base.get())?;
    Some(Amounts { subtotal: base, iva, total: line::amount(importe.get())?, ..Amounts::default() })
}

/// The line of the credit note that applies `importe` of an advance; `of` is the advance's own
/// line.
pub(crate) fn applied(of: &Line, importe: Money) -> Option<CreditLine> {
    let amounts = amounts(importe, of.rates.iva_tasa)?;
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
            let found = amounts(importe, rate).unwrap();
            prop_assert_eq!(found.total, importe);
            prop_assert_eq!(found.subtotal.get() + found.iva.get(), importe.get());
            if let Some(VatRate::Rate(rate)) = rate {
                prop_assert!(line::fits(found.iva, found.subtotal.get(), rate), "{:?}", found);
            }
        }
    }
}
