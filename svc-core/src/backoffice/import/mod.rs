//! Bulk import: NDJSON, one record a line, all or nothing.
//!
//! A record has the field names of its list's item; what is left out takes its default, `clave` is kept when given.
//! Lines are read in batches, so a file of any size takes little memory; a batch is one statement. When the database
//! refuses one, the batch is halved until the line at fault is found. Importing emits no events.
//!
//! What a record brings, and which columns that are, stands with the record in [`crate::record`]; here are the rules: what is
//! wrong, what is looked up, and what a record takes when something is left out.
//!
//! # How to add a resource
//! `import` in its `record!`, `impl Rules` in the file of its area here, a line in [`Resource`].

mod catalogue;
mod customers;
mod opportunities;
mod products;
mod purchases;
mod receivables;
mod sales;
mod staff;
mod stock;

use std::collections::{BTreeMap, HashSet};
use std::io;

use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::currency::PESO;
use crate::domain::sat;
use crate::domain::text::parse_uuid;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::json::{Fault, Json, Text};
use crate::operation::existing;
use crate::record::{Import as Imported, Reference};
use crate::record::{
    almacenes, categorias, clientes, compras, compras_renglones, cuentas_bancarias, cxc, cxc_pagos, cxp,
    etapas_oportunidad, facturas, inventario, marcas, motivos_perdida, movimientos_inventario, oportunidades, precios,
    productos, proveedores, sucursales, unidades, vendedores, ventas, ventas_renglones,
};
use crate::store::{Conflict, Parents, StoreError, Tx, Work, transact};

/// Records that go to the database in one statement.
const BATCH: usize = 1_000;

/// The branch of what names none.
const HEAD_OFFICE: i64 = 0;

/// A number that no series reaches: what is as great is a number of another kind, and would leave no next one.
const NO_SERIES: i64 = 1_000_000_000_000;

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
    Sucursales = "sucursales" of sucursales::BranchImport,
    Almacenes = "almacenes" of almacenes::WarehouseImport,
    Unidades = "unidades" of unidades::UnitImport,
    Vendedores = "vendedores" of vendedores::SalespersonImport,
    CuentasBancarias = "cuentas-bancarias" of cuentas_bancarias::BankAccountImport,
    Marcas = "marcas" of marcas::BrandImport,
    Categorias = "categorias" of categorias::CategoryImport,
    Productos = "productos" of productos::ProductImport,
    Precios = "precios" of precios::PriceImport,
    Proveedores = "proveedores" of proveedores::SupplierImport,
    Clientes = "clientes" of clientes::CustomerImport,
    Inventario = "inventario" of inventario::StockImport,
    MovimientosInventario = "movimientos-inventario" of movimientos_inventario::MovementImport,
    Ventas = "ventas" of ventas::SaleImport,
    VentasRenglones = "ventas-renglones" of ventas_renglones::SaleLineImport,
    Facturas = "facturas" of facturas::InvoiceImport,
    Cxc = "cxc" of cxc::ReceivableImport,
    CxcPagos = "cxc-pagos" of cxc_pagos::PaymentImport,
    Cxp = "cxp" of cxp::PayableImport,
    Compras = "compras" of compras::PurchaseImport,
    ComprasRenglones = "compras-renglones" of compras_renglones::PurchaseLineImport,
    EtapasOportunidad = "etapas-oportunidad" of etapas_oportunidad::StageImport,
    MotivosPerdida = "motivos-perdida" of motivos_perdida::LossReasonImport,
    Oportunidades = "oportunidades" of oportunidades::OpportunityImport,
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

impl Context {
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
        let now = Timestamp::new(self.now());
        let mut work = Import { company, resource, lines: Lines { lines, line: 0 }, progress, now, fault: None };
        match transact(self.store(), company, &mut work).await {
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

/// The rules of a record that can be imported.
trait Rules: Imported {
    /// The field by which a record names another of its own kind, which may come later in the file.
    const PARENT: Option<(&'static str, Parents)> = None;

    /// Judges what its types cannot.
    fn check(&self) -> Result<(), Fault>;

    /// The record it names.
    fn parent(&self) -> Option<i64> {
        None
    }

    /// Looks up what the records name.
    fn look_up(rows: &mut [Self], tx: &mut dyn Tx) -> impl Future<Output = Result<(), StoreError>> + Send {
        let _ = (rows, tx);
        async { Ok(()) }
    }

    /// Puts it into its stored form: what was left out takes its default. It may be done twice.
    fn settle(&mut self, clave: i64, now: Timestamp) -> Result<(), Fault> {
        let _ = (clave, now);
        Ok(())
    }

    /// What follows when the records are written.
    fn follow_up(rows: &[Self], tx: &mut dyn Tx) -> impl Future<Output = Result<(), StoreError>> + Send {
        let _ = (rows, tx);
        async { Ok(()) }
    }
}

/// Writes records: all of them, or none.
async fn insert<R: Rules>(tx: &mut dyn Tx, rows: &mut [R], now: Timestamp) -> Result<(), StoreError> {
    R::look_up(rows, tx).await?;
    let given: Vec<Option<i64>> = rows.iter_mut().map(|row| *row.clave()).collect();
    let claves = tx.claves(R::TABLE, &given).await?;
    for (row, clave) in rows.iter_mut().zip(claves) {
        *row.clave() = Some(clave);
        row.settle(clave, now).map_err(|fault| Conflict::Value(fault.field().to_owned()))?;
    }
    let mut values = Vec::with_capacity(rows.len() * R::COLUMNS.len());
    for row in rows.iter() {
        row.values(&mut values);
    }
    tx.insert_records(R::TABLE, R::COLUMNS, &values).await?;
    R::follow_up(rows, tx).await
}

/// Finds the records of `table` that are named by `column`; a name that none bears is a conflict of `field`.
async fn look_up_names<'r, const MAX: usize>(
    tx: &mut dyn Tx,
    (table, column, field): (&'static str, &'static str, &'static str),
    references: impl Iterator<Item = &'r mut Reference<MAX>> + Send,
) -> Result<(), StoreError> {
    let references: Vec<_> = references.collect();
    let names = distinct(references.iter().map(|reference| &*reference.name));
    let found = tx.claves_of(table, column, &names).await?;
    if found.len() < names.len() {
        return Err(Conflict::Reference(field.to_owned()).into());
    }
    for reference in references {
        reference.clave = found.get(&*reference.name).copied();
    }
    Ok(())
}

/// Finds the products that records name by SKU and not by clave.
async fn look_up_skus<'r>(
    tx: &mut dyn Tx,
    records: impl Iterator<Item = (&'r mut Option<i64>, Option<&'r str>)> + Send,
    unknown: UnknownSku,
) -> Result<(), StoreError> {
    let unnamed: Vec<_> = records
        .filter(|(producto, _)| producto.is_none())
        .filter_map(|(producto, sku)| Some((producto, sku?)))
        .collect();
    let skus = distinct(unnamed.iter().map(|(_, sku)| *sku));
    if skus.is_empty() {
        return Ok(());
    }
    let found = tx.products_of(&skus).await?;
    if unknown == UnknownSku::Refused && found.len() < skus.len() {
        return Err(Conflict::Reference("sku".to_owned()).into());
    }
    for (producto, sku) in unnamed {
        *producto = found.get(sku).copied();
    }
    Ok(())
}

/// What a SKU is that no product has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnknownSku {
    /// A fault of the record.
    Refused,
    /// All that is known of a product.
    Kept,
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Moves the series of folios past those that imported documents bring: type, series, folio.
async fn move_past_folios<'r>(
    tx: &mut dyn Tx,
    folios: impl Iterator<Item = (&'static str, Option<&'r str>, i64)> + Send,
) -> Result<(), StoreError> {
    // Sorted, so that two imports take the counters in the same order.
    let mut last = BTreeMap::new();
    for (tipo, serie, folio) in folios.filter(|(_, _, folio)| *folio < NO_SERIES) {
        let greatest = last.entry((tipo, serie.unwrap_or_default())).or_insert(folio);
        *greatest = folio.max(*greatest);
    }
    for ((tipo, serie), folio) in last {
        tx.move_past_folio(tipo, serie, folio).await?;
    }
    Ok(())
}

/// The clave as a folio, for a record that brings none.
fn own_folio<const MAX: usize>(folio: &mut Option<Text<MAX>>, clave: i64) {
    folio.get_or_insert_with(|| Text::unchecked(clave.to_string()));
}

/// Pesos, where no currency is given.
fn in_pesos(moneda: &mut Option<Text<3>>) {
    moneda.get_or_insert_with(|| Text::unchecked(PESO));
}

/// A fiscal folio in its stored form.
fn lower_case<const MAX: usize>(uuid: &mut Option<Text<MAX>>) {
    if let Some(uuid) = uuid {
        *uuid = Text::unchecked(uuid.to_lowercase());
    }
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
    async fn load<R: Rules>(&mut self, tx: &mut dyn Tx) -> Result<u64, ImportError> {
        let mut count = 0;
        let mut named = Vec::new();
        tx.defer_parents().await?;
        loop {
            let (numbers, mut rows) = self.lines.batch::<R>()?;
            if rows.is_empty() {
                refuse_orphans::<R>(tx, &named).await?;
                return Ok(count);
            }
            named.extend(numbers.iter().zip(&rows).filter_map(|(line, row)| Some((*line, row.parent()?))));
            tx.savepoint().await?;
            match insert(tx, &mut rows, self.now).await {
                Ok(()) => tx.release_savepoint().await?,
                Err(StoreError::Conflict(conflict)) => {
                    return Err(blame(tx, &numbers, &mut rows, self.now, conflict).await?);
                }
                Err(other) => return Err(other.into()),
            }
            count += rows.len() as u64;
            (self.progress)(count);
        }
    }
}

/// Refuses the first line that names a parent which is neither in the company nor in the file.
async fn refuse_orphans<R: Rules>(tx: &mut dyn Tx, named: &[(u64, i64)]) -> Result<(), ImportError> {
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
async fn blame<R: Rules>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &mut [R],
    now: Timestamp,
    mut conflict: Conflict,
) -> Result<ImportError, ImportError> {
    let (mut good, mut bad) = (0, rows.len());
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        tx.back_to_savepoint().await?;
        match insert(tx, &mut rows[..middle], now).await {
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
    fn batch<R: Rules>(&mut self) -> Result<(Vec<u64>, Vec<R>), ImportError> {
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
