//! Receivables: `/cxc`.

use super::filter::{boolean, choice, integer, uuid};
use super::{List, ListSpec, PageSizes, Query, record};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{ReceivableStatus, SaleKind};
use crate::error::Error;
use crate::json::Text;

record! {
    /// A receivable (contract §3).
    pub struct Receivable in "cxc" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// Folio.
        folio: Option<String> { list, import: Option<Text<50>> },
        /// What has become of it.
        estatus: ReceivableStatus { list, import: Option<ReceivableStatus> },
        /// The customer.
        cliente: Option<i64> { list, import: Option<i64> },
        /// The sales document it is of.
        venta: Option<i64> { list, import: Option<i64> },
        /// That document's type, as it is today.
        tipo_venta: Option<SaleKind> { list, import: Option<SaleKind> },
        /// The invoice it is of.
        factura: Option<i64> { list, import: Option<i64> },
        /// Fiscal folio of that invoice.
        uuid: Option<String> { list, import: Option<Text<36>> },
        /// `PUE` or `PPD`.
        metodo_pago_sat: Option<String> { list, import: Option<Text<3>> },
        /// When it was made.
        fecha: Date { list, import: Option<Date> },
        /// When it is due.
        vencimiento: Option<Date> { list, import: Option<Date> },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// Pesos for one unit of the currency.
        tipo_cambio: Rate { list, import: Option<Rate> },
        /// What was owed.
        total: Money { list, import: Money },
        /// What was paid.
        pagado: Money { list, import: Option<Money> },
        /// What is still owed.
        saldo: Money { list, import: Option<Money> },
        /// How many payments it has had.
        parcialidades: i64 { list, import: Option<i64> },
        /// Branch; 0 is the head office.
        sucursal: i64 { list, import: Option<i64> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import ReceivableImport;
}

impl List for Receivable {
    const LIST: ListSpec = ListSpec::new::<Self>("/cxc", Scope::CxcRead, PageSizes::Enforced, "List receivables")
        .filters(&[
            integer("clave"),
            choice("estatus", ReceivableStatus::WORDS),
            integer("cliente"),
            integer("venta"),
            uuid("uuid"),
            boolean("con_saldo"),
            boolean("vencido"),
        ]);

    /// Without `estatus`, lists only pending receivables, except for a given receivable, sale or
    /// invoice.
    fn normalize(query: &mut Query) -> Result<(), Error> {
        if !query.has(&["clave", "venta", "uuid"]) {
            query.default_to("estatus", ReceivableStatus::Pendiente.word());
        }
        Ok(())
    }
}
