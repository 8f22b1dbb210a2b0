//! Payments applied to receivables: `/cxc-pagos`.

use super::filter::{from_day, integer, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Complement, PaymentOrigin};
use crate::json::{Digits, Text};

record! {
    /// A payment applied to a receivable (contract §3).
    pub struct Payment in "cxc_pagos" {
        clave: i64 { list, import: Option<i64> },
        cxc: i64 { list, import: i64 },
        venta: Option<i64> { list, import: Option<i64> },
        cliente: Option<i64> { list, import: Option<i64> },
        fecha: Date { list, import: Option<Date> },
        aplicado: Timestamp { list, import: Option<Timestamp> },
        origen: PaymentOrigin { list, import: Option<PaymentOrigin> },
        importe: Money { list, import: Money },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        tipo_cambio: Rate { list, import: Option<Rate> },
        forma_pago_sat: Option<String> { list, import: Option<Digits<2>> },
        cuenta_bancaria: Option<i64> { list, import: Option<i64> },
        deposito: Option<i64> { list, import: Option<i64> },
        referencia: Option<String> { list, import: Option<Text<100>> },
        parcialidad: i64 { list, import: Option<i64> },
        saldo_anterior: Money { list, import: Option<Money> },
        saldo_insoluto: Money { list, import: Option<Money> },
        complemento: Complement { list, import: Option<Complement> },
        factura: Option<i64> { list, import: Option<i64> },
        uuid: Option<String> { list, import: Option<Text<36>> },
        cancelado: bool { list, import: Option<bool> },
        /// What the bank account received, where its currency is not the receivable's.
        monto { import: Option<Money> },
        /// The currency of `monto` (`c_Moneda`).
        moneda_pago: Option<String> { import: Option<SatKey<Text<3>, Currencies>> },
        /// Pesos for one unit of `moneda_pago`.
        tipo_cambio_pago { import: Option<Rate> },
        /// The sale of the advance that it applies.
        anticipo { import: Option<i64> },
    }
    import PaymentImport;
}

impl List for Payment {
    const LIST: ListSpec = ListSpec::new::<Self>("/cxc-pagos", Scope::CxcRead, PageSizes::Enforced).filters(&[
        integer("clave"),
        integer("cxc"),
        integer("cliente"),
        integer("venta"),
        from_day("fecha_desde", "fecha"),
        until_day("fecha_hasta", "fecha"),
    ]);
}
