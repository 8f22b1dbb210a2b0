//! Warehouses: `/almacenes`.

use super::filter::{boolean, choice, integer, sized};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::WarehouseStatus;
use crate::json::{Exact, Text};

record! {
    /// A warehouse (spec, "Warehouse"; contract §3).
    pub struct Warehouse in "almacenes" {
        clave: i64 { list, import: Option<i64> },
        codigo: String { list, import: Exact<3> },
        nombre: Option<String> { list, import: Option<Text<100>> },
        sucursal: i64 { list, import: Option<i64> },
        principal: bool { list, import: Option<bool> },
        estatus: WarehouseStatus { list, import: Option<WarehouseStatus> },
    }
    import WarehouseImport;
    changes WarehouseChanges;
}

impl List for Warehouse {
    const LIST: ListSpec = ListSpec::new::<Self>("/almacenes", Scope::InventarioRead, PageSizes::Legacy)
        .filters(&[
            integer("clave"),
            sized("codigo", 3, 3),
            integer("sucursal"),
            boolean("principal"),
            choice("estatus", WarehouseStatus::WORDS),
        ])
        .hides("estatus", "eliminado");
}
