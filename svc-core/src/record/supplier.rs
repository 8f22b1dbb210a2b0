//! Suppliers: `/proveedores`.

use super::filter::{choice, exact, integer, search};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::SupplierStatus;
use crate::json::Text;

record! {
    /// A supplier (spec, "Supplier").
    pub struct Supplier in "proveedores" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The folio people know it by.
        folio: Option<String> { list, import: Option<Text<50>> },
        /// Name.
        nombre: Option<String> { list, import: Option<Text<255>> },
        /// The person to speak to.
        contacto: Option<String> { list, import: Option<Text<100>> },
        /// Tax id.
        rfc: Option<String> { list, import: Option<Text<13>> },
        /// E-mail.
        correo: Option<String> { list, import: Option<Text<255>> },
        /// Telephone.
        telefono: Option<String> { list, import: Option<Text<30>> },
        /// Whether it is in use.
        estatus: SupplierStatus { list, import: Option<SupplierStatus> },
    }
    import SupplierImport;
    changes SupplierChanges;
}

impl List for Supplier {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/proveedores", Scope::ProveedoresRead, PageSizes::Legacy, "List suppliers")
            .filters(&[
                integer("clave"),
                exact("folio"),
                choice("estatus", &["activo", "inactivo", "eliminado"]),
                exact("rfc"),
                search("nombre", "busqueda"),
            ])
            .hides("estatus", "eliminado");
}
