//! Purchase orders: the amounts of their lines, and the receipt of goods.

use std::collections::HashMap;

use rust_decimal::{Decimal, RoundingStrategy};

use super::line::{self, VatRate};
use super::money::Money;
use super::quantity::{Quantity, Rate};
use super::sale::{AmountFault, Amounts};
use super::tax::LineRates;
use super::words::PurchaseStatus;
use crate::error::{Code, Error};

/// The amounts of a line without withholding: IVA is `iva` if given, otherwise `rate` of
/// the discounted subtotal with its IEPS.
pub(crate) fn line_amounts(
    cantidad: Quantity,
    costo: Money,
    descuento: Money,
    iva: Option<Money>,
    rate: Option<VatRate>,
    ieps: Money,
) -> Result<Amounts, AmountFault> {
    let untaxed = Amounts::of_line(cantidad, costo, descuento, &LineRates::default())?;
    let base = untaxed.subtotal.get() - descuento.get() + ieps.get();
    let iva = iva.or(line::vat(base, rate)).ok_or(AmountFault::TooLarge)?;
    Amounts { iva, ieps, ..untaxed }.with_total()
}

/// The amounts of a line with ISR and IVA withheld by the company: at most the amount before
/// taxes, and at most the IVA. Fails with the field and the reason.
pub(crate) fn withhold(line: Amounts, isr: Money, iva: Money) -> Result<Amounts, (&'static str, &'static str)> {
    if isr.get() > line.subtotal.get() - line.descuento.get() {
        return Err(("retencion_isr", "no puede ser más que el importe antes de impuestos"));
    }
    let too_much = ("retencion_iva", "no puede ser más que el iva");
    if iva > line.iva {
        return Err(too_much);
    }
    let retenciones = Money::new(isr.get() + iva.get());
    Amounts { retenciones, isr_retenido: isr, ..line }.with_total().map_err(|_: AmountFault| too_much)
}

/// A line of a purchase order to be received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedLine {
    /// The clave in `compras_renglones`.
    pub clave: i64,
    /// Its number in the order.
    pub renglon: i64,
    /// The product and its SKU; `None` for a line without stock.
    pub producto: Option<(i64, Option<String>)>,
    /// How many were ordered.
    pub cantidad: Quantity,
    /// How many have come.
    pub recibida: Quantity,
    /// What it costs before discount.
    pub subtotal: Money,
    /// What is taken off `subtotal` before taxes.
    pub descuento: Money,
    /// IEPS, which is part of the cost.
    pub ieps: Money,
}

/// A receipt of goods of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The line before the receipt.
    pub line: OrderedLine,
    /// The quantity received now; more than zero.
    pub cantidad: Quantity,
}

impl OrderedLine {
    /// How many have not come.
    fn pending(&self) -> Decimal {
        (self.cantidad.get() - self.recibida.get()).max(Decimal::ZERO)
    }
}

impl Arrival {
    /// The quantity received of the line, this receipt included.
    pub fn received(&self) -> Quantity {
        Quantity::new(self.line.recibida.get() + self.cantidad.get())
    }

    /// The cost of one unit in pesos: its part of the discounted line with its IEPS, to six
    /// decimals (half-up). `None` when it exceeds 18 digits, or nothing was ordered.
    pub(crate) fn unit_cost(&self, tipo_cambio: Rate) -> Option<Money> {
        let net = self.line.subtotal.get() - self.line.descuento.get() + self.line.ieps.get();
        let net = net.max(Decimal::ZERO);
        let pesos = net.checked_div(self.line.cantidad.get())?.checked_mul(tipo_cambio.get())?;
        let cost = pesos.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero);
        // 18 digits before the decimal point (contract §1).
        (cost < Decimal::from(10_i64.pow(18))).then(|| Money::new(cost))
    }
}

/// Refuses an order that is neither pending nor received in part.
pub(crate) fn validate_open(estatus: PurchaseStatus) -> Result<(), Error> {
    if matches!(estatus, PurchaseStatus::Pendiente | PurchaseStatus::Parcial) {
        return Ok(());
    }
    Err(Error::field(Code::EstadoInvalido, "compra", format_args!("la compra está {}", estatus.word())))
}

/// Receives the quantities of `requested` by line number, or all pending ones, of an order with
/// these lines. Gives the receipt of each line and the order's new status.
pub(crate) fn receive(
    estatus: PurchaseStatus,
    lines: Vec<OrderedLine>,
    requested: Option<&[(i64, Quantity)]>,
) -> Result<(Vec<Arrival>, PurchaseStatus), Error> {
    validate_open(estatus)?;
    let mut coming = match requested {
        None => lines.iter().map(|line| (line.renglon, line.pending())).collect(),
        Some(requested) => validate(&lines, requested)?,
    };
    let left: Decimal = lines.iter().map(OrderedLine::pending).sum::<Decimal>() - coming.values().sum::<Decimal>();
    let arrive = |line: OrderedLine| {
        let cantidad = coming.remove(&line.renglon).filter(|cantidad| *cantidad > Decimal::ZERO)?;
        Some(Arrival { line, cantidad: Quantity::new(cantidad) })
    };
    let arrivals = lines.into_iter().filter_map(arrive).collect();
    Ok((arrivals, if left.is_zero() { PurchaseStatus::Recibida } else { PurchaseStatus::Parcial }))
}

/// The quantities by line number; each line must be of the order, be named once and have that much
/// pending.
fn validate(lines: &[OrderedLine], requested: &[(i64, Quantity)]) -> Result<HashMap<i64, Decimal>, Error> {
    let pending: HashMap<i64, Decimal> = lines.iter().map(|line| (line.renglon, line.pending())).collect();
    let mut coming = HashMap::with_capacity(requested.len());
    for (at, (renglon, cantidad)) in requested.iter().enumerate() {
        let fault = |code, field: &str, text: &str| Err(Error::field(code, &format!("renglones[{at}].{field}"), text));
        let Some(max) = pending.get(renglon) else {
            return fault(Code::ReferenciaInvalida, "renglon", "no es un renglón de la compra");
        };
        if cantidad.get() > *max {
            return fault(Code::EstadoInvalido, "cantidad", &format!("quedan {} por recibir", max.normalize()));
        }
        if coming.insert(*renglon, cantidad.get()).is_some() {
            return fault(Code::DatoInvalido, "renglon", "está repetido");
        }
    }
    Ok(coming)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Quantity {
        Quantity::new(text.parse().unwrap())
    }

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    fn line(renglon: i64, cantidad: &str, recibida: &str) -> OrderedLine {
        OrderedLine {
            clave: 100 + renglon,
            renglon,
            producto: None,
            cantidad: quantity(cantidad),
            recibida: quantity(recibida),
            subtotal: money("100"),
            descuento: money("10"),
            ieps: Money::default(),
        }
    }

    #[test]
    fn iva_is_what_was_given_or_follows_from_the_rate() {
        let of = |iva: Option<&str>| {
            let rate = VatRate::of_key("16");
            let amounts =
                line_amounts(quantity("2"), money("50"), money("10"), iva.map(money), rate, Money::default()).unwrap();
            [amounts.subtotal, amounts.descuento, amounts.impuestos(), amounts.total].map(|amount| amount.to_string())
        };
        assert_eq!(of(None), ["100.00", "10.00", "14.40", "104.40"]);
        assert_eq!(of(Some("7.20")), ["100.00", "10.00", "7.20", "97.20"]);
        assert_eq!(of(Some("0")), ["100.00", "10.00", "0.00", "90.00"]);
        let amounts = |costo, descuento| {
            line_amounts(quantity("1"), money(costo), money(descuento), Some(money("1")), None, Money::default())
        };
        let too_much = amounts("999999999999999999", "0");
        assert_eq!(too_much, Err(AmountFault::TooLarge));
        let discount = amounts("1", "2");
        assert_eq!(discount, Err(AmountFault::DiscountAboveSubtotal));
    }

    #[test]
    fn ieps_is_charged_and_in_the_base_of_the_iva_and_what_is_withheld_is_not_owed() {
        let rate = VatRate::of_key("16");
        let line = line_amounts(quantity("10"), money("10"), money("0"), None, rate, money("8")).unwrap();
        assert_eq!([line.iva, line.ieps, line.total].map(|amount| amount.to_string()), ["17.28", "8.00", "125.28"]);
        let withheld = withhold(line, money("10"), money("10.67")).unwrap();
        assert_eq!(
            [withheld.retenciones, withheld.isr_retenido, withheld.total].map(|amount| amount.to_string()),
            ["20.67", "10.00", "104.61"]
        );
        for (isr, iva, field) in [("100.01", "0", "retencion_isr"), ("0", "17.29", "retencion_iva")] {
            assert_eq!(withhold(line, money(isr), money(iva)).unwrap_err().0, field);
        }
    }

    #[test]
    fn what_comes_makes_the_order_partial_or_received() {
        let lines = || vec![line(1, "10", "4"), line(2, "3", "3"), line(3, "0.5", "0")];
        let shown = |requested: Option<&[(i64, &str)]>| {
            let requested: Option<Vec<_>> = requested
                .map(|requested| requested.iter().map(|(renglon, count)| (*renglon, quantity(count))).collect());
            receive(PurchaseStatus::Parcial, lines(), requested.as_deref())
                .map(|(arrivals, estatus)| {
                    let arrivals: Vec<_> = arrivals
                        .iter()
                        .map(|arrival| {
                            (arrival.line.renglon, arrival.cantidad.to_string(), arrival.received().to_string())
                        })
                        .collect();
                    (arrivals, estatus.word())
                })
                .map_err(|error| (error.code(), error.mensaje().to_owned()))
        };
        let arrival = |renglon, count: &str, received: &str| (renglon, count.to_owned(), received.to_owned());
        let all = vec![arrival(1, "6", "10"), arrival(3, "0.5", "0.5")];
        assert_eq!(shown(None), Ok((all.clone(), "recibida")));
        assert_eq!(shown(Some(&[(3, "0.5"), (1, "6")])), Ok((all, "recibida")));
        assert_eq!(shown(Some(&[(1, "5.5")])), Ok((vec![arrival(1, "5.5", "9.5")], "parcial")));
        for (requested, code, said) in [
            (&[(1, "1"), (4, "1")][..], Code::ReferenciaInvalida, "renglones[1].renglon: "),
            (&[(1, "6.000001")], Code::EstadoInvalido, "renglones[0].cantidad: quedan 6 "),
            (&[(2, "1")], Code::EstadoInvalido, "renglones[0].cantidad: quedan 0 "),
            (&[(1, "1"), (1, "1")], Code::DatoInvalido, "renglones[1].renglon: "),
        ] {
            let (found, text) = shown(Some(requested)).unwrap_err();
            assert!(found == code && text.starts_with(said), "{requested:?}: {text}");
        }
    }

    #[test]
    fn only_an_order_under_way_is_received() {
        for estatus in [PurchaseStatus::Recibida, PurchaseStatus::Cancelada, PurchaseStatus::Desconocido] {
            let error = receive(estatus, vec![line(1, "1", "0")], None).unwrap_err();
            assert_eq!((error.code(), error.mensaje().split(':').next()), (Code::EstadoInvalido, Some("compra")));
        }
        // More was received than ordered, or nothing was ordered: nothing is pending.
        let nothing = receive(PurchaseStatus::Pendiente, vec![line(1, "1", "2"), line(2, "0", "0")], None).unwrap();
        assert_eq!(nothing, (Vec::new(), PurchaseStatus::Recibida));
    }

    #[test]
    fn a_unit_costs_its_part_of_the_line_in_pesos() {
        let cost = |cantidad: &str, rate: &str| {
            let arrival = Arrival { line: line(1, cantidad, "0"), cantidad: quantity("1") };
            arrival.unit_cost(Rate::new(rate.parse().unwrap())).map(|cost| cost.to_string())
        };
        assert_eq!(cost("4", "1").as_deref(), Some("22.50"));
        assert_eq!(cost("7", "1").as_deref(), Some("12.857143"));
        assert_eq!(cost("4", "17.5").as_deref(), Some("393.75"));
        assert_eq!(cost("0.000001", "999999999999.999999"), None);
    }
}
