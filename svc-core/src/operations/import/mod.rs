//! Bulk import: NDJSON, one record a line, all or nothing.
//!
//! A record has the field names of its list's item; what is left out takes its default, `clave` is kept when given.
//! Lines are read in batches, beside the writing of those before, so a file of any size takes little memory; a batch is one
//! statement. When the database
//! refuses one, the batch is halved until the line at fault is found. Importing emits no events.
//!
//! The fields and columns of a record are in [`crate::record`]; here are its rules: what is invalid, what is looked up, and
//! the defaults.
//!
//! # How to add a resource
//! `import` in its `record!`, `impl Rules` in the file of its area here, a line in [`Resource`].

mod load;
mod rules;
#[cfg(test)]
mod tests;

use std::io;

use load::Lines;
pub(super) use rules::{
    HEAD_OFFICE, NO_SERIES, Rules, UnknownSku, distinct, in_pesos, look_up_names, look_up_skus, lower_case,
    move_past_folios, own_folio, require, require_clave, require_currency, require_exact_integers, require_uuid,
};
use serde::Serialize;

use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::operation::existing;
use crate::record::{
    bank_account, branch, brand, category, customer, invoice, loss_reason, movement, opportunity, payable, payment,
    price, product, purchase, purchase_line, receivable, sale, sale_line, salesperson, stage, stock, supplier, unit,
    warehouse,
};
use crate::store::{StoreError, TransactionBody, Tx};

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

        impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> Import<'_, L> {
            async fn load_resource(&mut self, tx: &mut dyn Tx) -> Result<u64, ImportError> {
                match self.resource { $(Resource::$variant => self.load::<$record>(tx).await,)* }
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
    /// Imports the records of `lines` into `company`: all of them, or none. Returns how many, and since when: the moment of its start, which
    /// they bear as `modificado` unless they bring their own, however long it takes. `progress` is called
    /// with the count after each batch. Empty lines are skipped. An error names the first invalid line.
    pub async fn import<L>(
        &self,
        company: CompanyId,
        resource: Resource,
        lines: L,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Imported, ImportError>
    where
        L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static,
    {
        let now = Timestamp::new(self.now());
        let mut import = Import { company, resource, lines: Some(Lines::new(lines)), progress, now, fault: None };
        match self.transact(company, &mut import).await {
            Ok(importados) => Ok(Imported { importados, desde: now }),
            Err(error) => Err(import.fault.unwrap_or(ImportError::Failed(error))),
        }
    }
}

/// What an import brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Imported {
    /// How many records.
    pub importados: u64,
    /// When the import began: clients that follow `modificado_desde` must ask from here.
    pub desde: Timestamp,
}

struct Import<'a, L> {
    company: CompanyId,
    resource: Resource,
    /// Until they are read.
    lines: Option<Lines<L>>,
    progress: &'a mut (dyn FnMut(u64) + Send),
    now: Timestamp,
    fault: Option<ImportError>,
}

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> TransactionBody for Import<'_, L> {
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
