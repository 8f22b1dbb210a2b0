//! The lines of a purchase order: `/compras-renglones`.

use super::filter::integer;
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::json::Text;

record! {
    /// A line of a purchase order (contract §3).
    pub struct PurchaseLine in "compras_renglones" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The purchase order.
        compra: i64 { list, import: i64 },
        /// The line's number within it, from 1.
        renglon: i64 { list, import: i64 },
        /// The product.
        producto: Option<i64> { list, import: Option<i64> },
        /// The product's SKU.
        sku: Option<String> { list, unstored: Option<Text<100>> },
        /// What is bought.
        descripcion: Option<String> { list, import: Option<Text<500>> },
        /// How much was ordered.
        cantidad: Quantity { list, import: Quantity },
        /// How much of it has come.
        cantidad_recibida: Quantity { list, import: Option<Quantity> },
        /// Unit.
        unidad: Option<String> { list, import: Option<Text<100>> },
        /// The cost of one unit.
        costo_unitario: Money { list, import: Option<Money> },
        /// Discount.
        descuento: Money { list, import: Option<Money> },
        /// Quantity by cost, before discount.
        subtotal: Money { list, import: Option<Money> },
        /// IVA.
        iva: Money { list, import: Option<Money> },
        /// What is to be paid.
        total: Money { list, import: Option<Money> },
    }
    import PurchaseLineImport;
}

impl List for PurchaseLine {
    const LIST: ListSpec = ListSpec::new::<Self>(
        "/compras-renglones",
        Scope::ComprasRead,
        PageSizes::Legacy,
        "List the lines of a purchase order",
    )
    .filters(&[integer("compra")])
    .requires(&["compra"]);
}
