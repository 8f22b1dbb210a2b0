//! Stock: `/inventario`, a row per product and warehouse.

use super::filter::{exact, from, integer, sized};
use super::{List, ListSpec, PageSizes, Reference, record};
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity};
use crate::domain::scope::Scope;
use crate::domain::stock::available;
use crate::domain::time::Timestamp;
use crate::json::Text;

record! {
    /// What a warehouse holds of a product, whatever the product's status (spec, "Stock record";
    /// contract §3).
    pub struct Stock in "inventario" {
        clave: i64 { list, import: Option<i64> },
        producto: i64 { list, import: Option<i64> },
        sku: Option<String> { list, unstored: Option<Text<100>> },
        almacen: String { list, import: Reference<3> },
        sucursal: i64 { list, unstored: Option<i64> },
        existencia: Quantity { list, import: Option<Quantity> },
        apartado: Quantity { list, import: Option<Quantity> },
        minimo: Quantity { list, import: Option<Quantity> },
        disponible { list: Quantity = available(existencia, apartado, minimo), unstored: Option<Quantity> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        costo_unitario: Option<Money> { opening: Option<Money> },
        valor: Option<Balance> { opening: Option<Balance> },
    }
    import StockImport;
}

impl List for Stock {
    const LIST: ListSpec = ListSpec::new::<Self>("/inventario", Scope::InventarioRead, PageSizes::Legacy).filters(&[
        integer("clave"),
        exact("sku"),
        sized("almacen", 3, 3),
        integer("sucursal"),
        from("modificado_desde", "modificado"),
    ]);
}
