//! The registry of invoices: `/facturas`.

use super::filter::{choice, from, integer, until, uuid};
use super::{List, ListSpec, PageSizes, Query, record, window};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::Error;
use crate::json::{Digits, Text};

record! {
    /// A record of the stamping registry (contract §3); it has no amounts.
    pub struct Invoice in "facturas" {
        clave: i64 { list, import: Option<i64> },
        tipo: InvoiceKind { list, import: Option<InvoiceKind> },
        estatus: InvoiceStatus { list, import: Option<InvoiceStatus> },
        venta: Option<i64> { list, import: Option<i64> },
        cliente: Option<i64> { list, import: Option<i64> },
        serie: Option<String> { list, import: Option<Text<25>> },
        folio: Option<String> { list, import: Option<Text<40>> },
        uuid: Option<String> { list, import: Option<Text<36>> },
        fecha: Timestamp { list, import: Option<Timestamp> },
        fecha_timbrado: Option<Timestamp> { list, import: Option<Timestamp> },
        fecha_cancelacion: Option<Timestamp> { list, import: Option<Timestamp> },
        motivo_cancelacion: Option<String> { list, import: Option<Digits<2>> },
        uuid_sustitucion: Option<String> { list, import: Option<Text<36>> },
        error_codigo: Option<String> { list, import: Option<Text<50>> },
        error_mensaje: Option<String> { list, import: Option<Text<1000>> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import InvoiceImport;
}

impl List for Invoice {
    const LIST: ListSpec = ListSpec::new::<Self>("/facturas", Scope::FacturasRead, PageSizes::Legacy).filters(&[
        integer("clave"),
        uuid("uuid"),
        integer("venta"),
        choice("tipo", InvoiceKind::WORDS),
        choice("estatus", InvoiceStatus::WORDS),
        from("fecha_desde", "fecha"),
        until("fecha_hasta", "fecha"),
    ]);

    /// Allows a date range of at most 92 days.
    fn normalize(query: &mut Query) -> Result<(), Error> {
        window::close(query)
    }
}
