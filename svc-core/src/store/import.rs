//! Bulk loading: many records in one statement, with savepoints to find the one that is wrong. What a record is, and what it
//! takes when something is left out, is not decided here.

use std::collections::HashMap;

use async_trait::async_trait;

use super::StoreError;
use crate::domain::quantity::Rate;
use crate::domain::value::Value;
use crate::domain::words::{OpportunityStatus, SaleKind};

/// Tables whose records may name another of the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// `productos.clave_padre`
    Products,
    /// `categorias.padre`
    Categories,
}

/// What imports of every kind need of a transaction.
#[async_trait]
pub trait ImportTx {
    /// Marks a point to come back to.
    async fn savepoint(&mut self) -> Result<(), StoreError>;

    /// Undoes everything since the savepoint, which stays.
    async fn back_to_savepoint(&mut self) -> Result<(), StoreError>;

    /// Forgets the savepoint; what was done since stays.
    async fn release_savepoint(&mut self) -> Result<(), StoreError>;

    /// Lets records name parents that come later in the file; [`ImportTx::missing`] tells which never came.
    async fn defer_parents(&mut self) -> Result<(), StoreError>;

    /// Those of `claves` that no record of the company has.
    async fn missing(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// The claves of as many records of `table`: those that are given, and for one that is not the clave after the greatest
    /// so far, record by record. The company's counter moves past all of them.
    async fn claves(&mut self, table: &str, given: &[Option<i64>]) -> Result<Vec<i64>, StoreError>;

    /// Moves the counter of `series` past `last`.
    async fn move_past(&mut self, series: &str, last: i64) -> Result<(), StoreError>;

    /// Moves the counter of the folios of documents of that type and series past `last`.
    async fn move_past_folio(&mut self, tipo: &str, serie: &str, last: i64) -> Result<(), StoreError>;

    /// Writes records of the company into `table`: all of them, or none. `values` holds them one after the other, each with
    /// a value for each of `columns`.
    async fn insert_records(
        &mut self,
        table: &'static str,
        columns: &'static [&'static str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError>;

    /// The claves of the records of `table` that bear these names in `column`; of several that bear one the least.
    async fn claves_of(
        &mut self,
        table: &'static str,
        column: &'static str,
        names: &[&str],
    ) -> Result<HashMap<String, i64>, StoreError>;

    /// The products that have these SKUs: of each the active one, else the newest of the others.
    async fn products_of(&mut self, skus: &[&str]) -> Result<HashMap<String, i64>, StoreError>;

    /// The SKUs of these products, of those that have one.
    async fn skus_of(&mut self, products: &[i64]) -> Result<HashMap<i64, String>, StoreError>;

    /// Makes these price lists, by clave, and names those that come with a name.
    async fn make_price_lists(&mut self, lists: &[(i64, Option<&str>)]) -> Result<(), StoreError>;

    /// What these stages make of an opportunity, of those that exist.
    async fn stage_kinds(&mut self, stages: &[i64]) -> Result<HashMap<i64, OpportunityStatus>, StoreError>;

    /// The greatest line number of each of these sales that has lines.
    async fn last_lines(&mut self, sales: &[i64]) -> Result<HashMap<i64, i64>, StoreError>;

    /// Of these sales, those that exist.
    async fn imported_sales(&mut self, sales: &[i64]) -> Result<HashMap<i64, ImportedSale>, StoreError>;

    /// Of these receivables, those that exist.
    async fn imported_receivables(&mut self, cxc: &[i64]) -> Result<HashMap<i64, ImportedReceivable>, StoreError>;

    /// Gives sales without an invoice theirs: sale, invoice, fiscal folio.
    async fn invoice_sales(&mut self, invoices: &[(i64, i64, Option<&str>)]) -> Result<(), StoreError>;
}

/// What a receivable takes from its sale.
#[derive(Debug, Clone, Copy)]
pub struct ImportedSale {
    /// The customer.
    pub cliente: Option<i64>,
    /// What it is.
    pub tipo: SaleKind,
}

/// What a payment takes from its receivable.
#[derive(Debug, Clone)]
pub struct ImportedReceivable {
    /// The customer.
    pub cliente: Option<i64>,
    /// The sale.
    pub venta: Option<i64>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
}
