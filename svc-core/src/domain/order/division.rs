//! Splitting an order that is delivered in part: the delivered part is invoiced, and the order
//! keeps the rest.

use rust_decimal::Decimal;

use crate::domain::line;
use crate::domain::line_details::LineDetails;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sale::{AmountFault, Amounts};
use crate::domain::tax::LineRates;

/// A line of an order with everything that determines its amounts.
#[derive(Debug, Clone)]
pub struct PricedLine {
    /// Its number in the order.
    pub renglon: i64,
    /// How many were ordered.
    pub cantidad: Quantity,
    /// How many were delivered; in an imported order it may be more than were ordered.
    pub cantidad_surtida: Quantity,
    /// The price of one, before IVA and IEPS.
    pub precio_unitario: Money,
    /// Discount on the line.
    pub descuento: Money,
    /// The rates of its taxes.
    pub rates: LineRates,
    /// Its local taxes, and what its tax document says besides.
    pub details: LineDetails,
    /// What all of it comes to.
    pub amounts: Amounts,
}

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePart {
    /// The line's number in the order.
    pub renglon: i64,
    /// Units in this part; more than zero.
    pub cantidad: Quantity,
    /// The amounts of the part.
    pub amounts: Amounts,
}

/// A part of an order: its lines and their sums.
#[derive(Debug, Clone, Default)]
pub struct OrderPart {
    /// The parts of lines, each with a quantity.
    pub lines: Vec<LinePart>,
    /// The sums of the lines.
    pub amounts: Amounts,
}

/// Splits the lines of an order into the delivered and the remaining part. The discount is divided
/// by quantity, rounded half-up. Amounts follow from it as in any document, so both parts together
/// may differ from the whole by cents.
pub(crate) fn divide(lines: &[PricedLine]) -> Result<(OrderPart, OrderPart), AmountFault> {
    let (mut handed, mut left) = (Vec::new(), Vec::new());
    for line in lines {
        let given = line.cantidad_surtida.get().min(line.cantidad.get());
        let discount = line::share(line.descuento, Money::new(given), Money::new(line.cantidad.get()));
        handed.extend(part(line, given, discount.get())?);
        left.extend(part(line, line.cantidad.get() - given, line.descuento.get() - discount.get())?);
    }
    Ok((whole(handed)?, whole(left)?))
}

fn part(line: &PricedLine, cantidad: Decimal, descuento: Decimal) -> Result<Option<LinePart>, AmountFault> {
    if cantidad <= Decimal::ZERO {
        return Ok(None);
    }
    let cantidad = Quantity::new(cantidad);
    if cantidad == line.cantidad {
        return Ok(Some(LinePart { renglon: line.renglon, cantidad, amounts: line.amounts }));
    }
    let subtotal = line::subtotal(cantidad, line.precio_unitario).ok_or(AmountFault::TooLarge)?;
    // Rounding may leave a cent too much on a line that is all discount.
    let descuento = Money::new(descuento.min(subtotal.get()));
    let amounts = Amounts::of_line(cantidad, line.precio_unitario, descuento, &line.rates)?
        .with_local_taxes(line.details.impuestos_locales.as_ref())?;
    Ok(Some(LinePart { renglon: line.renglon, cantidad, amounts: with_unrated(line, cantidad, amounts)? }))
}

/// Adds the part of those taxes that an imported line has as an amount, without a rate.
fn with_unrated(line: &PricedLine, cantidad: Quantity, amounts: Amounts) -> Result<Amounts, AmountFault> {
    let PricedLine { rates, amounts: whole, .. } = line;
    let share = |amount: Decimal| {
        line::share(Money::new(amount), Money::new(cantidad.get()), Money::new(line.cantidad.get())).get()
    };
    let unrated = |rated: bool, own: Money, whole: Money| if rated { own } else { Money::new(share(whole.get())) };
    let withholds = rates.retencion_isr.or(rates.retencion_iva).is_some();
    let own_withheld = Money::new(amounts.retenciones.get() - amounts.locales_retenidos.get());
    let whole_withheld = Money::new(whole.retenciones.get() - whole.locales_retenidos.get());
    let withheld = unrated(withholds, own_withheld, whole_withheld);
    Amounts {
        iva: unrated(rates.iva_tasa.is_some(), amounts.iva, whole.iva),
        ieps: unrated(rates.ieps().is_some(), amounts.ieps, whole.ieps),
        isr_retenido: unrated(withholds, amounts.isr_retenido, whole.isr_retenido),
        retenciones: Money::new(withheld.get() + amounts.locales_retenidos.get()),
        ..amounts
    }
    .with_total()
}

fn whole(lines: Vec<LinePart>) -> Result<OrderPart, AmountFault> {
    let amounts = Amounts::of_document(lines.iter().map(|line| &line.amounts))?;
    Ok(OrderPart { lines, amounts })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::line::VatRate;

    fn line(cantidad: i64, surtida: i64, precio: i64, descuento: i64) -> PricedLine {
        PricedLine {
            renglon: 1,
            cantidad: Quantity::new(Decimal::new(cantidad, 3)),
            cantidad_surtida: Quantity::new(Decimal::new(surtida, 3)),
            precio_unitario: Money::new(Decimal::new(precio, 4)),
            descuento: Money::new(Decimal::new(descuento, 2)),
            rates: LineRates::of_vat(VatRate::of_key("16")),
            details: LineDetails::default(),
            amounts: Amounts::default(),
        }
    }

    fn priced(line: &PricedLine) -> PricedLine {
        let amounts = Amounts::of_line(line.cantidad, line.precio_unitario, line.descuento, &line.rates).unwrap();
        PricedLine { amounts, ..line.clone() }
    }

    #[test]
    fn what_was_handed_over_takes_its_part_of_the_discount() {
        let (handed, left) =
            divide(&[line(10_000, 4_000, 1_000_000, 10_000), line(1_000, 0, 500_000, 0)].each_ref().map(priced))
                .unwrap();
        let shown = |part: &OrderPart| {
            let Amounts { subtotal, descuento, total, .. } = part.amounts;
            [subtotal, descuento, part.amounts.impuestos(), total].map(|amount| amount.to_string()).join(" ")
        };
        assert_eq!((handed.lines.len(), shown(&handed)), (1, "400.00 40.00 57.60 417.60".to_owned()));
        assert_eq!((left.lines.len(), shown(&left)), (2, "650.00 60.00 94.40 684.40".to_owned()));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_but_cents(
            lines in prop::collection::vec((1_i64..1_000_000, 0_u32..=1000, 0_i64..10_000_000, 0_u32..=100), 1..20)
        ) {
            let lines: Vec<PricedLine> = lines.into_iter().map(|(cantidad, part, precio, percent)| {
                let mut line = line(cantidad, cantidad * i64::from(part) / 1000, precio, 0);
                let subtotal = line::subtotal(line.cantidad, line.precio_unitario).unwrap().get();
                line.descuento = Money::new((subtotal * Decimal::new(percent.into(), 2)).round_dp(2).min(subtotal));
                priced(&line)
            }).collect();
            let (handed, left) = divide(&lines).unwrap();
            let quantity = |part: &OrderPart| part.lines.iter().map(|line| line.cantidad.get()).sum::<Decimal>();
            prop_assert_eq!(quantity(&handed) + quantity(&left), lines.iter().map(|line| line.cantidad.get()).sum());
            let whole = lines.iter().map(|line| {
                Amounts::of_line(line.cantidad, line.precio_unitario, line.descuento, &line.rates).unwrap().total.get()
            }).sum::<Decimal>();
            let apart = (handed.amounts.total.get() + left.amounts.total.get() - whole).abs();
            prop_assert!(apart <= Decimal::new(3, 2) * Decimal::from(lines.len()), "{apart}");
        }
    }
}
