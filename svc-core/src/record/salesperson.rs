//! Salespeople, who are users of the ERP: `/vendedores`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A salesperson (contract §3).
    pub struct Salesperson in "usuarios" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        estatus: Status { list, unstored: Option<Status> },
        /// Whether sales and contacts can be credited to them. An export also has those who no
        /// longer sell and whom a customer, sale or opportunity names.
        vendedor { import: Option<bool> },
        activo { computed: bool },
    }
    import SalespersonImport;
}

impl List for Salesperson {
    const LIST: ListSpec = ListSpec::new::<Self>("/vendedores", Scope::ActividadesWrite, PageSizes::Enforced)
        .or(Scope::ClientesRead)
        .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
