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
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// What it is.
        tipo: InvoiceKind { list, import: Option<InvoiceKind> },
        /// What has become of it.
        estatus: InvoiceStatus { list, import: Option<InvoiceStatus> },
        /// The sales document it is of.
        venta: Option<i64> { list, import: Option<i64> },
        /// The customer.
        cliente: Option<i64> { list, import: Option<i64> },
        /// Series.
        serie: Option<String> { list, import: Option<Text<25>> },
        /// Folio.
        folio: Option<String> { list, import: Option<Text<40>> },
        /// Fiscal folio.
        uuid: Option<String> { list, import: Option<Text<36>> },
        /// When it was made.
        fecha: Timestamp { list, import: Option<Timestamp> },
        /// When it was stamped.
        fecha_timbrado: Option<Timestamp> { list, import: Option<Timestamp> },
        /// When it was cancelled.
        fecha_cancelacion: Option<Timestamp> { list, import: Option<Timestamp> },
        /// Why it was cancelled, 01 to 04.
        motivo_cancelacion: Option<String> { list, import: Option<Digits<2>> },
        /// Fiscal folio of the one that took its place.
        uuid_sustitucion: Option<String> { list, import: Option<Text<36>> },
        /// Code of the stamping's error.
        error_codigo: Option<String> { list, import: Option<Text<50>> },
        /// Text of the stamping's error.
        error_mensaje: Option<String> { list, import: Option<Text<1000>> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import InvoiceImport;
}

impl List for Invoice {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/facturas", Scope::FacturasRead, PageSizes::Legacy, "List the registry of invoices")
            .filters(&[
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
