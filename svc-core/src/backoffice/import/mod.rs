//! The bulk door: NDJSON, one record a line, all or nothing.
//!
//! A record has the field names of its list's item; what is left out takes its default, `clave` is kept when given.
//! Lines are read in batches, so a file of any size takes little memory; a batch is one statement. When the database
//! refuses one, the batch is halved until the line at fault is found. Importing emits no events.
//!
//! # How to add a resource
//! A `#[derive(Deserialize)]` record of the list item's field names with `impl Record` in the file of its area here, an
//! `import_…` method in the aggregate's transaction trait and its COPY in the twin file, a line in [`Resource`].
//! Fields that follow from others (`disponible`, `sku` beside `producto`) are taken and not stored.

mod catalogue;
mod customers;
mod opportunities;
mod products;
mod purchases;
mod receivables;
mod sales;
mod staff;
mod stock;

use std::collections::HashSet;
use std::io;

use serde::de::DeserializeOwned;

pub use catalogue::{BrandRecord, CategoryRecord, PriceRecord, UnitRecord};
pub use customers::CustomerRecord;
pub use opportunities::{LossReasonRecord, OpportunityRecord, StageRecord};
pub use products::ProductRecord;
pub use purchases::{PayableRecord, PurchaseLineRecord, PurchaseRecord, SupplierRecord};
pub use receivables::{PaymentRecord, ReceivableRecord};
pub use sales::{InvoiceRecord, LineAmounts, SaleLineRecord, SaleRecord};
pub use staff::{BankAccountRecord, SalespersonRecord};
pub use stock::{BranchRecord, MovementRecord, StockRecord, WarehouseRecord};

use super::{Office, existing};
use crate::domain::sat;
use crate::domain::text::parse_uuid;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::json::{Fault, Json};
use crate::store::{CompanyId, Conflict, Parents, StoreError, Tx, Work, transact};

/// Records that go to the database in one statement.
const BATCH: usize = 1_000;

macro_rules! resources {
    ($($variant:ident = $name:literal of $record:ty,)*) => {
        /// What can be imported, by its list's path without the slash.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is the list of its name")]
        pub enum Resource { $($variant,)* }

        impl Resource {
            /// Every resource, in an order in which each finds what it refers to.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send> Import<'_, L> {
            async fn load_resource(&mut self, tx: &mut dyn Tx) -> Result<u64, ImportError> {
                match self.resource { $(Resource::$variant => self.load::<$record>(tx).await,)* }
            }
        }
    };
}

resources! {
    Sucursales = "sucursales" of BranchRecord,
    Almacenes = "almacenes" of WarehouseRecord,
    Unidades = "unidades" of UnitRecord,
    Vendedores = "vendedores" of SalespersonRecord,
    CuentasBancarias = "cuentas-bancarias" of BankAccountRecord,
    Marcas = "marcas" of BrandRecord,
    Categorias = "categorias" of CategoryRecord,
    Productos = "productos" of ProductRecord,
    Precios = "precios" of PriceRecord,
    Proveedores = "proveedores" of SupplierRecord,
    Clientes = "clientes" of CustomerRecord,
    Inventario = "inventario" of StockRecord,
    MovimientosInventario = "movimientos-inventario" of MovementRecord,
    Ventas = "ventas" of SaleRecord,
    VentasRenglones = "ventas-renglones" of SaleLineRecord,
    Facturas = "facturas" of InvoiceRecord,
    Cxc = "cxc" of ReceivableRecord,
    CxcPagos = "cxc-pagos" of PaymentRecord,
    Cxp = "cxp" of PayableRecord,
    Compras = "compras" of PurchaseRecord,
    ComprasRenglones = "compras-renglones" of PurchaseLineRecord,
    EtapasOportunidad = "etapas-oportunidad" of StageRecord,
    MotivosPerdida = "motivos-perdida" of LossReasonRecord,
    Oportunidades = "oportunidades" of OpportunityRecord,
}

impl Resource {
    /// The resource of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|resource| resource.name() == name)
    }
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A line is wrong; the text names its field.
    #[error("line {line}: {text}")]
    Line {
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        text: String,
    },
    /// The input could not be read.
    #[error("line {line}: the input could not be read: {source}")]
    Read {
        /// The line's number, from 1.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// The import as a whole failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl Office {
    /// Imports the records of `lines` into `company`: all of them, or none. Gives how many; `progress` is told the
    /// count as it grows. Empty lines are passed over.
    pub async fn import<L>(
        &self,
        company: CompanyId,
        resource: Resource,
        lines: L,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<u64, ImportError>
    where
        L: Iterator<Item = io::Result<Vec<u8>>> + Send,
    {
        let now = Timestamp::new(self.clock.now());
        let mut work = Import { company, resource, lines: Lines { lines, line: 0 }, progress, now, fault: None };
        match transact(self.store.as_ref(), company, &mut work).await {
            Ok(count) => Ok(count),
            Err(error) => Err(work.fault.unwrap_or(ImportError::Failed(error))),
        }
    }
}

struct Import<'a, L> {
    company: CompanyId,
    resource: Resource,
    lines: Lines<L>,
    progress: &'a mut (dyn FnMut(u64) + Send),
    now: Timestamp,
    fault: Option<ImportError>,
}

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send> Work for Import<'_, L> {
    type Output = u64;
    // The lines have been read by then.
    const REPEATABLE: bool = false;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<u64, Error> {
        existing(tx, self.company).await?;
        let outcome = self.load_resource(tx).await;
        outcome.map_err(|fault| {
            self.fault = Some(fault);
            Error::internal("the import was undone")
        })
    }
}

/// A record that can be imported.
trait Record: DeserializeOwned + Send + Sync {
    /// The field by which a record names another of its own kind, which may come later in the file.
    const PARENT: Option<(&'static str, Parents)> = None;

    /// Judges what its types cannot.
    fn check(&self) -> Result<(), Fault>;

    /// The record it names.
    fn parent(&self) -> Option<i64> {
        None
    }

    fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// A fault of `field` unless what it holds is `fine`.
fn require(fine: bool, field: &'static str, text: &'static str) -> Result<(), Fault> {
    if fine { Ok(()) } else { Err(Fault::new(Code::DatoInvalido, field, text)) }
}

/// A currency is one of the SAT's catalogue.
fn require_currency(moneda: Option<&str>) -> Result<(), Fault> {
    require(moneda.is_none_or(|key| sat::currency(key).is_some()), "moneda", "no está en el catálogo del SAT")
}

/// A clave is positive.
fn require_clave(clave: Option<i64>) -> Result<(), Fault> {
    require(clave.is_none_or(|clave| clave > 0), "clave", "debe ser un entero positivo")
}

/// A fiscal folio is whole.
pub(super) fn require_uuid(uuid: Option<&str>, field: &'static str) -> Result<(), Fault> {
    require(uuid.is_none_or(|text| parse_uuid(text).is_some()), field, "debe ser un folio fiscal de 36 caracteres")
}

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send> Import<'_, L> {
    async fn load<R: Record>(&mut self, tx: &mut dyn Tx) -> Result<u64, ImportError> {
        let mut count = 0;
        let mut named = Vec::new();
        tx.defer_parents().await?;
        loop {
            let (numbers, rows) = self.lines.batch::<R>()?;
            if rows.is_empty() {
                refuse_orphans::<R>(tx, &named).await?;
                return Ok(count);
            }
            named.extend(numbers.iter().zip(&rows).filter_map(|(line, row)| Some((*line, row.parent()?))));
            tx.savepoint().await?;
            match R::insert(tx, &rows, self.now).await {
                Ok(()) => tx.release_savepoint().await?,
                Err(StoreError::Conflict(conflict)) => {
                    return Err(blame(tx, &numbers, &rows, self.now, conflict).await?);
                }
                Err(other) => return Err(other.into()),
            }
            count += rows.len() as u64;
            (self.progress)(count);
        }
    }
}

/// Refuses the first line that names a parent which is neither in the company nor in the file.
async fn refuse_orphans<R: Record>(tx: &mut dyn Tx, named: &[(u64, i64)]) -> Result<(), ImportError> {
    let Some((field, parents)) = R::PARENT else { return Ok(()) };
    let mut claves: Vec<i64> = named.iter().map(|(_, clave)| *clave).collect();
    claves.sort_unstable();
    claves.dedup();
    let missing: HashSet<i64> = tx.missing(parents, &claves).await?.into_iter().collect();
    match named.iter().find(|(_, clave)| missing.contains(clave)) {
        Some((line, _)) => {
            Err(ImportError::Line { line: *line, text: format!("{field}: no existe en la empresa ni en el archivo") })
        }
        None => Ok(()),
    }
}

/// Finds the first row at fault in a batch that was refused as a whole: the end of its shortest prefix that is refused too.
async fn blame<R: Record>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &[R],
    now: Timestamp,
    mut conflict: Conflict,
) -> Result<ImportError, ImportError> {
    let (mut good, mut bad) = (0, rows.len());
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        tx.back_to_savepoint().await?;
        match R::insert(tx, &rows[..middle], now).await {
            Ok(()) => good = middle,
            Err(StoreError::Conflict(found)) => (bad, conflict) = (middle, found),
            Err(other) => return Err(other.into()),
        }
    }
    let text = match &conflict {
        Conflict::Reference(_) => "no existe en la empresa",
        Conflict::Value(_) => "no es válido",
        Conflict::Rfc | Conflict::Sku | Conflict::Clave | Conflict::Name | Conflict::Taken(_) => {
            "ya existe en la empresa o en el archivo"
        }
    };
    Ok(ImportError::Line { line: numbers[bad - 1], text: format!("{}: {text}", conflict.field()) })
}

struct Lines<L> {
    lines: L,
    line: u64,
}

impl<L: Iterator<Item = io::Result<Vec<u8>>>> Lines<L> {
    /// The next records, with the numbers of their lines.
    fn batch<R: Record>(&mut self) -> Result<(Vec<u64>, Vec<R>), ImportError> {
        let (mut numbers, mut rows) = (Vec::new(), Vec::new());
        while rows.len() < BATCH
            && let Some(bytes) = self.lines.next()
        {
            self.line += 1;
            let line = self.line;
            let bytes = bytes.map_err(|source| ImportError::Read { line, source })?;
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let wrong = |text: String| ImportError::Line { line, text };
            let json = Json::parse_object(&bytes).map_err(|text| wrong(text.into_owned()))?;
            let record: R = json.read().map_err(|fault| wrong(fault.to_string()))?;
            record.check().map_err(|fault| wrong(fault.to_string()))?;
            numbers.push(line);
            rows.push(record);
        }
        Ok((numbers, rows))
    }
}
