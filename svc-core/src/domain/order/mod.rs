//! The fulfilment of orders (`order.fulfil`).

mod division;

use rust_decimal::Decimal;

use super::line;
use super::money::Money;
use super::quantity::Quantity;
use super::words::Fulfilment;
use crate::error::{Code, Error};

pub(crate) use division::divide;
pub use division::{LinePart, OrderPart, PricedLine};

/// A line of an order to be fulfilled.
#[derive(Debug, Clone)]
pub struct FulfilmentLine {
    /// Its number in the order.
    pub renglon: i64,
    /// How many were ordered.
    pub cantidad: Quantity,
    /// How many were delivered; in an imported order it may be more than were ordered.
    pub cantidad_surtida: Quantity,
    /// What the whole line comes to, taxes included.
    pub total: Money,
}

/// An order after a delivery.
#[derive(Debug, Clone)]
pub(crate) struct Handover {
    /// The lines, with the quantities of this delivery added.
    pub lines: Vec<FulfilmentLine>,
    /// How far it is fulfilled.
    pub fulfilment: Fulfilment,
    /// The value delivered so far: of each line the proportional part of its total, rounded
    /// half-up.
    pub monto_surtido: Money,
}

/// Adds the quantities of `given`, by line number, to those delivered; refuses more than what is
/// left of a line.
pub(crate) fn hand_over(
    mut lines: Vec<FulfilmentLine>,
    given: &[(i64, Quantity)],
    total: Money,
) -> Result<Handover, Error> {
    for (at, (renglon, cantidad)) in given.iter().enumerate() {
        let refused =
            |field: &str, text: &str| Err(Error::field(Code::DatoInvalido, &format!("renglones[{at}].{field}"), text));
        let Some(line) = lines.iter_mut().find(|line| line.renglon == *renglon) else {
            return refused("renglon", "el pedido no tiene ese renglón");
        };
        let handed = line.cantidad_surtida.get() + cantidad.get();
        if handed > line.cantidad.get() {
            return refused("cantidad", "es más de lo que falta por surtir");
        }
        line.cantidad_surtida = Quantity::new(handed);
    }
    // In an imported order more may have been delivered than ordered.
    let whole = lines.iter().all(|line| line.cantidad_surtida >= line.cantidad);
    let part = |line: &FulfilmentLine| {
        line::share(line.total, Money::new(line.cantidad_surtida.get()), Money::new(line.cantidad.get())).get()
    };
    let worth: Decimal = lines.iter().map(part).sum();
    Ok(Handover {
        fulfilment: if whole { Fulfilment::Surtido } else { Fulfilment::Parcial },
        monto_surtido: if whole { total } else { Money::new(worth) },
        lines,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    fn quantity(text: &str) -> Quantity {
        Quantity::new(text.parse().unwrap())
    }

    /// An order's lines: how many were ordered and delivered, and what the line comes to.
    fn ordered(lines: &[(&str, &str, &str)]) -> Vec<FulfilmentLine> {
        let line = |(renglon, (cantidad, surtida, total)): (i64, &(&str, &str, &str))| FulfilmentLine {
            renglon,
            cantidad: quantity(cantidad),
            cantidad_surtida: quantity(surtida),
            total: money(total),
        };
        (1..).zip(lines).map(line).collect()
    }

    #[test]
    fn what_is_handed_over_is_worth_its_part_of_each_line() {
        let order = || ordered(&[("3", "0", "10.00"), ("2.5", "0.5", "1.00")]);
        for (given, fulfilment, worth, left) in [
            // 10 × 1/3 = 3.33…, 1 × 0.5/2.5 = 0.20
            (&[(1, "1")][..], Fulfilment::Parcial, "3.53", ["2", "2"]),
            (&[(1, "2")], Fulfilment::Parcial, "6.87", ["1", "2"]),
            (&[(1, "1"), (2, "0.5"), (1, "1")], Fulfilment::Parcial, "7.07", ["1", "1.5"]),
            (&[(1, "3")], Fulfilment::Parcial, "10.20", ["0", "2"]),
            (&[(2, "2"), (1, "3")], Fulfilment::Surtido, "11.00", ["0", "0"]),
            (&[], Fulfilment::Parcial, "0.20", ["3", "2"]),
        ] {
            let given: Vec<_> = given.iter().map(|(renglon, cantidad)| (*renglon, quantity(cantidad))).collect();
            let after = hand_over(order(), &given, money("11.00")).unwrap();
            assert_eq!((after.fulfilment, after.monto_surtido.to_string().as_str()), (fulfilment, worth), "{given:?}");
            let rest = after.lines.iter().map(|line| line.cantidad.get() - line.cantidad_surtida.get());
            assert_eq!(rest.collect::<Vec<_>>(), left.map(|left| quantity(left).get()), "{given:?}");
        }
    }

    #[test]
    fn a_whole_order_is_worth_its_total_whatever_its_parts_are_rounded_to() {
        // Each third of a line is 0.333…; the document's total has withholdings, which no line
        // shows.
        let order = ordered(&[("3", "2", "1.00"), ("0", "0", "0.00"), ("1", "2", "5.00")]);
        let after = hand_over(order, &[(1, quantity("1"))], money("5.40")).unwrap();
        assert_eq!((after.fulfilment, after.monto_surtido.to_string().as_str()), (Fulfilment::Surtido, "5.40"));
    }

    #[test]
    fn no_more_is_handed_over_than_is_left() {
        let order = || ordered(&[("3", "1", "10.00"), ("1", "1", "1.00")]);
        for (given, field) in [
            (&[(1, "2.000001")][..], "renglones[0].cantidad"),
            (&[(1, "1"), (1, "1.5")], "renglones[1].cantidad"),
            (&[(1, "1"), (2, "0.000001")], "renglones[1].cantidad"),
            (&[(3, "1")], "renglones[0].renglon"),
            (&[(1, "1"), (0, "1")], "renglones[1].renglon"),
        ] {
            let given: Vec<_> = given.iter().map(|(renglon, cantidad)| (*renglon, quantity(cantidad))).collect();
            let error = hand_over(order(), &given, money("11")).unwrap_err();
            assert_eq!(error.code(), Code::DatoInvalido, "{given:?}");
            assert!(error.mensaje().starts_with(&format!("{field}: ")), "{given:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn an_order_handed_over_bit_by_bit_ends_whole(
            lines in prop::collection::vec((1_i64..1_000_000, 0_i64..10_000_000, 1_i64..5), 1..8)
        ) {
            let mut order: Vec<FulfilmentLine> = (1..).zip(&lines).map(|(renglon, (cantidad, total, _))| FulfilmentLine {
                renglon,
                cantidad: Quantity::new(Decimal::new(*cantidad, 3)),
                cantidad_surtida: Quantity::default(),
                total: Money::new(Decimal::new(*total, 2)),
            }).collect();
            let total = Money::new(order.iter().map(|line| line.total.get()).sum());
            let mut worth = Money::default();
            for (at, (cantidad, _, parts)) in lines.iter().enumerate() {
                for part in 0..*parts {
                    let bit = Decimal::new(cantidad * (part + 1) / parts - cantidad * part / parts, 3);
                    if bit.is_zero() {
                        continue;
                    }
                    let renglon = order[at].renglon;
                    let after = hand_over(order, &[(renglon, Quantity::new(bit))], total).unwrap();
                    prop_assert!(after.monto_surtido >= worth && after.monto_surtido <= total);
                    worth = after.monto_surtido;
                    let last = at + 1 == lines.len() && part + 1 == *parts;
                    prop_assert_eq!(after.fulfilment == Fulfilment::Surtido, last);
                    order = after.lines;
                }
            }
            prop_assert_eq!(worth, total);
        }
    }
}
