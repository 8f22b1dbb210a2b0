//! Salespeople and bank accounts.

use serde::Deserialize;

use super::{Record, require_clave, require_currency};
use crate::domain::time::Timestamp;
use crate::domain::words::Status;
use crate::json::{Fault, Text};
use crate::store::{StoreError, Tx};

/// A salesperson: a user of the ERP.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct SalespersonRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub estatus: Option<Status>,
}

/// A bank account.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct BankAccountRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub banco: Option<Text<100>>,
    pub moneda: Option<Text<3>>,
    pub estatus: Option<Status>,
}

impl Record for SalespersonRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_salespeople(rows).await
    }
}

impl Record for BankAccountRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_bank_accounts(rows).await
    }
}
