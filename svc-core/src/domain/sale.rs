//! Sales documents: prices and amounts of their lines (contract §4, "POST /ventas").

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};

use super::line::{self, IepsRate, VatRate};
use super::money::Money;
use super::quantity::Quantity;
use super::tax::{OtherRates, TaxRate, WrittenRates};
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
    /// IEPS by its rate, and of each unit; what is withheld, by its rates: ISR and IVA.
    pub otros: [Option<TaxRate>; 4],
    /// Replacement cost of one unit, in pesos.
    pub costo: Money,
}

impl SaleProduct {
    /// The IVA rate of its sale; none where it is not subject to tax.
    pub(crate) fn vat_rate(&self) -> Option<VatRate> {
        (self.objeto_impuesto == TAXED).then(|| VatRate::of_key(&self.iva_venta)).flatten()
    }

    /// The rates of its taxes besides the IVA, those that a line gives aside.
    pub(crate) fn other_rates(&self, of_line: WrittenRates, withholds: bool) -> OtherRates {
        let [ieps_tasa, ieps_cuota, retencion_isr, retencion_iva] = self.otros;
        let own = WrittenRates { ieps_tasa, ieps_cuota, retencion_isr, retencion_iva };
        of_line.or(own).of_object(&self.objeto_impuesto, withholds)
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

    /// The price of one unit without IVA and IEPS, to six decimals (half-up).
    pub(crate) fn before_tax(&self, rate: Option<VatRate>, ieps: Option<IepsRate>) -> Money {
        let rate = rate.and_then(|rate| match rate {
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
    /// What is charged: IVA and IEPS.
    pub impuestos: Money,
    /// The part of `impuestos` that is IEPS.
    pub ieps: Money,
    /// What the receiver withholds: ISR and IVA.
    pub retenciones: Money,
    /// The part of `retenciones` that is ISR.
    pub isr_retenido: Money,
    /// subtotal − descuento + impuestos − retenciones.
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
    /// The amounts of a line without taxes but IVA, each rounded half-up to two decimals.
    pub(crate) fn of_line(
        cantidad: Quantity,
        precio: Money,
        descuento: Money,
        rate: Option<VatRate>,
    ) -> Result<Self, AmountFault> {
        Self::of_taxed_line(cantidad, precio, descuento, rate, &OtherRates::default())
    }

    /// The amounts of a line, each rounded half-up to two decimals: the IVA is of what is charged with the IEPS, what is withheld of
    /// what is charged without taxes.
    pub(crate) fn of_taxed_line(
        cantidad: Quantity,
        precio: Money,
        descuento: Money,
        rate: Option<VatRate>,
        others: &OtherRates,
    ) -> Result<Self, AmountFault> {
        const LARGE: AmountFault = AmountFault::TooLarge;
        let subtotal = line::subtotal(cantidad, precio).ok_or(LARGE)?;
        let base = subtotal.get() - descuento.get();
        if base < Decimal::ZERO {
            return Err(AmountFault::DiscountAboveSubtotal);
        }
        let ieps = line::ieps(base, cantidad, others.ieps).ok_or(LARGE)?;
        let iva = line::vat(base + ieps.get(), rate).ok_or(LARGE)?;
        let impuestos = line::amount(iva.get() + ieps.get()).ok_or(LARGE)?;
        let isr_retenido = line::withheld(base, others.retencion_isr).ok_or(LARGE)?;
        let iva_retenido = line::withheld(base, others.retencion_iva).ok_or(LARGE)?;
        let retenciones = line::amount(isr_retenido.get() + iva_retenido.get()).ok_or(LARGE)?;
        let total = line::amount(base + impuestos.get() - retenciones.get()).ok_or(LARGE)?;
        Ok(Self { subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total })
    }

    /// The IVA that is charged.
    pub fn iva(&self) -> Money {
        Money::new(self.impuestos.get() - self.ieps.get())
    }

    /// The IVA that the receiver withholds.
    pub fn iva_retenido(&self) -> Money {
        Money::new(self.retenciones.get() - self.isr_retenido.get())
    }

    /// The amounts of a document: the sums of its lines.
    pub(crate) fn of_document<'l>(lines: impl IntoIterator<Item = &'l Self>) -> Result<Self, AmountFault> {
        let mut sums = [Decimal::ZERO; 7];
        for line in lines {
            let Self { subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total } = *line;
            let parts = [subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total];
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += part.get();
            }
        }
        let amounts = sums.map(line::amount).into_iter().collect::<Option<Vec<_>>>().ok_or(AmountFault::TooLarge)?;
        let [subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total] = amounts[..] else {
            return Err(AmountFault::TooLarge);
        };
        Ok(Self { subtotal, descuento, impuestos, ieps, retenciones, isr_retenido, total })
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
        let max = Amounts { total: money("999999999999999999.99"), ..Amounts::default() };
        assert_eq!(Amounts::of_document([&max, &max]), Err(AmountFault::TooLarge));
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
        assert_eq!(price(true).before_tax(VatRate::of_key("16"), None).to_string(), "86.206897");
        assert_eq!(price(true).before_tax(VatRate::of_key("EX"), None).to_string(), "100.00");
        assert_eq!(price(true).before_tax(None, None).to_string(), "100.00");
        assert_eq!(price(false).before_tax(VatRate::of_key("16"), None).to_string(), "100.00");
        let ieps = |rate: IepsRate| price(true).before_tax(VatRate::of_key("16"), Some(rate)).to_string();
        assert_eq!(ieps(IepsRate::Tasa("0.08".parse().unwrap())), "79.821201");
        assert_eq!(ieps(IepsRate::Cuota(6.into())), "80.206897");
        assert_eq!(price(true).before_tax(None, Some(IepsRate::Tasa("0.25".parse().unwrap()))).to_string(), "80.00");
    }

    #[test]
    fn the_iva_is_of_the_ieps_too_and_what_is_withheld_of_neither() {
        let rates = |ieps, isr: &str, iva: &str| OtherRates {
            ieps,
            retencion_isr: Some(isr.parse().unwrap()),
            retencion_iva: Some(iva.parse().unwrap()),
        };
        let of = |descuento: &str, others: &OtherRates| {
            let amounts =
                Amounts::of_taxed_line(quantity("10"), money("100"), money(descuento), VatRate::of_key("16"), others);
            let amounts = amounts.unwrap();
            [amounts.ieps, amounts.iva(), amounts.isr_retenido, amounts.iva_retenido(), amounts.total]
                .map(|amount| amount.to_string())
        };
        let tasa = rates(Some(IepsRate::Tasa("0.08".parse().unwrap())), "0.1", "0.106667");
        assert_eq!(of("0", &tasa), ["80.00", "172.80", "100.00", "106.67", "1046.13"]);
        let cuota = rates(Some(IepsRate::Cuota("1.5".parse().unwrap())), "0.0125", "0");
        assert_eq!(of("100", &cuota), ["15.00", "146.40", "11.25", "0.00", "1050.15"]);
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
