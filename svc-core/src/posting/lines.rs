//! Pricing the lines of a sale: product, price and taxes.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::line::VatRate;
use crate::domain::line_details::{CustomsNumber, LineDetails, PropertyAccount};
use crate::domain::money::{CENTS, Money};
use crate::domain::quantity::{PositiveQuantity, Rate};
use crate::domain::sale::{AmountFault, Amounts, ListPrice, SaleProduct, price_on};
use crate::domain::sat::{self, SatKey, Vats};
use crate::domain::tax::{LineRates, LocalTaxes, TaxRate, Withholding, line_taxes, rates_of, stating_rates};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::Cx;
use crate::posting::products::{ProductName, find_products};
use crate::store::{DeletedProducts, NewSaleLine};

line_taxes!(stating_rates! {
    /// A line of a sale in a request (contract §4, "POST /ventas").
    #[derive(Debug, Clone, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub struct LineBody {
        /// The product's clave; this or `sku`.
        pub producto: Option<i64>,
        /// The product's SKU; this or `producto`.
        pub sku: Option<Text<100>>,
        /// The quantity.
        pub cantidad: PositiveQuantity,
        /// The unit price before IVA, with up to six decimals; from the price list if left out.
        pub precio_unitario: Option<Money>,
        /// The discount on the line, with up to two decimals.
        #[schemars(extend("pattern" = CENTS))]
        pub descuento: Option<Money>,
        /// The line's description; the product's if left out, else its SKU.
        pub descripcion: Option<Text<500>>,
        /// The key of its IVA (16, 8, 0, EX); the product's if left out. 8 is for branches in a
        /// border region.
        pub iva: Option<SatKey<Text<255>, Vats>>,
        /// The customs declaration of imported goods, for the tax document.
        pub numero_pedimento: Option<CustomsNumber>,
        /// The property account of a real estate that is let, for the tax document.
        pub cuenta_predial: Option<PropertyAccount>,
        /// Its local taxes, on the amount before taxes. Those withheld count only if the receiver
        /// is a company.
        pub impuestos_locales: Option<LocalTaxes>,
    }
});

impl LineBody {
    fn discount(&self) -> Money {
        self.descuento.unwrap_or_default()
    }

    fn rates(&self) -> LineRates {
        let iva_tasa = self.iva.as_deref().and_then(VatRate::of_key);
        LineRates { iva_tasa, ..line_taxes!(rates_of! { self; }) }
    }

    /// What its tax document says of it, to a receiver who withholds what `withholding` says.
    fn details(&self, withholding: Withholding) -> LineDetails {
        LineDetails {
            numero_pedimento: self.numero_pedimento.as_ref().map(|number| number.as_str().to_owned()),
            cuenta_predial: self.cuenta_predial.as_ref().map(|account| account.as_str().to_owned()),
            impuestos_locales: self.impuestos_locales.clone().and_then(|taxes| taxes.under(withholding)),
        }
    }

    /// Validates what needs no data of the company.
    fn validate(&self, at: usize) -> Result<(), Error> {
        ProductName::of_line(at, self.producto, self.sku.as_deref()).validate()?;
        if self.descuento.is_some_and(|discount| discount.get().normalize().scale() > 2) {
            return Err(fault(Code::DatoInvalido, at, "descuento", "admite a lo más 2 decimales"));
        }
        if let Some(Err((tax, field, text))) = self.impuestos_locales.as_ref().map(LocalTaxes::validate) {
            return Err(fault(Code::DatoInvalido, at, &format!("impuestos_locales[{tax}].{field}"), text));
        }
        match self.precio_unitario {
            Some(price) => {
                amounts(Amounts::of_line(self.cantidad.get(), price, self.discount(), &LineRates::default()), at)
                    .map(|_| ())
            }
            None => Ok(()),
        }
    }
}

/// Validates all lines without data of the company.
pub(super) fn validate(lines: &[LineBody]) -> Result<(), Error> {
    lines.iter().enumerate().try_for_each(|(at, line)| line.validate(at))
}

/// Finds the products that the lines name, one each.
pub(super) async fn products(cx: &mut Cx<'_>, lines: &[LineBody]) -> Result<Vec<SaleProduct>, Error> {
    let names: Vec<ProductName<'_>> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| ProductName::of_line(at, line.producto, line.sku.as_deref()))
        .collect();
    let found = find_products(cx, &names, DeletedProducts::LeftOut).await?;
    names.iter().zip(&found).try_for_each(|(name, product)| name.validate_active(product))?;
    Ok(found)
}

/// The source of the prices, and the taxes that apply.
pub(super) struct Pricing<'a> {
    /// Price lists in order of precedence.
    pub(super) lists: &'a [i64],
    pub(super) moneda: &'a str,
    pub(super) day: NaiveDate,
    pub(super) withholding: Withholding,
    /// Pesos for one unit of `moneda`.
    pub(super) tipo_cambio: Rate,
    /// The branch that sells.
    pub(super) sucursal: i64,
}

/// The lines with their prices and amounts.
pub(super) async fn priced(
    cx: &mut Cx<'_>,
    lines: &[LineBody],
    products: Vec<SaleProduct>,
    pricing: &Pricing<'_>,
) -> Result<Vec<NewSaleLine>, Error> {
    let &Pricing { lists, moneda, day, withholding, tipo_cambio, sucursal } = pricing;
    let now = cx.now.get();
    let unpriced: Vec<i64> = lines
        .iter()
        .zip(&products)
        .filter(|(line, _)| line.precio_unitario.is_none())
        .map(|(_, product)| product.clave)
        .collect();
    let prices: Vec<ListPrice> =
        if unpriced.is_empty() { Vec::new() } else { cx.tx.list_prices(&unpriced, lists, moneda).await? };
    let line = |(at, (line, product)): (usize, (&LineBody, SaleProduct))| {
        let cantidad = line.cantidad.get();
        if line.numero_pedimento.as_ref().is_some_and(|number| !number.is_current(now)) {
            let text = "su año es el presente o uno de los diez anteriores";
            return Err(fault(Code::DatoInvalido, at, "numero_pedimento", text));
        }
        if line.iva.as_deref().is_some_and(|key| sat::vat(key).is_none()) {
            return Err(fault(Code::IvaInvalido, at, "iva", "debe ser 16, 8, 0 o EX"));
        }
        line.rates().validate().map_err(|(field, text)| fault(Code::ImpuestoIncompatible, at, field, text))?;
        let rates = product.rates_of_line(line.rates(), withholding).in_currency(tipo_cambio).ok_or_else(|| {
            let text = format!("en {moneda} a ese tipo_cambio es más que lo que admite el catálogo del SAT");
            fault(Code::ImpuestoIncompatible, at, "ieps_cuota", &text)
        })?;
        let listed = price_on(&prices, lists, product.clave, cantidad, day).filter(|_| line.precio_unitario.is_none());
        let missing = || fault(Code::SinPrecio, at, "precio_unitario", "el producto no tiene precio en las listas");
        let net = listed.map(|price| price.before_tax(&rates));
        let precio_unitario = line.precio_unitario.or(net).ok_or_else(missing)?;
        // A discount is an amount before taxes.
        let charged = listed.and_then(|price| price.charged(cantidad)).filter(|_| line.discount() == Money::default());
        let found = match charged {
            Some(charged) => Amounts::of_charged_line(cantidad, precio_unitario, charged, &rates),
            None => Amounts::of_line(cantidad, precio_unitario, line.discount(), &rates),
        };
        let details = line.details(withholding);
        let found = found.and_then(|amounts| amounts.with_local_taxes(details.impuestos_locales.as_ref()));
        let amounts = amounts(found, at)?;
        let own = product.descripcion.as_deref().or(product.sku.as_deref());
        let descripcion = line.descripcion.as_deref().or(own).map(str::to_owned);
        Ok(NewSaleLine {
            producto: Some(product.clave),
            product,
            descripcion,
            cantidad,
            precio_unitario,
            rates,
            details,
            amounts,
        })
    };
    let lines: Vec<NewSaleLine> = lines.iter().zip(products).enumerate().map(line).collect::<Result<_, Error>>()?;
    validate_border_rate(cx, &lines, sucursal).await?;
    Ok(lines)
}

/// Refuses the border rate in a sale of a branch that is not in a border region.
async fn validate_border_rate(cx: &mut Cx<'_>, lines: &[NewSaleLine], sucursal: i64) -> Result<(), Error> {
    let Some(at) = lines.iter().position(|line| line.rates.iva_tasa.is_some_and(VatRate::is_border)) else {
        return Ok(());
    };
    let cp = cx.tx.branch_postal_code(sucursal).await?.or_else(|| cx.company.cp.clone());
    if cp.as_deref().is_some_and(sat::has_border_rate) {
        return Ok(());
    }
    let text = "8 % es sólo para ventas de sucursales en la región fronteriza; dé al renglón otro iva";
    Err(fault(Code::ImpuestoIncompatible, at, "iva", text))
}

/// Refuses local taxes in an advance: they are due with the operation that it is paid for.
pub(super) fn validate_advance(lines: &[NewSaleLine]) -> Result<(), Error> {
    match lines.iter().position(|line| line.details.impuestos_locales.is_some()) {
        None => Ok(()),
        Some(at) => {
            let text = "un anticipo no los lleva; se causan con la venta a la que se aplica";
            Err(fault(Code::ImpuestoIncompatible, at, "impuestos_locales", text))
        }
    }
}

/// Turns a fault of amounts into an error of the line at `at`.
pub(crate) fn amounts<T>(found: Result<T, AmountFault>, at: usize) -> Result<T, Error> {
    found.map_err(|of| match of {
        AmountFault::TooLarge => fault(Code::DatoInvalido, at, "cantidad", "el importe pasa de 18 dígitos"),
        AmountFault::DiscountAboveSubtotal => {
            fault(Code::DatoInvalido, at, "descuento", "es mayor que el subtotal del renglón")
        }
    })
}

/// An error of a line's field.
pub(crate) fn fault(code: Code, at: usize, field: &str, text: &str) -> Error {
    Error::field(code, &format!("renglones[{at}].{field}"), text)
}
