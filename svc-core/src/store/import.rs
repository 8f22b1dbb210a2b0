//! Bulk import: many records in one statement, with savepoints to find the invalid one.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{EachRow, StoreError};
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

/// What imports need of a transaction.
#[async_trait]
pub trait ImportTx {
    /// Sets a savepoint.
    async fn savepoint(&mut self) -> Result<(), StoreError>;

    /// Rolls back to the savepoint, which remains.
    async fn back_to_savepoint(&mut self) -> Result<(), StoreError>;

    /// Releases the savepoint.
    async fn release_savepoint(&mut self) -> Result<(), StoreError>;

    /// Those of `claves` that no record of the company has, so that a parent may come later in the file than its
    /// children.
    async fn missing(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// Sets the parents of records: pairs of a record's clave and its parent's.
    async fn set_parents(&mut self, parents: Parents, children: &[(i64, i64)]) -> Result<(), StoreError>;

    /// The claves of new records of `table`, one for each element of `given`: the given one, or else the one after the
    /// greatest so far. The company's counter is advanced past all of them.
    async fn claves(&mut self, table: &str, given: &[Option<i64>]) -> Result<Vec<i64>, StoreError>;

    /// Advances the counter of `series` past `last`.
    async fn move_past(&mut self, series: &str, last: i64) -> Result<(), StoreError>;

    /// Advances the folio counter of documents of that type and series past `last`.
    async fn move_past_folio(&mut self, tipo: &str, serie: &str, last: i64) -> Result<(), StoreError>;

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

    /// Whether the category `below` is `categoria` or lies below it.
    async fn is_category_below(&mut self, below: i64, categoria: i64) -> Result<bool, StoreError>;

    /// Makes a warehouse the only main one of its branch.
    async fn unset_other_main_warehouses(&mut self, almacen: i64) -> Result<(), StoreError>;

    /// The claves of the records of `table` by these values of `column`; the lowest clave where several have the same.
    async fn claves_of(
        &mut self,
        table: &'static str,
        column: &'static str,
        names: &[&str],
    ) -> Result<HashMap<String, i64>, StoreError>;

    /// The products with these SKUs: for each the active one, else the newest.
    async fn products_of(&mut self, skus: &[&str]) -> Result<HashMap<String, i64>, StoreError>;

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
