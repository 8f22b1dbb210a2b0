//! The registry of invoices: `/facturas`.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::Error;
use crate::operation::filters::{choice, instant, integer, uuid};
use crate::operation::{Keyed, List, ListSpec, Pages, Query, window};

/// A record of the stamping registry (contract §3); it has no amounts.
#[derive(Debug, Clone, Serialize)]
pub struct Invoice {
    /// Key.
    pub clave: i64,
    /// `factura`, `nota_credito`, `pago`, `traslado`, `embarque` or `externa`.
    pub tipo: String,
    /// `vigente`, `cancelada`, `en_espera` or `error`.
    pub estatus: String,
    /// The sales document it is of.
    pub venta: Option<i64>,
    /// The customer.
    pub cliente: Option<i64>,
    /// Series.
    pub serie: Option<String>,
    /// Folio.
    pub folio: Option<String>,
    /// Fiscal folio.
    pub uuid: Option<String>,
    /// When it was made.
    pub fecha: Timestamp,
    /// When it was stamped.
    pub fecha_timbrado: Option<Timestamp>,
    /// When it was cancelled.
    pub fecha_cancelacion: Option<Timestamp>,
    /// Why it was cancelled, 01 to 04.
    pub motivo_cancelacion: Option<String>,
    /// Fiscal folio of the one that took its place.
    pub uuid_sustitucion: Option<String>,
    /// Code of the stamping's error.
    pub error_codigo: Option<String>,
    /// Text of the stamping's error.
    pub error_mensaje: Option<String>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Invoice {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists the stamping registry.
pub struct Invoices;

/// The filters of [`Invoices`] (spec, "GET /facturas").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum InvoiceFilter {
    Clave(i64),
    Uuid(String),
    Venta(i64),
    Tipo(&'static str),
    Estatus(&'static str),
    FechaDesde(DateTime<Utc>),
    FechaHasta(DateTime<Utc>),
}

use InvoiceFilter as F;

impl List for Invoices {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/facturas",
        Scope::FacturasRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            uuid("uuid", F::Uuid),
            integer("venta", F::Venta),
            choice("tipo", InvoiceKind::WORDS, F::Tipo),
            choice("estatus", InvoiceStatus::WORDS, F::Estatus),
            instant("fecha_desde", Edge::From, F::FechaDesde),
            instant("fecha_hasta", Edge::Until, F::FechaHasta),
        ],
    )
    .summary("List the registry of invoices");
    type Path = ();
    type Filter = F;
    type Item = Invoice;

    /// 92 days at the most.
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        let (mut from, mut until) = (None, None);
        for filter in &query.filters {
            match filter {
                F::FechaDesde(at) => from = Some(*at),
                F::FechaHasta(at) => until = Some(*at),
                F::Clave(_) | F::Uuid(_) | F::Venta(_) | F::Tipo(_) | F::Estatus(_) => {}
            }
        }
        let end = window::close(from, until, query.now)?;
        query.filters.extend(end.filter(|_| until.is_none()).map(F::FechaHasta));
        Ok(())
    }
}
