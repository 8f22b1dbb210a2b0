//! Products: `/productos`.

use serde::Deserialize;

use super::filter::{boolean, choice, exact, from, integer, search};
use super::{List, ListSpec, PageSizes, Reference, record};
use crate::domain::money::Money;
use crate::domain::sat::{ProductServices, SatKey, TaxObjects, Vats};
use crate::domain::scope::Scope;
use crate::domain::tax::TaxRate;
use crate::domain::time::Timestamp;
use crate::domain::words::{ProductKind, ProductStatus, ProductSubkind};
use crate::json::{Digits, Exact, Text};
use crate::schema::field_schema;

/// The SAT's key of a product without one: "no existe en el catálogo" (contract §4).
pub(crate) const DEFAULT_SAT_KEY: &str = "01010101";
/// The tax object of a product without one: subject to tax (contract §4).
pub(crate) const DEFAULT_TAX_OBJECT: &str = "02";
/// The IVA rate of a product without one, in percent (contract §4).
pub(crate) const DEFAULT_VAT: &str = "16";

/// The status of a new product.
pub const FIRST_STATUS: ProductStatus = ProductStatus::Activo;
/// The subkind of a new product.
pub const FIRST_SUBKIND: ProductSubkind = ProductSubkind::Terminado;

// Bodies and lists name two columns differently (spec, "Product"): `clave_sat` is `codigo_sat`, and
// `tipo` is a code.
record! {
    /// A product as a list shows it (spec, "Product").
    pub struct Product in "productos" {
        clave: i64 { list, import: Option<i64> },
        sku: Option<String> {
            list,
            required: Text<100>,
            import: Option<Text<100>>,
        },
        folio: Option<String> { list, import: Option<Text<50>> },
        descripcion: Option<String> { list, required: Text<500>, import: Option<Text<500>> },
        estatus: ProductStatus { list, import: Option<ProductStatus> },
        tipo: ProductKind { list, import: Option<ProductKind> },
        subtipo: ProductSubkind { list, import: Option<ProductSubkind> },
        kit: bool { list, import: Option<bool> },
        clave_padre: i64 { list, import: Option<i64> },
        codigo_sat: Option<String> { list, import: Option<Digits<8>> },
        unidad: Option<i64> { required: i64, import: Option<i64> },
        codigo_barras: Option<String> { optional: Text<18>, import: Option<Text<18>> },
        marca: Option<String> { list, import: Option<Reference<100>> },
        categoria: Option<i64> {
            list: Option<String>,
            optional: i64,
            import: Option<Reference<100>>,
        },
        ieps_tasa: Option<TaxRate> { optional: TaxRate, import: Option<TaxRate> },
        ieps_cuota: Option<TaxRate> { optional: TaxRate, import: Option<TaxRate> },
        retencion_isr: Option<TaxRate> { optional: TaxRate, import: Option<TaxRate> },
        retencion_iva: Option<TaxRate> { optional: TaxRate, import: Option<TaxRate> },
        id_platform_b: Option<String> { list, import: Option<Text<100>> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        costo: Money { optional: Money = Money::default(), import: Option<Money> },
        /// Which brand of that name is meant.
        clave_marca: Option<i64> { opening: Option<i64> },
        /// Which category of that name is meant.
        clave_categoria: Option<i64> { opening: Option<i64> },
        clave_sat in "codigo_sat": String { optional: SatKey<Exact<8>, ProductServices> = DEFAULT_SAT_KEY },
        objeto_impuesto: String { optional: SatKey<Exact<2>, TaxObjects> = DEFAULT_TAX_OBJECT, import: Option<Digits<2>> },
        iva_venta: String { optional: SatKey<Text<255>, Vats> = DEFAULT_VAT, import: Option<Text<2>> },
        iva_compra: String { optional: SatKey<Text<255>, Vats> = DEFAULT_VAT, import: Option<Text<2>> },
        tipo: ProductKind { optional: KindCode = ProductKind::Normal },
    }
    import ProductImport;
    /// What can be written of a product.
    stored ProductData;
    /// Creates a product and emits `producto.creado` (spec, "POST /productos"). It makes no stock
    /// and no prices.
    create CreateProduct;
    /// Edits a product in part and emits `producto.actualizado`, unless nothing changes (spec, "PUT
    /// /productos/{clave}"). Prices and stock stay.
    edit EditProduct;
}

/// The codes of [`ProductKind`] in bodies (spec, "Product").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum KindCode {
    /// [`ProductKind::Normal`].
    A,
    /// [`ProductKind::VirtualConPrecio`].
    B,
    /// [`ProductKind::VirtualSinPrecio`].
    C,
}

field_schema!(KindCode, "KindCode", { "type": "string", "enum": ["A", "B", "C"] });

impl KindCode {
    /// The code of a kind; `None` if bodies do not write it.
    pub(crate) fn of(kind: ProductKind) -> Option<Self> {
        [Self::A, Self::B, Self::C].into_iter().find(|code| ProductKind::from(*code) == kind)
    }

    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

impl From<KindCode> for ProductKind {
    fn from(code: KindCode) -> Self {
        match code {
            KindCode::A => Self::Normal,
            KindCode::B => Self::VirtualConPrecio,
            KindCode::C => Self::VirtualSinPrecio,
        }
    }
}

impl List for Product {
    const LIST: ListSpec = ListSpec::new::<Self>("/productos", Scope::ProductosRead, PageSizes::Enforced)
        .filters(&[
            integer("clave"),
            exact("sku"),
            integer("folio"),
            choice("estatus", &["activo", "inactivo", "eliminado"]),
            choice("tipo", &["normal", "virtual_con_precio", "virtual_sin_precio", "gasto"]),
            choice("subtipo", &["terminado", "componente", "materia_prima"]),
            boolean("kit"),
            exact("codigo_sat"),
            exact("id_platform_b"),
            exact("marca"),
            exact("categoria"),
            exact("sku_padre"),
            search("buscar", "busqueda"),
            from("modificado_desde", "modificado"),
        ])
        .hides("estatus", "eliminado");
}
