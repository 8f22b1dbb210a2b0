//! Sales documents: prices and amounts of their lines (contract §4, "POST /ventas").

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};

use super::line::{self, IepsRate, VatRate};
use super::money::Money;
use super::quantity::Quantity;
use super::tax::{LineRates, Withholding};
use super::words::ProductKind;

pub(crate) use super::tax::AmountFault;
pub use super::tax::Amounts;

/// The company's default price list (contract §4).
pub(crate) const DEFAULT_PRICE_LIST: i64 = 1;

/// `c_ObjetoImp`: subject to tax. With the other keys no IVA is charged or shown.
const TAXED: &str = "02";

/// A product to be sold or bought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleProduct {
    /// The clave in `productos`.
    pub clave: i64,
    /// Its SKU; a product may have none.
    pub sku: Option<String>,
    /// The text of lines that state none; `None` for the SKU.
    pub descripcion: Option<String>,
    /// Whether it is for sale.
    pub activo: bool,
    /// What it is, which decides whether a warehouse can hold it.
    pub tipo: ProductKind,
    /// The name of its unit, such as `Pieza`.
    pub unidad: Option<String>,
    /// Its unit's key in the SAT's catalogue.
    pub unidad_sat: Option<String>,
    /// The SAT's product or service key.
    pub codigo_sat: String,
    /// The SAT's tax object key.
    pub objeto_impuesto: String,
    /// The API's key of its IVA when it is sold: `16`, `8`, `0` or `EX`.
    pub iva_venta: String,
    /// The API's key of its IVA when it is bought.
    pub iva_compra: String,
    /// The rates of its taxes besides the IVA, as they are written.
    pub rates: LineRates,
    /// Replacement cost of one unit, in pesos.
    pub costo: Money,
}

impl SaleProduct {
    /// The IVA rate of its sale; none where it is not subject to tax.
    pub(crate) fn vat_rate(&self) -> Option<VatRate> {
        (self.objeto_impuesto == TAXED).then(|| VatRate::of_key(&self.iva_venta)).flatten()
    }

    /// The rates of a line that sells it; `of_line` are those written on the line.
    pub(crate) fn rates_of_line(&self, of_line: LineRates, withholding: Withholding) -> LineRates {
        let rates = of_line.or(self.rates).of_object(&self.objeto_impuesto, withholding);
        let stated = of_line.iva_tasa.filter(|_| self.objeto_impuesto == TAXED);
        LineRates { iva_tasa: stated.or(self.vat_rate()), ..rates }
    }

    /// The IVA rate of its purchase; none where it is not subject to tax.
    pub(crate) fn purchase_vat_rate(&self) -> Option<VatRate> {
        (self.objeto_impuesto == TAXED).then(|| VatRate::of_key(&self.iva_compra)).flatten()
    }

    /// Whether a warehouse can hold it: services and expenses have no stock.
    pub fn has_stock(&self) -> bool {
        self.tipo == ProductKind::Normal
    }
}

/// A price of a product on a price list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPrice {
    /// The clave of the product.
    pub producto: i64,
    /// The clave of the price list.
    pub lista: i64,
    /// What one unit costs.
    pub precio: Money,
    /// Whether that includes IVA, and IEPS where there is any.
    pub iva_incluido: bool,
    /// The least quantity it applies to.
    pub cantidad_minima: Quantity,
    /// The first day it is valid.
    pub vigencia_desde: Option<NaiveDate>,
    /// The last day it is valid.
    pub vigencia_hasta: Option<NaiveDate>,
}

impl ListPrice {
    fn applies(&self, producto: i64, lista: i64, cantidad: Quantity, day: NaiveDate) -> bool {
        (self.producto, self.lista) == (producto, lista)
            && self.cantidad_minima <= cantidad
            && self.vigencia_desde.is_none_or(|from| from <= day)
            && self.vigencia_hasta.is_none_or(|until| day <= until)
    }

    /// What `cantidad` units come to, IVA and IEPS included; `None` if the price does not include
    /// them.
    pub(crate) fn charged(&self, cantidad: Quantity) -> Option<Money> {
        if self.iva_incluido { line::subtotal(cantidad, self.precio) } else { None }
    }

    /// The price of one unit without IVA and IEPS, to six decimals (half-up).
    pub(crate) fn before_tax(&self, rates: &LineRates) -> Money {
        let ieps = rates.ieps();
        let rate = rates.iva_tasa.and_then(|rate| match rate {
            VatRate::Rate(rate) => Some(rate),
            VatRate::Exempt => None,
        });
        if !self.iva_incluido || (rate.is_none() && ieps.is_none()) {
            return self.precio;
        }
        let charged = self.precio.get() / (Decimal::ONE + rate.unwrap_or_default());
        let net = match ieps {
            Some(IepsRate::Tasa(rate)) => charged / (Decimal::ONE + rate),
            Some(IepsRate::Cuota(pesos)) => (charged - pesos).max(Decimal::ZERO),
            None => charged,
        };
        Money::new(net.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero))
    }
}

/// The price of `cantidad` units on the first of `lists` that has one for `day`: that of the
/// greatest quantity reached, then the one valid since latest, then the one given last.
pub(crate) fn price_on<'p>(
    prices: &'p [ListPrice],
    lists: &[i64],
    producto: i64,
    cantidad: Quantity,
    day: NaiveDate,
) -> Option<&'p ListPrice> {
    lists.iter().find_map(|lista| {
        prices
            .iter()
            .filter(|price| price.applies(producto, *lista, cantidad, day))
            .max_by_key(|price| (price.cantidad_minima, price.vigencia_desde))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tax::TaxRate;

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    fn quantity(text: &str) -> Quantity {
        Quantity::new(text.parse().unwrap())
    }

    #[test]
    fn the_price_is_the_customers_then_the_companys() {
        let price = |lista, precio, cantidad_minima, desde: Option<&str>, hasta: Option<&str>| ListPrice {
            producto: 1,
            lista,
            precio: money(precio),
            iva_incluido: false,
            cantidad_minima: quantity(cantidad_minima),
            vigencia_desde: desde.map(|day| day.parse().unwrap()),
            vigencia_hasta: hasta.map(|day| day.parse().unwrap()),
        };
        let prices = [
            price(1, "10", "0", None, None),
            price(1, "8", "100", None, None),
            price(2, "9", "5", None, None),
            price(2, "7", "5", Some("2026-10-01"), Some("2026-10-31")),
        ];
        let on = |lists: &[i64], cantidad, day: &str| {
            price_on(&prices, lists, 1, quantity(cantidad), day.parse().unwrap()).map(|price| price.precio.to_string())
        };
        for (lists, cantidad, day, expected) in [
            (&[1][..], "1", "2026-10-12", Some("10.00")),
            (&[1], "100", "2026-10-12", Some("8.00")),
            (&[2, 1], "4.999999", "2026-10-12", Some("10.00")),
            (&[2, 1], "5", "2026-10-01", Some("7.00")),
            (&[2, 1], "5", "2026-10-31", Some("7.00")),
            (&[2, 1], "5", "2026-11-01", Some("9.00")),
            (&[3, 1], "1", "2026-10-12", Some("10.00")),
            (&[3], "1", "2026-10-12", None),
        ] {
            assert_eq!(on(lists, cantidad, day).as_deref(), expected, "{lists:?} {cantidad} {day}");
        }
        assert_eq!(price_on(&prices, &[1], 2, quantity("1"), NaiveDate::MIN), None, "another product");
    }

    #[test]
    fn a_price_with_iva_loses_it() {
        let price = |iva_incluido| ListPrice {
            producto: 1,
            lista: 1,
            precio: money("100"),
            iva_incluido,
            cantidad_minima: Quantity::default(),
            vigencia_desde: None,
            vigencia_hasta: None,
        };
        let net = |iva_incluido, rates| price(iva_incluido).before_tax(&rates).to_string();
        let vat = |key| LineRates::of_vat(VatRate::of_key(key));
        assert_eq!(net(true, vat("16")), "86.206897");
        assert_eq!(net(true, vat("EX")), "100.00");
        assert_eq!(net(true, LineRates::default()), "100.00");
        assert_eq!(net(false, vat("16")), "100.00");
        let rate = |text: &str| Some(TaxRate::new(text.parse().unwrap()));
        assert_eq!(net(true, LineRates { ieps_tasa: rate("0.08"), ..vat("16") }), "79.821201");
        assert_eq!(net(true, LineRates { ieps_cuota: rate("6"), ..vat("16") }), "80.206897");
        assert_eq!(net(true, LineRates { ieps_tasa: rate("0.25"), ..LineRates::default() }), "80.00");
    }
}
