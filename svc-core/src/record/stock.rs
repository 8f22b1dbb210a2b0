//! Stock: `/inventario`, a row per product and warehouse.

use super::filter::{exact, from, integer, sized};
use super::{List, ListSpec, PageSizes, Reference, record};
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::stock::available;
use crate::domain::time::Timestamp;
use crate::json::Text;

record! {
    /// What a warehouse holds of a product, whatever the product's status (spec, "Stock record"; contract §3).
    pub struct Stock in "inventario" {
        /// Key.
        clave: i64 => Option<i64>,
        /// The product.
        producto: i64 => Option<i64>,
        /// The product's SKU.
        sku: Option<String>,
        /// The warehouse's code of three characters.
        almacen: String => Reference<3>,
        /// The warehouse's branch.
        sucursal: i64,
        /// How much there is.
        existencia: Quantity => Option<Quantity>,
        /// How much is reserved, signed.
        apartado: Quantity => Option<Quantity>,
        /// The least that is shown as available.
        minimo: Quantity => Option<Quantity>,
        /// How much is available.
        disponible: Quantity = available(existencia, apartado, minimo),
        /// When it was changed last.
        modificado: Option<Timestamp> => Option<Timestamp>,
    }
    import StockImport {}
    unstored { sku: Option<Text<100>>, sucursal: Option<i64>, disponible: Option<Quantity>, }
}

impl List for Stock {
    const LIST: ListSpec = ListSpec::new::<Self>("/inventario", Scope::InventarioRead, PageSizes::Legacy, "List stock")
        .filters(&[
            integer("clave"),
            exact("sku"),
            sized("almacen", 3, 3),
            integer("sucursal"),
            from("modificado_desde", "modificado"),
        ]);
}
