//! Accounts payable: `/cxp`.

use super::filter::{boolean, choice, integer, uuid};
use super::{List, ListSpec, PageSizes, Query, record};
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{PayableKind, PayableStatus};
use crate::error::Error;
use crate::json::Text;

record! {
    /// An account payable (spec, "Account payable"; contract §3). A group of operations is one,
    /// with the group's total.
    pub struct Payable in "cxp" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The folio people know it by.
        folio: Option<String> { list, import: Option<Text<50>> },
        /// What it is for.
        tipo: PayableKind { list, import: Option<PayableKind> },
        /// What has become of it.
        estatus: PayableStatus { list, import: Option<PayableStatus> },
        /// The supplier, 0 when it was captured without one.
        proveedor: i64 { list, import: Option<i64> },
        /// The purchase order it is of.
        compra: Option<i64> { list, import: Option<i64> },
        /// The supplier's folio as captured; may be several, separated by commas.
        factura: Option<String> { list, import: Option<Text<255>> },
        /// The fiscal folio of the CFDI it was made from.
        uuid: Option<String> { list, import: Option<Text<36>> },
        /// The day it is of.
        fecha: Date { list, import: Option<Date> },
        /// The day it is due.
        vencimiento: Option<Date> { list, import: Option<Date> },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// Pesos for one unit of the currency.
        tipo_cambio: Rate { list, import: Option<Rate> },
        /// What was to be paid.
        total: Money { list, import: Option<Balance> },
        /// What has been paid.
        pagado: Money { list, import: Option<Balance> },
        /// What is left to pay; negative: in the company's favour.
        saldo: Money { list, import: Option<Balance> },
        /// The branch, 0 the head office.
        sucursal: i64 { list, import: Option<i64> },
        /// How many operations it groups.
        operaciones: i64 { list, import: Option<i64> },
        /// What it is for.
        concepto: Option<String> { list, import: Option<Text<500>> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import PayableImport;
}

impl List for Payable {
    const LIST: ListSpec = ListSpec::new::<Self>("/cxp", Scope::CxpRead, PageSizes::Enforced, "List accounts payable")
        .filters(&[
            integer("clave"),
            choice("estatus", PayableStatus::WORDS),
            choice("tipo", PayableKind::WORDS),
            integer("proveedor"),
            uuid("uuid"),
            boolean("con_saldo"),
            boolean("vencido"),
        ]);

    /// Lists only pending payables unless the query names a status, whatever its other filters
    /// (spec, "GET /cxp" 1).
    fn normalize(query: &mut Query) -> Result<(), Error> {
        query.default_to("estatus", PayableStatus::Pendiente.word());
        Ok(())
    }
}
