//! Bulk import: records in batches; each batch is written whole or not at all.

use std::collections::HashMap;

use async_trait::async_trait;
use rust_decimal::Decimal;

use super::{Conflict, EachRow, StoreError, Tx};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::domain::words::{OpportunityStatus, SaleKind};
use crate::record::{ImportSpec, ListSpec, Value};

/// Records that may have a parent of their own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// Products: the product that one is a variant of (`productos.clave_padre`).
    Products,
    /// Categories: the category that one belongs to (`categorias.padre`, -1 at the root).
    Categories,
}

/// Records that others refer to by a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// A brand by its name: of several the one that is not deleted, else the oldest.
    Brand,
    /// A category by its name: of several the active one, if only one is.
    Category,
    /// A product by its SKU: of several the active one, else the newest.
    Product,
    /// A warehouse by its code.
    Warehouse,
}

/// The records that have a code or name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRecords {
    /// The clave of the one that is meant; `None` if that cannot be told.
    pub clave: Option<i64>,
    /// The claves of all.
    pub claves: Vec<i64>,
}

/// A counter of the company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series<'a> {
    /// Claves of deposits; imported payments may name deposits of another system.
    Deposits,
    /// Folios of documents of a type and series.
    Folios {
        /// Type of the documents, e.g. `factura`.
        tipo: &'a str,
        /// Empty for documents without a series.
        serie: &'a str,
    },
}

/// Records to be written together, in the order of their lines.
#[async_trait]
pub trait ImportBatch: Send {
    /// The number of records.
    fn count(&self) -> usize;

    /// Writes the first `count` records with their effects, such as entries. After a conflict it is
    /// called again with fewer.
    async fn write(&mut self, tx: &mut dyn Tx, count: usize) -> Result<(), StoreError>;
}

/// Why a batch was not written.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A record conflicts with the company's data or with a record before it.
    #[error("record {at}: {conflict:?}")]
    Record {
        /// The place of the first such record in the batch, from 0.
        at: usize,
        /// The constraint that it violates, which names the field.
        conflict: Conflict,
    },
    /// The store failed; the transaction is of no more use.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// The sale of an imported receivable.
#[derive(Debug, Clone, Copy)]
pub struct ImportedSale {
    /// `None`: the sale is to nobody in particular.
    pub cliente: Option<i64>,
    /// Copied to the receivable.
    pub tipo: SaleKind,
    /// The IVA and the IEPS, together.
    pub impuestos: Money,
    /// The IEPS alone.
    pub ieps: Money,
    /// The total, with its taxes.
    pub total: Money,
    /// Whether its taxes are known.
    pub desglose: bool,
}

impl ImportedSale {
    /// The IVA, the IEPS and the total that contains them, as payments collect them.
    pub(crate) fn taxes(&self) -> [Money; 3] {
        if !self.desglose {
            return [Money::default(); 3];
        }
        let iva = (self.impuestos.get() - self.ieps.get()).max(Decimal::ZERO);
        [Money::new(iva), self.ieps, self.total]
    }
}

/// The receivable of an imported payment.
#[derive(Debug, Clone)]
pub struct ImportedReceivable {
    /// `None`: the receivable names no customer.
    pub cliente: Option<i64>,
    /// `None`: the receivable is of no sale.
    pub venta: Option<i64>,
    /// The payment's currency too.
    pub moneda: String,
    /// Pesos for one unit of the currency, the payment's unless its line says otherwise.
    pub tipo_cambio: Rate,
}

/// What imports need of a transaction, and edits of records that can be imported.
#[async_trait]
pub trait ImportTx {
    /// Writes all records of a batch, or none. After [`BatchError::Failed`] the transaction is of
    /// no more use.
    async fn write_batch(&mut self, batch: &mut dyn ImportBatch) -> Result<(), BatchError>;

    /// Those of `claves` that no record of the company has. A file may have a parent after its
    /// children.
    async fn missing_parents(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// The parents of these records and of all above them, by clave. No other transaction gives a
    /// record another parent until the end.
    async fn lineage(&mut self, parents: Parents, claves: &[i64]) -> Result<HashMap<i64, Option<i64>>, StoreError>;

    /// Sets the parents of records: pairs of a record's clave and its parent's.
    async fn set_parents(&mut self, parents: Parents, children: &[(i64, i64)]) -> Result<(), StoreError>;

    /// Those of `claves` that a record of the company has. No other transaction takes one of them
    /// until the end.
    async fn taken_claves(&mut self, spec: &'static ImportSpec, claves: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// The claves of new records, one for each element of `given`: the given one, else the one
    /// after the greatest so far. Advances the company's counter past all of them.
    async fn assign_claves(&mut self, spec: &'static ImportSpec, given: &[Option<i64>])
    -> Result<Vec<i64>, StoreError>;

    /// Advances a counter past `last`.
    async fn advance_series(&mut self, series: Series<'_>, last: i64) -> Result<(), StoreError>;

    /// Inserts all of the records or none. `values` has one value for each column of the first
    /// record, then of the second, and so on.
    async fn insert_records(&mut self, spec: &'static ImportSpec, values: &[Value<'_>]) -> Result<(), StoreError>;

    /// Locks the record of `list` with that clave until the end and calls `each` with the list's
    /// columns. `false`, without a call, if there is no such record or the list hides it.
    async fn lock_record(&mut self, list: &'static ListSpec, clave: i64, each: EachRow<'_>)
    -> Result<bool, StoreError>;

    /// Writes all columns of a record, and those computed from them.
    async fn update_record(
        &mut self,
        spec: &'static ImportSpec,
        clave: i64,
        values: &[Value<'_>],
    ) -> Result<(), StoreError>;

    /// The claves of the records with these names; the lowest one where several have the same,
    /// unless [`Naming`] says otherwise.
    async fn named(&mut self, naming: Naming, names: &[&str]) -> Result<HashMap<String, NamedRecords>, StoreError>;

    /// The SKUs of these products; those without one are left out.
    async fn skus_of(&mut self, products: &[i64]) -> Result<HashMap<i64, String>, StoreError>;

    /// Creates the price lists that do not exist, by clave, and sets the names that are given. Sets
    /// `modificado` of the prices whose list got another name.
    async fn make_price_lists(&mut self, lists: &[(i64, Option<&str>)], now: Timestamp) -> Result<(), StoreError>;

    /// The status that each of these stages gives an opportunity; stages that do not exist are left
    /// out.
    async fn stage_kinds(&mut self, stages: &[i64]) -> Result<HashMap<i64, OpportunityStatus>, StoreError>;

    /// The greatest line number of each of these sales; those without lines are left out.
    async fn last_lines(&mut self, sales: &[i64]) -> Result<HashMap<i64, i64>, StoreError>;

    /// These sales; those that do not exist are left out.
    async fn imported_sales(&mut self, sales: &[i64]) -> Result<HashMap<i64, ImportedSale>, StoreError>;

    /// The sales of these invoices of the registry, by the invoice; those without one are left out.
    async fn sales_of_invoices(&mut self, facturas: &[i64]) -> Result<HashMap<i64, i64>, StoreError>;

    /// These receivables; those that do not exist are left out.
    async fn imported_receivables(&mut self, cxc: &[i64]) -> Result<HashMap<i64, ImportedReceivable>, StoreError>;

    /// Whether several documents of the registry have one of these fiscal folios.
    async fn is_uuid_repeated(&mut self, uuids: &[&str]) -> Result<bool, StoreError>;

    /// Links sales without an invoice, or with a cancelled one, to theirs: sale, invoice, fiscal
    /// folio.
    async fn invoice_sales(&mut self, invoices: &[(i64, i64, Option<&str>)], now: Timestamp) -> Result<(), StoreError>;
}
