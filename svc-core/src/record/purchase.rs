//! Purchase orders: `/compras`.

use super::filter::{choice, exact, from, integer, until};
use super::{List, ListSpec, PageSizes, Reference, record};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::PurchaseStatus;
use crate::json::Text;

record! {
    /// A purchase order (contract §3); its lines are `/compras-renglones`.
    pub struct Purchase in "compras" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The folio people know it by.
        folio: Option<String> { list, import: Option<Text<50>> },
        /// What has become of it.
        estatus: PurchaseStatus { list, import: Option<PurchaseStatus> },
        /// The supplier.
        proveedor: i64 { list, import: i64 },
        /// When it was made.
        fecha: Timestamp { list, import: Option<Timestamp> },
        /// The day the goods are due.
        fecha_entrega: Option<Date> { list, import: Option<Date> },
        /// The branch, 0 the head office.
        sucursal: i64 { list, import: Option<i64> },
        /// The code of the warehouse that the goods go to.
        almacen: Option<String> { list, import: Option<Reference<3>> },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// Pesos for one unit of the currency.
        tipo_cambio: Rate { list, import: Option<Rate> },
        /// The sum of the lines before discount and taxes.
        subtotal: Money { list, import: Option<Money> },
        /// Discount.
        descuento: Money { list, import: Option<Money> },
        /// Taxes.
        impuestos: Money { list, import: Option<Money> },
        /// What is to be paid.
        total: Money { list, import: Option<Money> },
        /// The payable it made.
        cxp: Option<i64> { list, import: Option<i64> },
        /// Comments.
        comentarios: Option<String> { list, import: Option<Text<500>> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import PurchaseImport;
}

impl List for Purchase {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/compras", Scope::ComprasRead, PageSizes::Legacy, "List purchase orders").filters(&[
            integer("clave"),
            exact("folio"),
            integer("proveedor"),
            choice("estatus", &["pendiente", "parcial", "recibida", "cancelada"]),
            integer("sucursal"),
            from("fecha_desde", "fecha"),
            until("fecha_hasta", "fecha"),
        ]);
}
