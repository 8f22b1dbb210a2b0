//! Products: `/productos`.

use super::filter::{boolean, choice, exact, from, integer, search};
use super::{List, ListSpec, PageSizes, Reference, record};
use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::tax::TaxRate;
use crate::domain::time::Timestamp;
use crate::domain::words::{ProductKind, ProductStatus, ProductSubkind};
use crate::json::{Digits, Text};

record! {
    /// A product as a list shows it (spec, "Product").
    pub struct Product in "productos" {
        /// Key.
        clave: i64 => Option<i64>,
        /// Stock keeping unit.
        sku: Option<String> => Option<Text<100>>,
        /// Folio.
        folio: Option<String> => Option<Text<50>>,
        /// Description.
        descripcion: Option<String> => Option<Text<500>>,
        /// Whether it is for sale.
        estatus: ProductStatus => Option<ProductStatus>,
        /// What it is.
        tipo: ProductKind => Option<ProductKind>,
        /// What it is in production.
        subtipo: ProductSubkind => Option<ProductSubkind>,
        /// Whether it is sold as a set of others.
        kit: bool => Option<bool>,
        /// The product it is a variant of; 0 when of none.
        clave_padre: i64 => Option<i64>,
        /// The SAT's product or service code.
        codigo_sat: Option<String> => Option<Digits<8>>,
        /// Brand, by name.
        marca: Option<String> => Option<Reference<100>>,
        /// Category, by name.
        categoria: Option<String> => Option<Reference<100>>,
        /// Identifier on sales platform b.
        id_platform_b: Option<String> => Option<Text<100>>,
        /// When it was changed last.
        modificado: Option<Timestamp> => Option<Timestamp>,
    }
    import ProductImport {
        unidad: Option<i64>,
        iva_venta: Option<Text<2>>,
        iva_compra: Option<Text<2>>,
        objeto_impuesto: Option<Digits<2>>,
        costo: Option<Money>,
        codigo_barras: Option<Text<18>>,
        ieps_tasa: Option<TaxRate>,
        ieps_cuota: Option<TaxRate>,
        retencion_isr: Option<TaxRate>,
        retencion_iva: Option<TaxRate>,
    }
}

impl List for Product {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/productos", Scope::ProductosRead, PageSizes::Enforced, "List products")
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
