//! Prices: `/precios`, a row per product and price list.

use super::filter::{exact, from, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::json::Text;

record! {
    /// A price of a product on a price list (contract §3).
    pub struct Price in "precios" {
        clave: i64 { list, import: Option<i64> },
        producto: i64 { list, import: Option<i64> },
        sku: Option<String> { list, unstored: Option<Text<100>> },
        lista: i64 { list, import: i64 },
        lista_nombre: Option<String> { list, unstored: Option<Text<100>> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        precio: Money { list, import: Money },
        iva_incluido: bool { list, import: Option<bool> },
        cantidad_minima: Quantity { list, import: Option<Quantity> },
        vigencia_desde: Option<Date> { list, import: Option<Date> },
        vigencia_hasta: Option<Date> { list, import: Option<Date> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import PriceImport;
    changes PriceChanges;
}

impl List for Price {
    const LIST: ListSpec = ListSpec::new::<Self>("/precios", Scope::ProductosRead, PageSizes::Legacy).filters(&[
        integer("clave"),
        integer("producto"),
        exact("sku"),
        integer("lista"),
        from("modificado_desde", "modificado"),
    ]);
}
