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
        clave: i64 => Option<i64>,
        /// The product.
        producto: i64 => Option<i64>,
        /// The product's SKU.
        sku: Option<String>,
        /// The price list.
        lista: i64 => i64,
        /// The price list's name.
        lista_nombre: Option<String>,
        /// Currency, ISO 4217.
        moneda: String => Option<Text<3>>,
        /// The price of one unit.
        precio: Money => Money,
        /// Whether the price includes IVA.
        iva_incluido: bool => Option<bool>,
        /// The least quantity it is given for.
        cantidad_minima: Quantity => Option<Quantity>,
        /// The first day it holds.
        vigencia_desde: Option<Date> => Option<Date>,
        /// The last day it holds.
        vigencia_hasta: Option<Date> => Option<Date>,
        /// When it was changed last.
        modificado: Option<Timestamp> => Option<Timestamp>,
    }
    import PriceImport edited as PriceChanges {}
    unstored { sku: Option<Text<100>>, lista_nombre: Option<Text<100>>, }
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
