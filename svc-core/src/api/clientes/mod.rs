//! Customers: `/clientes`.

mod create;
mod edit;
mod interact;
mod list;

use chrono::NaiveDate;
use serde::Serialize;

pub use create::{CreateCustomer, CustomerCreated, NewCustomer};
pub use edit::{CustomerEdit, CustomerEdited, EditCustomer};
pub use interact::{InteractionLogged, InteractionToLog, LogInteraction};
pub use list::{CustomerFilter, Customers};

use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Cx, Keyed};

/// A customer or prospect as a list shows it (spec, "Customer").
#[derive(Debug, Clone, Serialize)]
pub struct Customer {
    /// Key.
    pub clave: i64,
    /// Folio.
    pub folio: Option<String>,
    /// Name.
    pub nombre: Option<String>,
    /// Legal name.
    pub razon_social: Option<String>,
    /// Tax id.
    pub rfc: Option<String>,
    /// E-mail addresses, separated by commas.
    pub correo: Option<String>,
    /// Telephone.
    pub telefono: Option<String>,
    /// Mobile.
    pub movil: Option<String>,
    /// Whether it is a prospect of the CRM.
    pub prospecto: bool,
    /// Identifier on sales platform a.
    pub id_platform_a: Option<String>,
    /// Identifier on sales platform b.
    pub id_platform_b: Option<String>,
    /// Identifier on sales platform c.
    pub id_platform_c: Option<String>,
    /// Identifier on sales platform d.
    pub id_platform_d: Option<String>,
    /// Identifier on sales platform e.
    pub id_platform_e: Option<String>,
    /// Whether it stands for the general public.
    pub publico: bool,
    /// When it is to be contacted next.
    pub proximo_contacto: Option<NaiveDate>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Customer {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Companies in a franchise scheme cannot write customers yet (spec, "POST /clientes").
fn refuse_franchise(cx: &Cx<'_>) -> Result<(), Error> {
    if cx.company.franquicia { Err(Code::EmpresaEnFranquicia.into()) } else { Ok(()) }
}

/// The errors of writing a customer.
const WRITE_ERRORS: &[Code] = &[
    Code::EmpresaEnFranquicia,
    Code::RfcInvalido,
    Code::RegimenInvalido,
    Code::RegimenIncompatible,
    Code::UsoCfdiInvalido,
    Code::UsoCfdiIncompatible,
    Code::CpInvalido,
    Code::PaisInvalido,
    Code::RfcDuplicado,
];
