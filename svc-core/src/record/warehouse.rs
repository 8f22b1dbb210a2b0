//! Warehouses: `/almacenes`.

use super::filter::{boolean, choice, integer, sized};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::WarehouseStatus;
use crate::json::Text;

record! {
    /// A warehouse (spec, "Warehouse"; contract §3).
    pub struct Warehouse in "almacenes" {
        /// Key.
        clave: i64 => Option<i64>,
        /// Its code of three characters.
        codigo: String => Text<3>,
        /// Name.
        nombre: Option<String> => Option<Text<100>>,
        /// The branch it belongs to.
        sucursal: i64 => Option<i64>,
        /// Whether it is the main one.
        principal: bool => Option<bool>,
        /// Whether it is in use.
        estatus: WarehouseStatus => Option<WarehouseStatus>,
    }
    import WarehouseImport edited as WarehouseChanges {}
}

impl List for Warehouse {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/almacenes", Scope::InventarioRead, PageSizes::Legacy, "List warehouses")
            .filters(&[
                integer("clave"),
                sized("codigo", 3, 3),
                integer("sucursal"),
                boolean("principal"),
                choice("estatus", WarehouseStatus::WORDS),
            ])
            .hides("estatus", "eliminado");
}
