//! Purchase orders: `/compras`.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::operation::filters::{choice, exact, instant, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A purchase order (contract §3); its lines are `/compras-renglones`.
#[derive(Debug, Clone, Serialize)]
pub struct Purchase {
    /// Key.
    pub clave: i64,
    /// The folio people know it by.
    pub folio: Option<String>,
    /// `pendiente`, `parcial`, `recibida`, `cancelada` or `desconocido`.
    pub estatus: String,
    /// The supplier.
    pub proveedor: i64,
    /// When it was made.
    pub fecha: Timestamp,
    /// The day the goods are due.
    pub fecha_entrega: Option<NaiveDate>,
    /// The branch, 0 the head office.
    pub sucursal: i64,
    /// The code of the warehouse that the goods go to.
    pub almacen: Option<String>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The sum of the lines before discount and taxes.
    pub subtotal: Money,
    /// Discount.
    pub descuento: Money,
    /// Taxes.
    pub impuestos: Money,
    /// What is to be paid.
    pub total: Money,
    /// The payable it made.
    pub cxp: Option<i64>,
    /// Comments.
    pub comentarios: Option<String>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Purchase {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists purchase orders.
pub struct Purchases;

/// The filters of [`Purchases`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum PurchaseFilter {
    Clave(i64),
    Folio(String),
    Proveedor(i64),
    Estatus(&'static str),
    Sucursal(i64),
    FechaDesde(DateTime<Utc>),
    FechaHasta(DateTime<Utc>),
}

use PurchaseFilter as F;

impl List for Purchases {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/compras",
        Scope::ComprasRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            exact("folio", F::Folio),
            integer("proveedor", F::Proveedor),
            choice("estatus", &["pendiente", "parcial", "recibida", "cancelada"], F::Estatus),
            integer("sucursal", F::Sucursal),
            instant("fecha_desde", Edge::From, F::FechaDesde),
            instant("fecha_hasta", Edge::Until, F::FechaHasta),
        ],
    )
    .summary("List purchase orders");
    type Path = ();
    type Filter = F;
    type Item = Purchase;
}
