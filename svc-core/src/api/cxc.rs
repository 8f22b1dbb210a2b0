//! Receivables: `/cxc`.

use chrono::NaiveDate;
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::words::ReceivableStatus;
use crate::error::Error;
use crate::operation::filters::{boolean, choice, integer, uuid};
use crate::operation::{Keyed, List, ListSpec, Pages, Query};

/// A receivable (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Receivable {
    /// Key.
    pub clave: i64,
    /// Folio.
    pub folio: Option<String>,
    /// `pendiente`, `pagado` or `cancelado`.
    pub estatus: String,
    /// The customer.
    pub cliente: Option<i64>,
    /// The sales document it is of.
    pub venta: Option<i64>,
    /// That document's type, as it is today.
    pub tipo_venta: Option<String>,
    /// The invoice it is of.
    pub factura: Option<i64>,
    /// Fiscal folio of that invoice.
    pub uuid: Option<String>,
    /// `PUE` or `PPD`.
    pub metodo_pago_sat: Option<String>,
    /// When it was made.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What was owed.
    pub total: Money,
    /// What was paid.
    pub pagado: Money,
    /// What is still owed.
    pub saldo: Money,
    /// How many payments it has had.
    pub parcialidades: i64,
    /// Branch; 0 is the head office.
    pub sucursal: i64,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Receivable {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists receivables: the pending ones, unless a status or a single document is asked for.
pub struct Receivables;

/// The filters of [`Receivables`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum ReceivableFilter {
    Clave(i64),
    Estatus(&'static str),
    Cliente(i64),
    Venta(i64),
    Uuid(String),
    ConSaldo(bool),
    Vencido(bool),
}

use ReceivableFilter as F;

impl List for Receivables {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/cxc",
        Scope::CxcRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            choice("estatus", ReceivableStatus::WORDS, F::Estatus),
            integer("cliente", F::Cliente),
            integer("venta", F::Venta),
            uuid("uuid", F::Uuid),
            boolean("con_saldo", F::ConSaldo),
            boolean("vencido", F::Vencido),
        ],
    )
    .summary("List receivables");
    type Filter = F;
    type Item = Receivable;

    /// Without `estatus` only pending ones, but of a given receivable, sale or invoice all.
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        let any_status =
            query.filters.iter().any(|filter| matches!(filter, F::Estatus(_) | F::Clave(_) | F::Venta(_) | F::Uuid(_)));
        if !any_status {
            query.filters.push(F::Estatus(ReceivableStatus::Pendiente.word()));
        }
        Ok(())
    }
}
