//! The lines of one sales document: `/ventas-renglones`.

use super::filter::{exact, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::line::VatRate;
use crate::domain::line_details::{CustomsNumber, PropertyAccount};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::tax::{LocalTaxes, TaxRate};
use crate::json::{Digits, Text};

record! {
    /// A line of a sales document (contract §3); it never shows costs.
    pub struct SaleLine in "ventas_renglones" {
        clave: i64 { list, import: Option<i64> },
        venta: i64 { list, import: i64 },
        renglon: i64 { list, import: Option<i64> },
        producto: Option<i64> { list, import: Option<i64> },
        sku: Option<String> { list, import: Option<Text<100>> },
        descripcion: Option<String> { list, import: Option<Text<500>> },
        cantidad: Quantity { list, import: Quantity },
        cantidad_surtida: Quantity { list, import: Option<Quantity> },
        unidad: Option<String> { list, import: Option<Text<100>> },
        unidad_sat: Option<String> { list, import: Option<Text<3>> },
        codigo_sat: Option<String> { list, import: Option<Digits<8>> },
        objeto_impuesto: Option<String> { list, import: Option<Digits<2>> },
        precio_unitario: Money { list, import: Option<Money> },
        descuento: Money { list, import: Option<Money> },
        subtotal: Money { list, import: Option<Money> },
        iva_tasa: Option<String> { list, import: Option<VatRate> },
        iva: Money { list, import: Option<Money> },
        total: Money { list, import: Option<Money> },
        ieps: Money { list, import: Option<Money> },
        retenciones: Money { list, import: Option<Money> },
        ieps_tasa { import: Option<TaxRate> },
        ieps_cuota { import: Option<TaxRate> },
        retencion_isr { import: Option<TaxRate> },
        retencion_iva { import: Option<TaxRate> },
        numero_pedimento: Option<String> { import: Option<CustomsNumber> },
        cuenta_predial: Option<String> { import: Option<PropertyAccount> },
        impuestos_locales { import: Option<LocalTaxes> },
        isr_retenido { computed: Money },
        locales_trasladados { computed: Money },
        locales_retenidos { computed: Money },
    }
    import SaleLineImport;
}

impl List for SaleLine {
    const LIST: ListSpec = ListSpec::new::<Self>("/ventas-renglones", Scope::VentasRead, PageSizes::Legacy)
        .filters(&[integer("venta"), exact("sku")])
        .requires(&["venta"]);
}
