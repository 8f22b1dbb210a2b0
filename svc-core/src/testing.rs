//! Helpers of unit tests.

use crate::domain::company::{Company, CompanyId};

/// A company that may do everything; its cursor key follows from its number.
pub(crate) fn company(id: u8) -> Company {
    Company::new(CompanyId(id.into()), format!("Empresa {id}"), [id; 32])
}
