//! Receivables: `/cxc`.

use super::filter::{boolean, choice, integer, uuid};
use super::{List, ListSpec, PageSizes, Query, record};
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{ReceivableStatus, SaleKind};
use crate::error::Error;
use crate::json::Text;

record! {
    /// A receivable (contract §3).
    pub struct Receivable in "cxc" {
        clave: i64 { list, import: Option<i64> },
        folio: Option<String> { list, import: Option<Text<50>> },
        estatus: ReceivableStatus { list, import: Option<ReceivableStatus> },
        cliente: Option<i64> { list, import: Option<i64> },
        venta: Option<i64> { list, import: Option<i64> },
        tipo_venta: Option<SaleKind> { list, import: Option<SaleKind> },
        factura: Option<i64> { list, import: Option<i64> },
        uuid: Option<String> { list, import: Option<Text<36>> },
        metodo_pago_sat: Option<String> { list, import: Option<Text<3>> },
        fecha: Date { list, import: Option<Date> },
        vencimiento: Option<Date> { list, import: Option<Date> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        tipo_cambio: Rate { list, import: Option<Rate> },
        total: Money { list, import: Money },
        pagado: Money { list, import: Option<Money> },
        saldo: Money { list, import: Option<Money> },
        parcialidades: i64 { list, import: Option<i64> },
        sucursal: i64 { list, import: Option<i64> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        apertura { computed: Balance },
        apertura_iva { computed: Balance },
        apertura_ieps { computed: Balance },
    }
    import ReceivableImport;
}

impl List for Receivable {
    const LIST: ListSpec = ListSpec::new::<Self>("/cxc", Scope::CxcRead, PageSizes::Enforced).filters(&[
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
