//! Payments applied to receivables: `/cxc-pagos`.

use chrono::NaiveDate;
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::operation::filters::{date, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A payment applied to a receivable (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Payment {
    /// Key.
    pub clave: i64,
    /// The receivable.
    pub cxc: i64,
    /// The receivable's sales document.
    pub venta: Option<i64>,
    /// The customer.
    pub cliente: Option<i64>,
    /// The day of the payment.
    pub fecha: NaiveDate,
    /// When it was applied.
    pub aplicado: Timestamp,
    /// `deposito`, `saldo_a_favor` or `anticipo`.
    pub origen: String,
    /// The amount.
    pub importe: Money,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// The bank account it went to.
    pub cuenta_bancaria: Option<i64>,
    /// The deposit it came with.
    pub deposito: Option<i64>,
    /// Bank reference.
    pub referencia: Option<String>,
    /// Which of the receivable's payments it is.
    pub parcialidad: i64,
    /// What was owed before.
    pub saldo_anterior: Money,
    /// What was owed after.
    pub saldo_insoluto: Money,
    /// Its payment complement: `no_aplica`, `encolado`, `timbrado` or `error`.
    pub complemento: String,
    /// The complement in the registry of invoices.
    pub factura: Option<i64>,
    /// The complement's fiscal folio.
    pub uuid: Option<String>,
    /// Whether it was cancelled.
    pub cancelado: bool,
}

impl Keyed for Payment {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists payments, cancelled ones too.
pub struct Payments;

/// The filters of [`Payments`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum PaymentFilter {
    Clave(i64),
    Cxc(i64),
    Cliente(i64),
    Venta(i64),
    FechaDesde(NaiveDate),
    FechaHasta(NaiveDate),
}

use PaymentFilter as F;

impl List for Payments {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/cxc-pagos",
        Scope::CxcRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            integer("cxc", F::Cxc),
            integer("cliente", F::Cliente),
            integer("venta", F::Venta),
            date("fecha_desde", Edge::From, F::FechaDesde),
            date("fecha_hasta", Edge::Until, F::FechaHasta),
        ],
    )
    .summary("List payments of receivables");
    type Path = ();
    type Filter = F;
    type Item = Payment;
}
