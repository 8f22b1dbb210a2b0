//! Accounts payable: `/cxp`.

use chrono::NaiveDate;
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::words::{PayableKind, PayableStatus};
use crate::error::Error;
use crate::operation::filters::{boolean, choice, integer, uuid};
use crate::operation::{Keyed, List, ListSpec, Pages, Query};

/// An account payable (spec, "Account payable"; contract §3). A group of operations is one, with the group's total.
#[derive(Debug, Clone, Serialize)]
pub struct Payable {
    /// Key.
    pub clave: i64,
    /// The folio people know it by.
    pub folio: Option<String>,
    /// `compra` or `gasto`.
    pub tipo: String,
    /// `cancelado`, `pendiente` or `pagado`.
    pub estatus: String,
    /// The supplier, 0 when it was captured without one.
    pub proveedor: i64,
    /// The purchase order it is of.
    pub compra: Option<i64>,
    /// The supplier's folio as captured; may be several, separated by commas.
    pub factura: Option<String>,
    /// The fiscal folio of the CFDI it was made from.
    pub uuid: Option<String>,
    /// The day it is of.
    pub fecha: NaiveDate,
    /// The day it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What was to be paid.
    pub total: Money,
    /// What has been paid.
    pub pagado: Money,
    /// What is left to pay; negative: in the company's favour.
    pub saldo: Money,
    /// The branch, 0 the head office.
    pub sucursal: i64,
    /// How many operations it groups.
    pub operaciones: i64,
    /// What it is for.
    pub concepto: Option<String>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Payable {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists accounts payable; without `estatus`, pending ones.
pub struct Payables;

/// The filters of [`Payables`] (spec, "GET /cxp").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum PayableFilter {
    Clave(i64),
    Estatus(&'static str),
    Tipo(&'static str),
    Proveedor(i64),
    Uuid(String),
    ConSaldo(bool),
    Vencido(bool),
}

use PayableFilter as F;

impl List for Payables {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/cxp",
        Scope::CxpRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            choice("estatus", PayableStatus::WORDS, F::Estatus),
            choice("tipo", PayableKind::WORDS, F::Tipo),
            integer("proveedor", F::Proveedor),
            uuid("uuid", F::Uuid),
            boolean("con_saldo", F::ConSaldo),
            boolean("vencido", F::Vencido),
        ],
    )
    .summary("List accounts payable");
    type Path = ();
    type Filter = F;
    type Item = Payable;

    /// Whatever else is asked for: the others are shown only when their status is named (spec, "GET /cxp" 1).
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        if !query.filters.iter().any(|filter| matches!(filter, F::Estatus(_))) {
            query.filters.push(F::Estatus(PayableStatus::Pendiente.word()));
        }
        Ok(())
    }
}
