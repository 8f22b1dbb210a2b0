//! Purchase orders: `/compras`.

use super::filter::{choice, exact, from, integer, until};
use super::{List, ListSpec, PageSizes, Reference, record};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::PurchaseStatus;
use crate::json::Text;

record! {
    /// A purchase order (contract §3); its lines are `/compras-renglones`.
    pub struct Purchase in "compras" {
        clave: i64 { list, import: Option<i64> },
        folio: Option<String> { list, import: Option<Text<50>> },
        estatus: PurchaseStatus { list, import: Option<PurchaseStatus> },
        proveedor: i64 { list, import: i64 },
        fecha: Timestamp { list, import: Option<Timestamp> },
        fecha_entrega: Option<Date> { list, import: Option<Date> },
        sucursal: i64 { list, import: Option<i64> },
        almacen: Option<String> { list, import: Option<Reference<3>> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        tipo_cambio: Rate { list, import: Option<Rate> },
        subtotal: Money { list, import: Option<Money> },
        descuento: Money { list, import: Option<Money> },
        impuestos: Money { list, import: Option<Money> },
        total: Money { list, import: Option<Money> },
        cxp: Option<i64> { list, import: Option<i64> },
        comentarios: Option<String> { list, import: Option<Text<500>> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        ieps: Money { import: Option<Money> },
        retencion_isr: Money { import: Option<Money> },
        retencion_iva: Money { import: Option<Money> },
    }
    import PurchaseImport;
}

impl List for Purchase {
    const LIST: ListSpec = ListSpec::new::<Self>("/compras", Scope::ComprasRead, PageSizes::Legacy).filters(&[
        integer("clave"),
        exact("folio"),
        integer("proveedor"),
        choice("estatus", &["pendiente", "parcial", "recibida", "cancelada"]),
        integer("sucursal"),
        from("fecha_desde", "fecha"),
        until("fecha_hasta", "fecha"),
    ]);
}
