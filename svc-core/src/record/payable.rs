//! Accounts payable: `/cxp`.

use super::filter::{boolean, choice, integer, uuid};
use super::{List, ListSpec, PageSizes, Query, record};
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{PayableKind, PayableStatus};
use crate::error::Error;
use crate::json::Text;

record! {
    /// An account payable (spec, "Account payable"; contract §3). A group of operations is one,
    /// with the group's total.
    pub struct Payable in "cxp" {
        clave: i64 { list, import: Option<i64> },
        folio: Option<String> { list, import: Option<Text<50>> },
        tipo: PayableKind { list, import: Option<PayableKind> },
        estatus: PayableStatus { list, import: Option<PayableStatus> },
        proveedor: i64 { list, import: Option<i64> },
        compra: Option<i64> { list, import: Option<i64> },
        factura: Option<String> { list, import: Option<Text<255>> },
        uuid: Option<String> { list, import: Option<Text<36>> },
        fecha: Date { list, import: Option<Date> },
        vencimiento: Option<Date> { list, import: Option<Date> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        tipo_cambio: Rate { list, import: Option<Rate> },
        total: Money { list, import: Option<Balance> },
        pagado: Money { list, import: Option<Balance> },
        saldo: Money { list, import: Option<Balance> },
        sucursal: i64 { list, import: Option<i64> },
        operaciones: i64 { list, import: Option<i64> },
        concepto: Option<String> { list, import: Option<Text<500>> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        iva: Balance { import: Option<Balance> },
        ieps: Balance { import: Option<Balance> },
        retencion_isr: Balance { import: Option<Balance> },
        retencion_iva: Balance { import: Option<Balance> },
        apertura { computed: Balance },
        apertura_iva { computed: Balance },
        apertura_retencion_isr { computed: Balance },
        apertura_retencion_iva { computed: Balance },
    }
    import PayableImport;
}

impl List for Payable {
    const LIST: ListSpec = ListSpec::new::<Self>("/cxp", Scope::CxpRead, PageSizes::Enforced).filters(&[
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
