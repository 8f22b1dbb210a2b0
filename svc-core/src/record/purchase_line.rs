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
        clave: i64 { list, import: Option<i64> },
        compra: i64 { list, import: i64 },
        renglon: i64 { list, import: i64 },
        producto: Option<i64> { list, import: Option<i64> },
        sku: Option<String> { list, unstored: Option<Text<100>> },
        descripcion: Option<String> { list, import: Option<Text<500>> },
        cantidad: Quantity { list, import: Quantity },
        cantidad_recibida: Quantity { list, import: Option<Quantity> },
        unidad: Option<String> { list, import: Option<Text<100>> },
        costo_unitario: Money { list, import: Option<Money> },
        descuento: Money { list, import: Option<Money> },
        subtotal: Money { list, import: Option<Money> },
        iva: Money { list, import: Option<Money> },
        total: Money { list, import: Option<Money> },
        ieps: Money { import: Option<Money> },
        retencion_isr: Money { import: Option<Money> },
        retencion_iva: Money { import: Option<Money> },
    }
    import PurchaseLineImport;
}

impl List for PurchaseLine {
    const LIST: ListSpec = ListSpec::new::<Self>("/compras-renglones", Scope::ComprasRead, PageSizes::Legacy)
        .filters(&[integer("compra")])
        .requires(&["compra"]);
}
