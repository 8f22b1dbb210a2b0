//! Sales documents: `/ventas`.

use super::filter::{boolean, choice, exact, from, integer, until};
use super::{List, ListSpec, PageSizes, Query, Reference, Value, record, window};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Fulfilment, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::Error;
use crate::json::{Digits, Text};

record! {
    /// A sales document (contract §3).
    pub struct Sale in "ventas" {
        clave: i64 { list, import: Option<i64> },
        tipo: SaleKind { list, import: SaleKind },
        serie: Option<String> { list, import: Option<Text<25>> },
        folio: Option<i64> { list, import: Option<i64> },
        fecha: Timestamp { list, import: Option<Timestamp> },
        sucursal: i64 { list, import: Option<i64> },
        almacen: Option<String> { list, import: Option<Reference<3>> },
        cliente: Option<i64> { list, import: Option<i64> },
        vendedor: Option<i64> { list, import: Option<i64> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        tipo_cambio: Rate { list, import: Option<Rate> },
        condicion_pago: Option<PaymentTerm> { list, import: Option<PaymentTerm> },
        dias_credito: Option<i64> { list, import: Option<i64> },
        vencimiento: Option<Date> { list, import: Option<Date> },
        forma_pago_sat: Option<String> { list, import: Option<Digits<2>> },
        metodo_pago_sat: Option<String> { list, import: Option<Text<3>> },
        uso_cfdi: Option<String> { list, import: Option<Text<4>> },
        subtotal: Money { list, import: Option<Money> },
        descuento: Money { list, import: Option<Money> },
        impuestos: Money { list, import: Option<Money> },
        retenciones: Money { list, import: Option<Money> },
        total: Money { list, import: Option<Money> },
        saldo: Money { list, import: Option<Money> },
        cancelada: bool { list, import: Option<bool> },
        fecha_cancelacion: Option<Timestamp> { list, import: Option<Timestamp> },
        surtido_estatus: Option<Fulfilment> { list, import: Option<Fulfilment> },
        monto_surtido: Option<Money> { list, import: Option<Money> },
        factura: Option<i64> { list, import: Option<i64> },
        uuid: Option<String> { list, import: Option<Text<36>> },
        origen: SaleOrigin { list, import: Option<SaleOrigin> },
        referencia: Option<String> { list, import: Option<Text<100>> },
        comentarios: Option<String> { list, import: Option<Text<500>> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        /// Whether it has a breakdown of taxes.
        desglose { import: Option<bool> },
    }
    import SaleImport;
}

impl List for Sale {
    const LIST: ListSpec = ListSpec::new::<Self>("/ventas", Scope::VentasRead, PageSizes::Legacy).filters(&[
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

    /// Lists type `venta` by default (`remision`, its former name, means the same), only documents
    /// that are not cancelled, and allows a date range of at most 92 days.
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
