//! Bulk import: records in batches, each of which is written as a whole or not at all.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{Conflict, EachRow, StoreError, Tx};
use crate::domain::quantity::Rate;
use crate::domain::words::{OpportunityStatus, SaleKind};
use crate::record::{ListSpec, Value};

/// Tables whose records may name another of the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// `productos.clave_padre`
    Products,
    /// `categorias.padre`
    Categories,
}

/// Records that others name by a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// A brand by its name.
    Brand,
    /// A category by its name.
    Category,
    /// A product by its SKU: of several the active one, else the newest.
    Product,
    /// A warehouse by its code.
    Warehouse,
}

/// Numbers that the company assigns in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series<'a> {
    /// Of deposits.
    Deposits,
    /// The folios of documents of a type and series.
    Folios {
        /// The type.
        tipo: &'a str,
        /// The series.
        serie: &'a str,
    },
}

/// Records to be written together, in the order of their lines.
#[async_trait]
pub trait Batch: Send {
    /// How many there are.
    fn count(&self) -> usize;

    /// Writes the first `count` of them, and what follows from them. After a conflict it is called again, with fewer of
    /// them.
    async fn write(&mut self, tx: &mut dyn Tx, count: usize) -> Result<(), StoreError>;
}

/// Why a batch was not written.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A record conflicts with the company's data or with a record before it; it is the first that does.
    #[error("record {at}: {conflict:?}")]
    Record {
        /// Its place in the batch, from 0.
        at: usize,
        /// Why.
        conflict: Conflict,
    },
    /// The store failed.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// What imports need of a transaction, and edits of records that can be imported.
#[async_trait]
pub trait ImportTx {
    /// Writes a batch: all of its records, or none and the import is over.
    async fn write_batch(&mut self, batch: &mut dyn Batch) -> Result<(), BatchError>;

    /// Those of `claves` that no record of the company has, so that a parent may come later in the file than its
    /// children.
    async fn missing_parents(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// Sets the parents of records: pairs of a record's clave and its parent's.
    async fn set_parents(&mut self, parents: Parents, children: &[(i64, i64)]) -> Result<(), StoreError>;

    /// The claves of new records of `table`, one for each element of `given`: the given one, or else the one after the
    /// greatest so far. The company's counter is advanced past all of them.
    async fn claves(&mut self, table: &str, given: &[Option<i64>]) -> Result<Vec<i64>, StoreError>;

    /// Advances a series past `last`.
    async fn advance(&mut self, series: Series<'_>, last: i64) -> Result<(), StoreError>;

    /// Inserts records into `table`: all of them, or none. `values` holds them one after the other, with one value
    /// for each of `columns`. The store adds the columns that are [`computed`](crate::record::computed).
    async fn insert_records(
        &mut self,
        table: &'static str,
        columns: &'static [&'static str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError>;

    /// Locks the record of `list` with that clave until the end and calls `each` with it, in the list's columns; `false` without calling
    /// it when there is none, or one that the list hides.
    async fn lock_record(&mut self, list: &'static ListSpec, clave: i64, each: EachRow<'_>)
    -> Result<bool, StoreError>;

    /// Writes these columns of a record of `table`, and those computed from them: all of them, or none.
    async fn update_record(
        &mut self,
        table: &'static str,
        clave: i64,
        columns: &[&'static str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError>;

    /// The claves of the records with these names; the lowest one where several have the same, unless [`Naming`] says
    /// otherwise.
    async fn named(&mut self, naming: Naming, names: &[&str]) -> Result<HashMap<String, i64>, StoreError>;

    /// The SKUs of these products; those without one are left out.
    async fn skus_of(&mut self, products: &[i64]) -> Result<HashMap<i64, String>, StoreError>;

    /// Creates these price lists, by clave, where they do not exist, and sets the names that are given.
    async fn make_price_lists(&mut self, lists: &[(i64, Option<&str>)]) -> Result<(), StoreError>;

    /// The status that each of these stages gives an opportunity; stages that do not exist are left out.
    async fn stage_kinds(&mut self, stages: &[i64]) -> Result<HashMap<i64, OpportunityStatus>, StoreError>;

    /// The greatest line number of each of these sales that has lines.
    async fn last_lines(&mut self, sales: &[i64]) -> Result<HashMap<i64, i64>, StoreError>;

    /// These sales; those that do not exist are left out.
    async fn imported_sales(&mut self, sales: &[i64]) -> Result<HashMap<i64, ImportedSale>, StoreError>;

    /// These receivables; those that do not exist are left out.
    async fn imported_receivables(&mut self, cxc: &[i64]) -> Result<HashMap<i64, ImportedReceivable>, StoreError>;

    /// Links sales that have no invoice to theirs: sale, invoice, fiscal folio.
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
