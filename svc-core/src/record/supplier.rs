//! Suppliers: `/proveedores`.

use super::filter::{choice, exact, integer, search};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::SupplierStatus;
use crate::json::Text;

record! {
    /// A supplier (spec, "Supplier").
    pub struct Supplier in "proveedores" {
        clave: i64 { list, import: Option<i64> },
        folio: Option<String> { list, import: Option<Text<50>> },
        nombre: Option<String> { list, import: Option<Text<255>> },
        contacto: Option<String> { list, import: Option<Text<100>> },
        rfc: Option<String> { list, import: Option<Text<13>> },
        correo: Option<String> { list, import: Option<Text<255>> },
        telefono: Option<String> { list, import: Option<Text<30>> },
        estatus: SupplierStatus { list, import: Option<SupplierStatus> },
    }
    import SupplierImport;
    changes SupplierChanges;
}

impl List for Supplier {
    const LIST: ListSpec = ListSpec::new::<Self>("/proveedores", Scope::ProveedoresRead, PageSizes::Legacy)
        .filters(&[
            integer("clave"),
            exact("folio"),
            choice("estatus", &["activo", "inactivo", "eliminado"]),
            exact("rfc"),
            search("nombre", "busqueda"),
        ])
        .hides("estatus", "eliminado");
}
