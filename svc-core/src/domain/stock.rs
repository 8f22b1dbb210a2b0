//! Stock and its movements (spec, "Stock record" and "Inventory movement").

use std::cmp::Ordering;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;
use serde::de::value::{self, StrDeserializer};

use super::money::Money;
use super::quantity::Quantity;
use super::words::{Direction, MovementKind};
use crate::error::{Code, Error};

/// The quantity that can be sold: stock less the absolute value of the reservation, and never below
/// `minimo`.
pub(crate) fn available(existencia: Quantity, apartado: Quantity, minimo: Quantity) -> Quantity {
    Quantity::new((existencia.get() - apartado.get().abs()).max(minimo.get()))
}

impl MovementKind {
    /// The kind of that word; `None` for others.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::deserialize(StrDeserializer::<value::Error>::new(word)).ok()
    }

    /// Whether it adds to stock or takes from it (contract §3, "`sentido`"). `None` if it sets the
    /// stock, or an earlier movement took it.
    pub(crate) const fn direction(self) -> Option<Direction> {
        match self {
            Self::Registro
            | Self::TraspasoEntrada
            | Self::AjusteEntrada
            | Self::Compra
            | Self::CancelacionVenta
            | Self::DevolucionNotaCredito
            | Self::Produccion
            | Self::Devolucion => Some(Direction::Entrada),
            Self::TraspasoSalida
            | Self::AjusteSalida
            | Self::CancelacionCompra
            | Self::Venta
            | Self::CancelacionNotaCredito
            | Self::OrdenServicio
            | Self::Merma => Some(Direction::Salida),
            Self::SaldoInicial | Self::SalidaEmbarque => None,
        }
    }

    /// Whether it moves goods between two warehouses, which changes no value.
    pub(crate) const fn is_transfer(self) -> bool {
        matches!(self, Self::TraspasoSalida | Self::TraspasoEntrada)
    }

    /// Whether goods leave because somebody wants them, as opposed to a record of what has already
    /// happened to them (a loss, a count, a return).
    pub(crate) const fn takes_goods_for_use(self) -> bool {
        matches!(self, Self::TraspasoSalida | Self::Venta | Self::OrdenServicio)
    }

    /// The stock after a movement of `cantidad`.
    pub(crate) fn stock_after(self, before: Quantity, cantidad: Quantity) -> Quantity {
        match (self, self.direction()) {
            (_, Some(Direction::Entrada)) => Quantity::new(before.get() + cantidad.get()),
            (_, Some(Direction::Salida)) => Quantity::new(before.get() - cantidad.get()),
            (Self::SaldoInicial, None) => cantidad,
            (_, None) => before,
        }
    }
}

/// The stock of a product in a warehouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// The stock record's clave.
    pub clave: i64,
    /// The clave of the product.
    pub producto: i64,
    /// What the warehouse holds, reserved units included; negative if more has left than there was.
    pub existencia: Quantity,
    /// What is reserved, by orders or by hand, signed; its absolute value is not for sale.
    pub apartado: Quantity,
}

/// A change to the stock of a product in a warehouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StockChange {
    /// The clave of the product.
    pub producto: i64,
    /// Its SKU, for the ledger.
    pub sku: Option<String>,
    /// The movement; `None` if only the reservation changes.
    pub movement: Option<StockMovement>,
    /// The change of the reserved quantity.
    pub apartado: Quantity,
}

/// What incoming goods cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IncomingCost {
    /// Not stated: they come in at the average.
    #[default]
    Average,
    /// In pesos for one unit.
    Each(Money),
    /// In pesos for all of them.
    Whole(Money),
}

/// A movement of stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockMovement {
    /// What happened, which decides whether `cantidad` is added, taken, or the new stock.
    pub tipo: MovementKind,
    /// The quantity; never negative.
    pub cantidad: Quantity,
    /// What the goods cost if they come in; what goes out leaves at the average.
    pub costo: IncomingCost,
}

impl Holding {
    /// Applies the change and returns the stock before it. `None`, without any change, if the stock
    /// would exceed 18 digits. A document releases no more than is reserved: an imported order may
    /// have reserved nothing.
    #[must_use]
    pub(crate) fn change(&mut self, change: &StockChange, by_document: bool) -> Option<Quantity> {
        // Quantities are stored with at most 18 digits before the decimal point.
        let kept = |value: Decimal| (value.abs() < Decimal::from(10_i64.pow(18))).then(|| Quantity::new(value));
        let before = self.existencia;
        let after = change.movement.map_or(before, |movement| movement.tipo.stock_after(before, movement.cantidad));
        let mut apartado = self.apartado.get() + change.apartado.get();
        if by_document && change.apartado.get().is_sign_negative() {
            apartado = apartado.max(self.apartado.get().min(Decimal::ZERO));
        }
        let (existencia, apartado) = (kept(after.get())?, kept(apartado)?);
        (self.existencia, self.apartado) = (existencia, apartado);
        Some(before)
    }
}

/// Validates a movement entered by hand (400): its kind and quantity, and that a transfer, and
/// nothing else, names the other warehouse. The entry there is only written together with the exit.
pub(crate) fn validate_entered(tipo: MovementKind, cantidad: Quantity, names_destination: bool) -> Result<(), Error> {
    let invalid = |field, text| Err(Error::field(Code::DatoInvalido, field, text));
    let transfer = tipo == MovementKind::TraspasoSalida;
    match cantidad.get().cmp(&Decimal::ZERO) {
        Ordering::Less => return invalid("cantidad", "no puede ser negativa"),
        Ordering::Equal if tipo != MovementKind::SaldoInicial => return invalid("cantidad", "debe ser mayor que cero"),
        _ => {}
    }
    match (tipo, names_destination) {
        (MovementKind::TraspasoEntrada, _) => {
            invalid("tipo", "la entrada de un traspaso la escribe su traspaso_salida")
        }
        (_, false) if transfer => {
            Err(Error::field(Code::DatoRequerido, "almacen_destino", "hace falta en un traspaso"))
        }
        (_, true) if !transfer => invalid("almacen_destino", "solo va en un traspaso_salida"),
        _ => Ok(()),
    }
}

/// The cost of `cantidad` units, rounded half-up to two decimals; `None` when it exceeds 18 digits.
pub(crate) fn cost_of(cantidad: Quantity, costo_unitario: Money) -> Option<Money> {
    let exact = cantidad.get().checked_mul(costo_unitario.get())?;
    let amount = exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    // 18 digits before the decimal point (contract §1).
    (amount < Decimal::from(10_i64.pow(18))).then(|| Money::new(amount))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Quantity {
        Quantity::new(text.parse().unwrap())
    }

    #[test]
    fn a_reservation_takes_whichever_its_sign_down_to_the_floor() {
        for (existencia, apartado, minimo, disponible) in [
            ("10", "3", "0", "7"),
            ("10", "-3", "0", "7"),
            ("10", "12", "0", "0"),
            ("10", "-8.5", "2", "2"),
            ("-4", "0", "0", "0"),
            ("-4", "1", "-10", "-5"),
            ("0.000001", "0", "0", "0.000001"),
        ] {
            let shown = available(quantity(existencia), quantity(apartado), quantity(minimo));
            assert_eq!(shown, quantity(disponible), "{existencia} {apartado} {minimo}");
        }
    }

    #[test]
    fn every_kind_is_read_back_and_moves_stock_its_way() {
        let (mut added, mut taken, mut neither) = (0, 0, Vec::new());
        for word in MovementKind::WORDS {
            let kind = MovementKind::parse(word).unwrap();
            assert_eq!(kind.word(), *word);
            let after = kind.stock_after(quantity("10"), quantity("4"));
            match kind.direction() {
                Some(Direction::Entrada) => added += i32::from(after == quantity("14")),
                Some(Direction::Salida) => taken += i32::from(after == quantity("6")),
                None => neither.push((*word, after.to_string())),
            }
        }
        assert_eq!((added, taken), (8, 7));
        assert_eq!(neither, [("saldo_inicial", "4".to_owned()), ("salida_embarque", "10".to_owned())]);
        assert_eq!(MovementKind::parse("desconocido"), None);
    }

    #[test]
    fn a_holding_keeps_its_books_and_its_bounds() {
        let mut held = Holding { clave: 1, producto: 1, existencia: quantity("10"), apartado: quantity("4") };
        let sold = StockMovement { tipo: MovementKind::Venta, cantidad: quantity("4"), costo: IncomingCost::default() };
        let change =
            |movement, apartado| StockChange { producto: 1, sku: None, movement, apartado: quantity(apartado) };
        assert_eq!(held.change(&change(Some(sold), "-4"), true), Some(quantity("10")));
        assert_eq!((held.existencia, held.apartado), (quantity("6"), quantity("0")));
        assert_eq!(held.change(&change(None, "2.5"), true), Some(quantity("6")));
        assert_eq!((held.existencia, held.apartado), (quantity("6"), quantity("2.5")));
        assert_eq!(held.change(&change(None, "-3"), true), Some(quantity("6")));
        assert_eq!(held.apartado, quantity("0"), "a document releases what is reserved");
        assert_eq!(held.change(&change(None, "-3"), false), Some(quantity("6")));
        assert_eq!(held.change(&change(None, "-3"), true), Some(quantity("6")));
        assert_eq!(held.apartado, quantity("-3"), "somebody released more");
        let before = held.clone();
        for _ in 0..999 {
            assert!(held.change(&change(None, "999999999999999"), true).is_some());
        }
        held = before.clone();
        held.apartado = quantity("999999999999999999");
        assert_eq!(held.change(&change(Some(sold), "1"), true), None);
        assert_eq!(held.existencia, before.existencia, "nothing of it");
    }

    #[test]
    fn an_entered_movement_has_a_quantity_and_a_transfer_its_destination() {
        use MovementKind as Kind;
        for (tipo, cantidad, destination, outcome) in [
            (Kind::AjusteEntrada, "1", false, Ok(())),
            (Kind::AjusteEntrada, "0", false, Err("cantidad: ")),
            (Kind::AjusteEntrada, "-1", false, Err("cantidad: ")),
            (Kind::AjusteEntrada, "1", true, Err("almacen_destino: ")),
            (Kind::SaldoInicial, "0", false, Ok(())),
            (Kind::SaldoInicial, "-0.000001", false, Err("cantidad: ")),
            (Kind::TraspasoSalida, "1", true, Ok(())),
            (Kind::TraspasoSalida, "1", false, Err("almacen_destino: ")),
            (Kind::TraspasoEntrada, "1", false, Err("tipo: ")),
            (Kind::TraspasoEntrada, "1", true, Err("tipo: ")),
        ] {
            let result = validate_entered(tipo, quantity(cantidad), destination);
            match (result, outcome) {
                (Ok(()), Ok(())) => {}
                (Err(error), Err(said)) if error.mensaje().starts_with(said) => {}
                (result, _) => panic!("{tipo:?} {cantidad} {destination}: {result:?}"),
            }
        }
    }

    #[test]
    fn a_cost_is_rounded_half_up_and_bounded() {
        let cost = |units, each| cost_of(quantity(units), Money::parse(each).unwrap()).map(|cost| cost.to_string());
        assert_eq!(cost("3", "0.335"), Some("1.01".to_owned()));
        assert_eq!(cost("1", "0.005"), Some("0.01".to_owned()));
        assert_eq!(cost("0", "12.5"), Some("0.00".to_owned()));
        assert_eq!(cost("1", "999999999999999999.99"), Some("999999999999999999.99".to_owned()));
        assert_eq!(cost("1", "999999999999999999.999"), None);
        assert_eq!(cost("999999999999999.999999", "999999999999999999.999999"), None);
    }
}
