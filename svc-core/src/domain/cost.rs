//! Weighted average cost of a product in the company (contract §12): the value of its stock in
//! cents, and how movements change it.

use rust_decimal::{Decimal, RoundingStrategy};

use super::line;
use super::money::Money;
use super::quantity::{Balance, Quantity};
use super::stock::{IncomingCost, StockMovement, cost_of};

/// The limit of quantities, values and unit costs: 18 digits before the decimal point.
const MAX: Decimal = Decimal::from_parts(0xA764_0000, 0x0DE0_B6B3, 0, false, 0);

/// What a company holds of a product in all its warehouses, and what that is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductValue {
    /// The clave in `productos`.
    pub producto: i64,
    /// Stock in all warehouses; negative if more was sold than there was.
    pub existencia: Quantity,
    /// The value of that stock in pesos, as negative as the stock.
    pub valor: Balance,
    /// The last known cost of one unit: the average after the last entry.
    pub ultimo: Option<Money>,
    /// The cost of one unit according to the product's own data.
    pub costo: Money,
}

/// What a movement of goods is worth, in pesos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Valuation {
    /// The cost of one unit.
    pub(crate) costo_unitario: Money,
    /// The cost of all units.
    pub(crate) importe: Money,
    /// By how much more than `importe` the stock's value changed: units sold below zero turned out
    /// to cost something else.
    pub(crate) ajuste: Decimal,
}

impl ProductValue {
    /// Applies a movement that changes the stock of a warehouse by `more`. `None`, without any
    /// change, if an amount exceeds 18 digits.
    pub(crate) fn moved(&mut self, movement: &StockMovement, more: Decimal) -> Option<Valuation> {
        if movement.tipo.is_transfer() || more.is_zero() {
            self.worth(movement)
        } else if more.is_sign_negative() {
            self.leave(Quantity::new(-more))
        } else {
            self.enter(Quantity::new(more), movement.costo)
        }
    }

    /// Adds stock that another company's books value at `valor`, and the cost of one unit that was
    /// known there. `None`, without any change, if an amount exceeds 18 digits, or if stock and
    /// value are then on different sides.
    pub(crate) fn open(&mut self, more: Decimal, valor: Decimal, costo: Option<Money>) -> Option<()> {
        let (after, worth) = (self.existencia.get() + more, self.valor.get() + valor);
        let is_sided = worth.is_zero() || !after.is_zero() && worth.is_sign_negative() == after.is_sign_negative();
        if !is_sided {
            return None;
        }
        let average = || if after > Decimal::ZERO { unit(worth, after) } else { None };
        let ultimo = costo.or_else(average).or(self.ultimo);
        self.keep(after, worth, ultimo)
    }

    /// Adds goods. They first make up for units sold below zero. `None`, without any change, if
    /// an amount exceeds 18 digits.
    fn enter(&mut self, cantidad: Quantity, costo: IncomingCost) -> Option<Valuation> {
        let (there, before) = (self.existencia.get(), self.valor.get());
        let after = there + cantidad.get();
        let short = (-there).max(Decimal::ZERO).min(cantidad.get());
        // What leaves the books with those units, which left at this value.
        let owed = share(-before, short, -there);
        let importe = match costo {
            IncomingCost::Each(unit) => cost_of(cantidad, unit)?,
            IncomingCost::Whole(importe) => importe,
            IncomingCost::Average if there > Decimal::ZERO => proportion(before, cantidad.get(), there)?,
            IncomingCost::Average => {
                let rest = Quantity::new(cantidad.get() - short);
                Money::new(owed + cost_of(rest, self.last())?.get())
            }
        };
        let costo_unitario = match costo {
            IncomingCost::Each(unit) => unit,
            IncomingCost::Average if cost_of(cantidad, self.known()) == Some(importe) => self.known(),
            _ => unit(importe.get(), cantidad.get())?,
        };
        let valor = if short.is_zero() {
            before + importe.get()
        } else if after <= Decimal::ZERO {
            before + owed
        } else if costo == IncomingCost::Average {
            importe.get() - owed
        } else {
            importe.get() - share(importe.get(), short, cantidad.get())
        };
        let ultimo = if after > Decimal::ZERO {
            Some(unit(valor, after)?)
        } else if costo == IncomingCost::Average {
            self.ultimo
        } else {
            Some(costo_unitario)
        };
        self.keep(after, valor, ultimo)?;
        Some(Valuation { costo_unitario, importe, ajuste: valor - before - importe.get() })
    }

    /// Takes goods at the average; those that are not there leave at the last known cost. `None`,
    /// without any change, if an amount exceeds 18 digits.
    fn leave(&mut self, cantidad: Quantity) -> Option<Valuation> {
        let (there, before) = (self.existencia.get(), self.valor.get());
        let held = cantidad.get().min(there.max(Decimal::ZERO));
        let missing = Quantity::new(cantidad.get() - held);
        let beyond = cost_of(missing, self.last())?;
        let importe = line::amount(share(before, held, there) + beyond.get())?;
        let at_one_cost = held == cantidad.get() || there <= Decimal::ZERO;
        let costo_unitario = if at_one_cost { self.known() } else { unit(importe.get(), cantidad.get())? };
        self.keep(there - cantidad.get(), before - importe.get(), self.ultimo)?;
        Some(Valuation { costo_unitario, importe, ajuste: Decimal::ZERO })
    }

    /// The recorded worth of goods that move without changing the stock's value.
    fn worth(&self, movement: &StockMovement) -> Option<Valuation> {
        let costo_unitario = match movement.costo {
            IncomingCost::Each(unit) => unit,
            _ => self.known(),
        };
        Some(Valuation { costo_unitario, importe: cost_of(movement.cantidad, costo_unitario)?, ajuste: Decimal::ZERO })
    }

    /// The cost of one unit: the average, or without stock the last known cost.
    fn known(&self) -> Money {
        let there = self.existencia.get();
        let average = if there > Decimal::ZERO { unit(self.valor.get(), there) } else { None };
        average.unwrap_or_else(|| self.last())
    }

    /// The average after the last entry, else the product's own cost. Dividing what is left would
    /// not do: its value was rounded to cents.
    fn last(&self) -> Money {
        self.ultimo.unwrap_or(self.costo)
    }

    fn keep(&mut self, existencia: Decimal, valor: Decimal, ultimo: Option<Money>) -> Option<()> {
        if existencia.abs() >= MAX || valor.abs() >= MAX {
            return None;
        }
        (self.existencia, self.valor, self.ultimo) = (Quantity::new(existencia), Balance::new(valor), ultimo);
        Some(())
    }
}

/// `whole` × `part` ÷ `total` in cents, half-up; zero where there is nothing to share.
fn share(whole: Decimal, part: Decimal, total: Decimal) -> Decimal {
    line::share(Money::new(whole), Money::new(part), Money::new(total)).get()
}

/// Like [`share`], but `part` may be more than `total`.
fn proportion(whole: Decimal, part: Decimal, total: Decimal) -> Option<Money> {
    let exact = match whole.checked_mul(part) {
        Some(product) => product.checked_div(total)?,
        None => whole.checked_div(total)?.checked_mul(part)?,
    };
    line::amount(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
}

/// The cost of one of `units` units, to six decimals. `None` when it exceeds 18 digits.
fn unit(importe: Decimal, units: Decimal) -> Option<Money> {
    if units.is_zero() {
        return Some(Money::default());
    }
    let each = importe.checked_div(units)?.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero);
    (Decimal::ZERO..MAX).contains(&each).then(|| Money::new(each))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn quantity(text: &str) -> Quantity {
        Quantity::new(decimal(text))
    }

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    /// Nothing in stock yet; the product's own cost is 7.
    fn new() -> ProductValue {
        ProductValue {
            producto: 1,
            existencia: Quantity::default(),
            valor: Balance::default(),
            ultimo: None,
            costo: money("7"),
        }
    }

    fn each(text: &str) -> IncomingCost {
        IncomingCost::Each(money(text))
    }

    /// Unit cost, amount and difference of a movement, and quantity and value after it.
    fn seen(value: &ProductValue, moved: Option<Valuation>) -> String {
        let moved = moved.unwrap();
        format!(
            "{} {} {} | {} {}",
            moved.costo_unitario,
            moved.importe,
            moved.ajuste.normalize(),
            value.existencia,
            value.valor.get().normalize()
        )
    }

    #[test]
    fn goods_leave_at_the_average_and_the_last_takes_the_rest() {
        let mut value = new();
        let moved = value.enter(quantity("2"), each("3"));
        assert_eq!(seen(&value, moved), "3.00 6.00 0 | 2 6");
        let moved = value.enter(quantity("1"), each("4"));
        assert_eq!(seen(&value, moved), "4.00 4.00 0 | 3 10");
        for expected in ["3.333333 3.33 0 | 2 6.67", "3.335 3.34 0 | 1 3.33", "3.33 3.33 0 | 0 0"] {
            let moved = value.leave(quantity("1"));
            assert_eq!(seen(&value, moved), expected);
        }
        assert_eq!(value.ultimo, Some(money("3.333333")));
    }

    #[test]
    fn goods_without_a_cost_come_at_the_average_else_the_last_cost_else_their_own() {
        let mut value = new();
        let moved = value.enter(quantity("2"), IncomingCost::Average);
        assert_eq!(seen(&value, moved), "7.00 14.00 0 | 2 14");
        value.enter(quantity("2"), each("8")).unwrap();
        let moved = value.enter(quantity("10"), IncomingCost::Average);
        assert_eq!(seen(&value, moved), "7.50 75.00 0 | 14 105");
        value.leave(quantity("14")).unwrap();
        let moved = value.enter(quantity("0.5"), IncomingCost::Average);
        assert_eq!(seen(&value, moved), "7.50 3.75 0 | 0.5 3.75");
    }

    #[test]
    fn what_is_sold_below_zero_leaves_at_the_last_cost_and_the_next_entry_settles_it() {
        let mut value = new();
        value.enter(quantity("2"), each("20")).unwrap();
        let moved = value.leave(quantity("5"));
        assert_eq!(seen(&value, moved), "20.00 100.00 0 | -3 -60");
        // One of three, and then the rest with two more.
        let moved = value.clone().enter(quantity("1"), each("30"));
        assert_eq!(moved.unwrap().ajuste, decimal("-10"));
        let moved = value.enter(quantity("5"), each("30"));
        assert_eq!(seen(&value, moved), "30.00 150.00 -30 | 2 60");
        let mut value = new();
        let moved = value.leave(quantity("1"));
        assert_eq!(seen(&value, moved), "7.00 7.00 0 | -1 -7");
        // A count comes at what they left at, and beyond them at the last cost.
        let moved = value.enter(quantity("3"), IncomingCost::Average);
        assert_eq!(seen(&value, moved), "7.00 21.00 0 | 2 14");
        value.leave(quantity("4")).unwrap();
        value.ultimo = Some(money("10"));
        let moved = value.enter(quantity("3"), IncomingCost::Average);
        assert_eq!(seen(&value, moved), "8.00 24.00 0 | 1 10");
    }

    #[test]
    fn goods_return_at_what_they_left_at() {
        let mut value = new();
        value.enter(quantity("3"), each("10")).unwrap();
        value.leave(quantity("2")).unwrap();
        value.enter(quantity("1"), each("20")).unwrap();
        let moved = value.enter(quantity("2"), IncomingCost::Whole(money("20")));
        assert_eq!(seen(&value, moved), "10.00 20.00 0 | 4 50");
    }

    #[test]
    fn stock_of_other_books_comes_at_its_value_and_last_cost() {
        let mut value = new();
        value.open(decimal("3"), decimal("10"), Some(money("4"))).unwrap();
        assert_eq!((value.valor.get(), value.ultimo), (decimal("10"), Some(money("4"))));
        value.open(decimal("-3"), decimal("-10"), None).unwrap();
        assert_eq!((value.existencia.get(), value.valor.get()), (decimal("0"), decimal("0")));
        value.open(decimal("-1"), decimal("-4"), None).unwrap();
        assert_eq!((value.valor.get(), value.ultimo), (decimal("-4"), Some(money("4"))));
        assert_eq!(value.open(decimal("2"), decimal("3"), None), None);
        assert_eq!(value.open(decimal("0"), decimal("5"), None), None, "a value without goods");
        assert_eq!(value.open(decimal("1"), decimal("999999999999999999"), None), None);
        assert_eq!(value.existencia.get(), decimal("-1"));
    }

    #[test]
    fn nothing_beyond_18_digits_is_kept() {
        let mut value = new();
        let before = value.clone();
        assert_eq!(value.enter(quantity("999999999999999"), each("999999999999999999")), None);
        assert_eq!(value.leave(quantity("1")).map(|moved| moved.importe), Some(money("7")));
        value = before.clone();
        value.costo = money("999999999999999999.999999");
        assert_eq!(value.leave(quantity("999999999999999")), None);
        assert_eq!((value.existencia, value.valor), (before.existencia, before.valor));
        value.enter(quantity("0.000001"), each("99999999999999999")).unwrap();
        assert!(value.leave(quantity("0.000001")).is_some());
    }

    #[test]
    fn the_limit_is_18_digits() {
        assert_eq!(MAX, Decimal::from(10_i64.pow(18)));
    }
}
