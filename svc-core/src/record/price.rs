//! Prices: `/precios`, a row per product and price list.

use super::filter::{exact, from, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::json::Text;

record! {
    /// A price of a product on a price list (contract §3).
    pub struct Price in "precios" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The product.
        producto: i64 { list, import: Option<i64> },
        /// The product's SKU.
        sku: Option<String> { list, unstored: Option<Text<100>> },
        /// The price list.
        lista: i64 { list, import: i64 },
        /// The price list's name.
        lista_nombre: Option<String> { list, unstored: Option<Text<100>> },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// The price of one unit.
        precio: Money { list, import: Money },
        /// Whether the price includes IVA.
        iva_incluido: bool { list, import: Option<bool> },
        /// The least quantity it is given for.
        cantidad_minima: Quantity { list, import: Option<Quantity> },
        /// The first day it holds.
        vigencia_desde: Option<Date> { list, import: Option<Date> },
        /// The last day it holds.
        vigencia_hasta: Option<Date> { list, import: Option<Date> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import PriceImport;
    changes PriceChanges;
}

impl List for Price {
    const LIST: ListSpec = ListSpec::new::<Self>("/precios", Scope::ProductosRead, PageSizes::Legacy, "List prices")
        .filters(&[
            integer("clave"),
            integer("producto"),
            exact("sku"),
            integer("lista"),
            from("modificado_desde", "modificado"),
        ]);
}
