//! Sales documents: `/ventas`.

use super::filter::{boolean, choice, exact, from, integer, until};
use super::{List, ListSpec, PageSizes, Query, Reference, Value, record, window};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Fulfilment, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::Error;
use crate::json::{Digits, Text};

record! {
    /// A sales document (contract §3).
    pub struct Sale in "ventas" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// What it is; never `remision`.
        tipo: SaleKind { list, import: SaleKind },
        /// Series of the folio.
        serie: Option<String> { list, import: Option<Text<25>> },
        /// Number within its type and series.
        folio: Option<i64> { list, import: Option<i64> },
        /// When it was made. An order that is invoiced keeps it; the date of the invoice is the
        /// `fecha` of GET /facturas, by which revenue is reckoned.
        fecha: Timestamp { list, import: Option<Timestamp> },
        /// Branch; 0 is the head office.
        sucursal: i64 { list, import: Option<i64> },
        /// Code of the warehouse, 3 characters.
        almacen: Option<String> { list, import: Option<Reference<3>> },
        /// The customer.
        cliente: Option<i64> { list, import: Option<i64> },
        /// The salesperson.
        vendedor: Option<i64> { list, import: Option<i64> },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// Pesos for one unit of the currency.
        tipo_cambio: Rate { list, import: Option<Rate> },
        /// Cash or credit.
        condicion_pago: Option<PaymentTerm> { list, import: Option<PaymentTerm> },
        /// Days of credit.
        dias_credito: Option<i64> { list, import: Option<i64> },
        /// When it is due.
        vencimiento: Option<Date> { list, import: Option<Date> },
        /// The SAT's payment form.
        forma_pago_sat: Option<String> { list, import: Option<Digits<2>> },
        /// `PUE` or `PPD`.
        metodo_pago_sat: Option<String> { list, import: Option<Text<3>> },
        /// The CFDI use.
        uso_cfdi: Option<String> { list, import: Option<Text<4>> },
        /// Before discount and taxes.
        subtotal: Money { list, import: Option<Money> },
        /// Discount.
        descuento: Money { list, import: Option<Money> },
        /// Taxes charged.
        impuestos: Money { list, import: Option<Money> },
        /// Taxes withheld.
        retenciones: Money { list, import: Option<Money> },
        /// What is to be paid.
        total: Money { list, import: Option<Money> },
        /// What remains to be paid.
        saldo: Money { list, import: Option<Money> },
        /// Whether it was cancelled.
        cancelada: bool { list, import: Option<bool> },
        /// When it was cancelled.
        fecha_cancelacion: Option<Timestamp> { list, import: Option<Timestamp> },
        /// How much of it was handed over; null unless it is an order.
        surtido_estatus: Option<Fulfilment> { list, import: Option<Fulfilment> },
        /// Worth of what was handed over; null unless it is an order.
        monto_surtido: Option<Money> { list, import: Option<Money> },
        /// The invoice it became.
        factura: Option<i64> { list, import: Option<i64> },
        /// Fiscal folio of that invoice.
        uuid: Option<String> { list, import: Option<Text<36>> },
        /// Where it was made.
        origen: SaleOrigin { list, import: Option<SaleOrigin> },
        /// Reference.
        referencia: Option<String> { list, import: Option<Text<100>> },
        /// Comments.
        comentarios: Option<String> { list, import: Option<Text<500>> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        /// Whether it has a breakdown of taxes.
        desglose { import: Option<bool> },
    }
    import SaleImport;
}

impl List for Sale {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/ventas", Scope::VentasRead, PageSizes::Legacy, "List sales documents").filters(&[
            integer("clave"),
            choice("tipo", SaleKind::WORDS),
            integer("folio"),
            integer("cliente"),
            boolean("cancelada"),
            from("fecha_desde", "fecha"),
            until("fecha_hasta", "fecha"),
            integer("sucursal"),
            exact("sku"),
        ]);

    /// Lists type `venta` by default (`remision`, its former name, means the same), only documents that
    /// are not cancelled, and allows a date range of at most 92 days.
    fn normalize(query: &mut Query) -> Result<(), Error> {
        if query.get("tipo").is_some_and(|tipo| *tipo == Value::Text(SaleKind::Remision.word().into())) {
            query.set("tipo", Value::Text(SaleKind::Venta.word().into()));
        }
        window::close(query)?;
        query.default_to("tipo", SaleKind::Venta.word());
        if !query.has(&["cancelada"]) {
            query.set("cancelada", Value::Boolean(false));
        }
        Ok(())
    }
}
