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
        clave: i64 { list, import: Option<i64> },
        /// Its code of three characters.
        codigo: String { list, import: Text<3> },
        /// Name.
        nombre: Option<String> { list, import: Option<Text<100>> },
        /// The branch it belongs to.
        sucursal: i64 { list, import: Option<i64> },
        /// Whether it is the main one.
        principal: bool { list, import: Option<bool> },
        /// Whether it is in use.
        estatus: WarehouseStatus { list, import: Option<WarehouseStatus> },
    }
    import WarehouseImport;
    changes WarehouseChanges;
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
