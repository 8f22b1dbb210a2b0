//! Salespeople and bank accounts.

use crate::domain::words::Status;
use crate::json::Fault;
use crate::operations::import::{ImportMoment, Rules, in_pesos, require_clave, require_currency};
use crate::record::bank_account::BankAccountImport;
use crate::record::salesperson::SalespersonImport;

impl Rules for SalespersonImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.activo = self.estatus != Some(Status::Inactivo);
        self.vendedor = true;
        Ok(())
    }
}

impl Rules for BankAccountImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        in_pesos(&mut self.moneda);
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }
}
