//! Sales documents: prices and amounts of their lines (contract §4, "POST /ventas").

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};

use super::line::{self, VatRate};
use super::money::Money;
use super::quantity::Quantity;
use super::words::ProductKind;

/// The company's default price list (contract §4).
pub(crate) const DEFAULT_PRICE_LIST: i64 = 1;

/// `c_ObjetoImp`: subject to tax. With the other keys no IVA is charged or shown.
const TAXED: &str = "02";

/// A product to be sold or bought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleProduct {
    /// Its clave.
    pub clave: i64,
    /// Its SKU.
    pub sku: Option<String>,
    /// Description.
    pub descripcion: Option<String>,
    /// Whether it is for sale.
    pub activo: bool,
    /// What it is.
    pub tipo: ProductKind,
    /// Its unit's name.
    pub unidad: Option<String>,
    /// Its unit's key in the SAT's catalogue.
    pub unidad_sat: Option<String>,
    /// The SAT's product or service key.
    pub codigo_sat: String,
    /// The SAT's tax object key.
    pub objeto_impuesto: String,
    /// IVA when it is sold.
    pub iva_venta: String,
    /// IVA when it is bought.
    pub iva_compra: String,
    /// Replacement cost of one unit, in pesos.
    pub costo: Money,
}

impl SaleProduct {
    /// The IVA rate of its sale; none where it is not subject to tax.
    pub(crate) fn vat_rate(&self) -> Option<VatRate> {
        (self.objeto_impuesto == TAXED).then(|| VatRate::of_key(&self.iva_venta)).flatten()
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
    /// The product.
    pub producto: i64,
    /// The list.
    pub lista: i64,
    /// What one unit costs.
    pub precio: Money,
    /// Whether that includes IVA.
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

    /// The price of one unit without IVA, to six decimals (half-up).
    pub(crate) fn before_tax(&self, rate: Option<VatRate>) -> Money {
        match rate {
            Some(VatRate::Rate(rate)) if self.iva_incluido => {
                let net = self.precio.get() / (Decimal::ONE + rate);
                Money::new(net.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero))
            }
            _ => self.precio,
        }
    }
}

/// The price of `cantidad` units on the first of `lists` that has one for `day`: that of the greatest quantity reached,
/// then the one valid since latest, then the one given last.
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

/// The amounts of a line or a document, in its currency, with two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts {
    /// Quantity × price, before discount.
    pub subtotal: Money,
    /// Discount.
    pub descuento: Money,
    /// IVA.
    pub impuestos: Money,
    /// subtotal − descuento + impuestos.
    pub total: Money,
}

/// Why a line, or a document, has no amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AmountFault {
    /// An amount of more than 18 digits.
    TooLarge,
    /// A discount greater than what it is taken from.
    DiscountAboveSubtotal,
}

impl Amounts {
    /// The amounts of a line, each rounded half-up to two decimals.
    pub(crate) fn of_line(
        cantidad: Quantity,
        precio: Money,
        descuento: Money,
        rate: Option<VatRate>,
    ) -> Result<Self, AmountFault> {
        let subtotal = line::subtotal(cantidad, precio).ok_or(AmountFault::TooLarge)?;
        let base = subtotal.get() - descuento.get();
        if base < Decimal::ZERO {
            return Err(AmountFault::DiscountAboveSubtotal);
        }
        let impuestos = line::vat(base, rate).ok_or(AmountFault::TooLarge)?;
        let total = line::amount(base + impuestos.get()).ok_or(AmountFault::TooLarge)?;
        Ok(Self { subtotal, descuento, impuestos, total })
    }

    /// The amounts of a document: the sums of its lines.
    pub(crate) fn of_document<'l>(lines: impl IntoIterator<Item = &'l Self>) -> Result<Self, AmountFault> {
        let mut sums = [Decimal::ZERO; 4];
        for line in lines {
            let parts = [line.subtotal, line.descuento, line.impuestos, line.total];
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += part.get();
            }
        }
        let [subtotal, descuento, impuestos, total] = sums.map(line::amount);
        let whole = || Some(Self { subtotal: subtotal?, descuento: descuento?, impuestos: impuestos?, total: total? });
        whole().ok_or(AmountFault::TooLarge)
    }
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

    fn shown(amounts: Amounts) -> [String; 4] {
        [amounts.subtotal, amounts.descuento, amounts.impuestos, amounts.total].map(|amount| amount.to_string())
    }

    #[test]
    fn a_line_is_rounded_half_up_at_each_step() {
        let rate = VatRate::of_key("16");
        for (cantidad, precio, descuento, expected) in [
            ("2", "100", "0", ["200.00", "0.00", "32.00", "232.00"]),
            // 3 × 0.335 = 1.005 → 1.01; 1.01 × 0.16 = 0.1616 → 0.16
            ("3", "0.335", "0", ["1.01", "0.00", "0.16", "1.17"]),
            // (10.03 − 0.91) × 0.16 = 1.4592 → 1.46
            ("1", "10.03", "0.91", ["10.03", "0.91", "1.46", "10.58"]),
            ("1", "5", "5", ["5.00", "5.00", "0.00", "0.00"]),
        ] {
            let amounts = Amounts::of_line(quantity(cantidad), money(precio), money(descuento), rate).unwrap();
            assert_eq!(shown(amounts), expected.map(str::to_owned), "{cantidad} × {precio} − {descuento}");
        }
        for (key, iva) in [("8", "8.00"), ("0", "0.00"), ("EX", "0.00")] {
            let amounts = Amounts::of_line(quantity("1"), money("100"), money("0"), VatRate::of_key(key)).unwrap();
            assert_eq!(amounts.impuestos.to_string(), iva, "{key}");
        }
    }

    #[test]
    fn amounts_that_cannot_be_computed_are_faults() {
        let of = |cantidad: &str, precio: &str, descuento: &str| {
            Amounts::of_line(quantity(cantidad), money(precio), money(descuento), VatRate::of_key("16"))
        };
        assert_eq!(of("1", "5", "5.01"), Err(AmountFault::DiscountAboveSubtotal));
        assert_eq!(of("999999999999999", "999999999999999999", "0"), Err(AmountFault::TooLarge));
        assert_eq!(of("1", "999999999999999999", "0"), Err(AmountFault::TooLarge), "with its IVA");
        let most = Amounts { total: money("999999999999999999.99"), ..Amounts::default() };
        assert_eq!(Amounts::of_document([&most, &most]), Err(AmountFault::TooLarge));
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
        assert_eq!(price(true).before_tax(VatRate::of_key("16")).to_string(), "86.206897");
        assert_eq!(price(true).before_tax(VatRate::of_key("EX")).to_string(), "100.00");
        assert_eq!(price(true).before_tax(None).to_string(), "100.00");
        assert_eq!(price(false).before_tax(VatRate::of_key("16")).to_string(), "100.00");
    }

    proptest! {
        #[test]
        fn a_document_is_the_sum_of_its_lines(
            lines in prop::collection::vec((1_i64..1_000_000_000, 0_i64..1_000_000_000, 0_i64..100, 0_usize..4), 1..40)
        ) {
            let lines: Vec<Amounts> = lines.into_iter().map(|(cantidad, precio, percent, key)| {
                let (cantidad, precio) = (Quantity::new(Decimal::new(cantidad, 3)), Money::new(Decimal::new(precio, 4)));
                let subtotal = line::subtotal(cantidad, precio).unwrap().get();
                let descuento = Money::new((subtotal * Decimal::new(percent, 2)).round_dp(2).min(subtotal));
                Amounts::of_line(cantidad, precio, descuento, VatRate::of_key(["16", "8", "0", "EX"][key])).unwrap()
            }).collect();
            let document = Amounts::of_document(&lines).unwrap();
            let sum = |part: fn(&Amounts) -> Money| lines.iter().map(|line| part(line).get()).sum::<Decimal>();
            prop_assert_eq!(document.subtotal.get(), sum(|line| line.subtotal));
            prop_assert_eq!(document.total.get(), sum(|line| line.total));
            prop_assert_eq!(
                document.subtotal.get() - document.descuento.get() + document.impuestos.get(), document.total.get()
            );
            prop_assert!(document.total.get().scale() <= 2);
        }
    }
}
