//! Payments applied to receivables: `/cxc-pagos`.

use super::filter::{from_day, integer, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Complement, PaymentOrigin};
use crate::json::{Digits, Text};

record! {
    /// A payment applied to a receivable (contract §3).
    pub struct Payment in "cxc_pagos" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The receivable.
        cxc: i64 { list, import: i64 },
        /// The receivable's sales document.
        venta: Option<i64> { list, import: Option<i64> },
        /// The customer.
        cliente: Option<i64> { list, import: Option<i64> },
        /// The day of the payment.
        fecha: Date { list, import: Option<Date> },
        /// When it was applied.
        aplicado: Timestamp { list, import: Option<Timestamp> },
        /// What was applied.
        origen: PaymentOrigin { list, import: Option<PaymentOrigin> },
        /// The amount.
        importe: Money { list, import: Money },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// Pesos for one unit of the currency.
        tipo_cambio: Rate { list, import: Option<Rate> },
        /// The SAT's payment form.
        forma_pago_sat: Option<String> { list, import: Option<Digits<2>> },
        /// The bank account it went to.
        cuenta_bancaria: Option<i64> { list, import: Option<i64> },
        /// The deposit it came with.
        deposito: Option<i64> { list, import: Option<i64> },
        /// Bank reference.
        referencia: Option<String> { list, import: Option<Text<100>> },
        /// Which of the receivable's payments it is.
        parcialidad: i64 { list, import: Option<i64> },
        /// What was owed before.
        saldo_anterior: Money { list, import: Option<Money> },
        /// What was owed after.
        saldo_insoluto: Money { list, import: Option<Money> },
        /// Its payment complement.
        complemento: Complement { list, import: Option<Complement> },
        /// The complement in the registry of invoices.
        factura: Option<i64> { list, import: Option<i64> },
        /// The complement's fiscal folio.
        uuid: Option<String> { list, import: Option<Text<36>> },
        /// Whether it was cancelled.
        cancelado: bool { list, import: Option<bool> },
    }
    import PaymentImport;
}

impl List for Payment {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/cxc-pagos", Scope::CxcRead, PageSizes::Enforced, "List payments of receivables")
            .filters(&[
                integer("clave"),
                integer("cxc"),
                integer("cliente"),
                integer("venta"),
                from_day("fecha_desde", "fecha"),
                until_day("fecha_hasta", "fecha"),
            ]);
}
