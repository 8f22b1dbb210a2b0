//! The lines of one sales document: `/ventas-renglones`.

use super::filter::{exact, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::tax::TaxRate;
use crate::json::{Digits, Text};

record! {
    /// A line of a sales document (contract §3); it never shows costs.
    pub struct SaleLine in "ventas_renglones" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// The document.
        venta: i64 { list, import: i64 },
        /// Number within the document.
        renglon: i64 { list, import: Option<i64> },
        /// The product.
        producto: Option<i64> { list, import: Option<i64> },
        /// The product's SKU of today, else the one of the line.
        sku: Option<String> { list, import: Option<Text<100>> },
        /// Description.
        descripcion: Option<String> { list, import: Option<Text<500>> },
        /// Quantity; in an order, what was ordered.
        cantidad: Quantity { list, import: Quantity },
        /// In an order, what was handed over; elsewhere without meaning.
        cantidad_surtida: Quantity { list, import: Option<Quantity> },
        /// Unit.
        unidad: Option<String> { list, import: Option<Text<100>> },
        /// The SAT's key of the unit.
        unidad_sat: Option<String> { list, import: Option<Text<3>> },
        /// The SAT's code of the product or service.
        codigo_sat: Option<String> { list, import: Option<Digits<8>> },
        /// The SAT's tax object.
        objeto_impuesto: Option<String> { list, import: Option<Digits<2>> },
        /// Price of one unit.
        precio_unitario: Money { list, import: Option<Money> },
        /// Discount.
        descuento: Money { list, import: Option<Money> },
        /// Before discount and taxes.
        subtotal: Money { list, import: Option<Money> },
        /// Rate of the IVA ("0.160000"), or `exento`.
        iva_tasa: Option<String> { list, import: Option<VatRate> },
        /// The IVA.
        iva: Money { list, import: Option<Money> },
        /// What is to be paid for it.
        total: Money { list, import: Option<Money> },
        /// The IEPS.
        ieps: Money { list, import: Option<Money> },
        /// What the receiver withholds: ISR and IVA.
        retenciones: Money { list, import: Option<Money> },
        ieps_tasa { import: Option<TaxRate> },
        ieps_cuota { import: Option<TaxRate> },
        retencion_isr { import: Option<TaxRate> },
        retencion_iva { import: Option<TaxRate> },
        isr_retenido { computed: Money },
    }
    import SaleLineImport;
}

impl List for SaleLine {
    const LIST: ListSpec = ListSpec::new::<Self>(
        "/ventas-renglones",
        Scope::VentasRead,
        PageSizes::Legacy,
        "List the lines of a sales document",
    )
    .filters(&[integer("venta"), exact("sku")])
    .requires(&["venta"]);
}
