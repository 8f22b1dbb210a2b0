//! Customers: `/clientes`.

mod create;
mod edit;
mod import;
mod interact;
mod lead;
mod read;
mod revise;
mod rules;

pub use create::CustomerCreated;
pub use edit::CustomerEdited;
use edit::edit;
pub use interact::{InteractionLogged, LogInteraction};
pub use lead::{CreateLead, LeadCreated};
pub use read::{CustomersFound, FindCustomers, MAX_FOUND, ReadCustomer};
pub use revise::ReviseCustomer;

use crate::error::{Code, Error};
use crate::operation::Cx;
pub use crate::record::customer::{CreateCustomer, CustomerTerms, EditCustomer};

/// Companies of a franchise cannot write customers yet (spec, "POST /clientes").
fn refuse_franchise(cx: &Cx<'_>) -> Result<(), Error> {
    if cx.company.franquicia { Err(Code::EmpresaEnFranquicia.into()) } else { Ok(()) }
}

/// What creating and editing a customer can answer.
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
