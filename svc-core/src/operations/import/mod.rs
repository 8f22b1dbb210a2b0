//! Bulk import: NDJSON, one record per line, all or nothing.
//!
//! A record has the field names of its list's item. A field that is left out gets its default; a
//! `clave` that is given is kept. Lines are read in batches while earlier ones are written, so a
//! file of any size needs little memory. One statement writes a batch; if the database refuses it,
//! the batch is halved until the wrong line is found. An import emits no events.
//!
//! An [`Export`] gives the lines that make the same records in another company.
//!
//! The fields and columns are in [`crate::record`]. This folder has the rules: what is invalid,
//! what is looked up, and the defaults.
//!
//! # How to add a resource
//! Add `import` to its `record!`, `impl Rules` to the file of its area, and a line to [`Resource`].

mod export;
mod load;
mod rules;
#[cfg(test)]
mod tests;

use std::{fmt, io};

pub use export::Export;
use export::ExportedPage;
use load::Lines;
pub(super) use rules::{
    HEAD_OFFICE, ImportMoment, NO_SERIES, Rules, UnknownSku, distinct, in_pesos, look_up_claves, look_up_names,
    look_up_skus, lower_case, move_past_folios, open_balances, own_folio, parsed_rfc, require, require_cents,
    require_clave, require_currency, require_exact_integers, require_uuid,
};
use serde::Serialize;

use crate::context::{Context, existing};
use crate::domain::company::{Company, CompanyId};
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::record::{
    Exported, Import, ListSpec, bank_account, branch, brand, category, customer, invoice, loss_reason, movement,
    opportunity, payable, payment, price, product, purchase, purchase_line, receivable, sale, sale_line, salesperson,
    stage, stock, supplier, unit, warehouse,
};
use crate::store::{Reader, StoreError, TransactionBody, Tx};

/// Declares the resources, so that each is stated once with its name and the record of its import.
macro_rules! resources {
    ($($variant:ident = $name:literal of $record:ty,)*) => {
        /// A resource that can be imported, named like the path of its list.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is the list of its name")]
        pub enum Resource { $($variant,)* }

        impl Resource {
            /// Every resource, each after those that it refers to.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name: the path of its list without the slash.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The list of all its records, as an export reads them.
            pub fn exported(self) -> &'static ListSpec {
                match self { $(Self::$variant => &<<$record as Import>::Record as Exported>::EXPORT,)* }
            }
        }

        impl Export {
            async fn read_resource(&self, reader: &dyn Reader) -> Result<ExportedPage, StoreError> {
                match self.resource {
                    $(Resource::$variant => self.read::<<$record as Import>::Record>(reader).await,)*
                }
            }
        }

        impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> ImportRun<'_, L> {
            async fn load_resource(&mut self, tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<u64, ImportError> {
                match self.resource { $(Resource::$variant => self.load::<$record>(tx, at).await,)* }
            }
        }
    };
}

resources! {
    Sucursales = "sucursales" of branch::BranchImport,
    Almacenes = "almacenes" of warehouse::WarehouseImport,
    Unidades = "unidades" of unit::UnitImport,
    Vendedores = "vendedores" of salesperson::SalespersonImport,
    CuentasBancarias = "cuentas-bancarias" of bank_account::BankAccountImport,
    Marcas = "marcas" of brand::BrandImport,
    Categorias = "categorias" of category::CategoryImport,
    Productos = "productos" of product::ProductImport,
    Precios = "precios" of price::PriceImport,
    Proveedores = "proveedores" of supplier::SupplierImport,
    Clientes = "clientes" of customer::CustomerImport,
    Inventario = "inventario" of stock::StockImport,
    MovimientosInventario = "movimientos-inventario" of movement::MovementImport,
    Ventas = "ventas" of sale::SaleImport,
    VentasRenglones = "ventas-renglones" of sale_line::SaleLineImport,
    Facturas = "facturas" of invoice::InvoiceImport,
    Cxc = "cxc" of receivable::ReceivableImport,
    CxcPagos = "cxc-pagos" of payment::PaymentImport,
    Cxp = "cxp" of payable::PayableImport,
    Compras = "compras" of purchase::PurchaseImport,
    ComprasRenglones = "compras-renglones" of purchase_line::PurchaseLineImport,
    EtapasOportunidad = "etapas-oportunidad" of stage::StageImport,
    MotivosPerdida = "motivos-perdida" of loss_reason::LossReasonImport,
    Oportunidades = "oportunidades" of opportunity::OpportunityImport,
}

impl Resource {
    /// The resource of that name; `None` if nothing is imported under it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|resource| resource.name() == name)
    }
}

/// What becomes of a line whose clave another record of the company has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// It is a bad line.
    #[default]
    Refused,
    /// It is skipped, so that the records that every company has from the start are no obstacle. Of
    /// lines with one clave the first counts.
    Skipped,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Some lines are invalid.
    #[error("{0}")]
    Lines(BadLines),
    /// The input could not be read.
    #[error("line {line}: the input could not be read: {source}")]
    Read {
        /// The number of the line that could not be read, from 1.
        line: u64,
        /// The error of the iterator that gives the lines.
        source: io::Error,
    },
    /// The database or the company refused the import as a whole.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// A line that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadLine {
    /// The line's number, from 1.
    pub line: u64,
    /// The field and the reason, in Spanish.
    pub text: String,
}

/// The lines that cannot be imported, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadLines {
    /// Ten at most.
    pub lines: Vec<BadLine>,
    /// How many further lines were not checked.
    pub unread: u64,
}

impl BadLines {
    /// The most lines that are named.
    const MAX: usize = 10;

    fn is_full(&self) -> bool {
        self.lines.len() >= Self::MAX
    }

    /// Sorts the lines and keeps the first [`Self::MAX`]. The others count as unread, as those
    /// after them are.
    fn in_order(mut self) -> Self {
        self.lines.sort_unstable_by_key(|bad| bad.line);
        self.unread += self.lines.len().saturating_sub(Self::MAX) as u64;
        self.lines.truncate(Self::MAX);
        self
    }
}

impl From<BadLine> for BadLines {
    fn from(line: BadLine) -> Self {
        Self { lines: vec![line], unread: 0 }
    }
}

impl fmt::Display for BadLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, BadLine { line, text }) in self.lines.iter().enumerate() {
            let joint = if at == 0 { "" } else { "; " };
            write!(f, "{joint}línea {line}: {text}")?;
        }
        match self.unread {
            0 => Ok(()),
            1 => f.write_str("; queda 1 línea sin revisar"),
            unread => write!(f, "; quedan {unread} líneas sin revisar"),
        }
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl Context {
    /// Imports all records of `lines` (NDJSON, without line ends) into `company`, or none. Empty
    /// lines are skipped.
    ///
    /// `existing` says what becomes of lines whose clave is taken. Records without a `modificado`
    /// of their own get the moment at which the import began. `progress` is called with the number
    /// of records after each batch. An error names all invalid lines up to the tenth.
    pub async fn import<L>(
        &self,
        company: CompanyId,
        resource: Resource,
        existing: Existing,
        lines: L,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Imported, ImportError>
    where
        L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static,
    {
        let run = ImportRun::new(resource, existing, lines, progress, Timestamp::new(self.now()));
        let mut import = WholeImport { company, run, fault: None };
        let outcome = self.transact(company, &mut import).await;
        outcome.map_err(|error| import.fault.unwrap_or(ImportError::Failed(error)))
    }
}

/// The answer of an import; all its records were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Imported {
    /// The number of records.
    pub importados: u64,
    /// When the import began. Clients that poll with `modificado_desde` must ask from this moment
    /// on.
    pub desde: Timestamp,
}

/// An import into the company of a transaction.
pub(crate) struct ImportRun<'a, L> {
    resource: Resource,
    existing: Existing,
    /// Taken by the thread that reads them.
    lines: Option<Lines<L>>,
    progress: &'a mut (dyn FnMut(u64) + Send),
    now: Timestamp,
}

impl<'a, L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> ImportRun<'a, L> {
    pub(crate) fn new(
        resource: Resource,
        existing: Existing,
        lines: L,
        progress: &'a mut (dyn FnMut(u64) + Send),
        now: Timestamp,
    ) -> Self {
        Self { resource, existing, lines: Some(Lines::new(lines)), progress, now }
    }

    /// Writes all records into `company`, whose transaction it is; they are read once.
    pub(crate) async fn load_all(&mut self, tx: &mut dyn Tx, company: &Company) -> Result<Imported, ImportError> {
        let at = ImportMoment { now: self.now, company };
        Ok(Imported { importados: self.load_resource(tx, at).await?, desde: self.now })
    }

    /// Reads the lines to their end, instead of loading them.
    pub(crate) async fn pass_over(&mut self) -> Result<(), ImportError> {
        match self.lines.take() {
            Some(lines) => lines.pass_over().await,
            None => Ok(()),
        }
    }
}

/// An import that is a transaction of its own.
struct WholeImport<'a, L> {
    company: CompanyId,
    run: ImportRun<'a, L>,
    fault: Option<ImportError>,
}

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> TransactionBody for WholeImport<'_, L> {
    type Output = Imported;
    // The lines can be read only once.
    const REPEATABLE: bool = false;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Imported, Error> {
        let company = existing(tx, self.company).await?;
        self.run.now = Timestamp::new(company.time(self.run.now.get()));
        let outcome = self.run.load_all(tx, &company).await;
        outcome.map_err(|fault| {
            self.fault = Some(fault);
            Error::internal("the import was undone")
        })
    }
}
