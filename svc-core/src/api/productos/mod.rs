//! Products: `/productos`.

mod create;
mod edit;
mod list;

use serde::{Deserialize, Serialize};

pub use create::{CreateProduct, NewProduct, ProductCreated};
pub use edit::{EditProduct, ProductEdit, ProductEdited};
pub use list::{ProductFilter, Products};

use crate::domain::product::ProductData;
use crate::domain::time::Timestamp;
use crate::domain::words::ProductKind;
use crate::error::{Code, Error};
use crate::operation::{Cx, Keyed};
use crate::schema::field_schema;

/// A product as a list shows it (spec, "Product").
#[derive(Debug, Clone, Serialize)]
pub struct Product {
    /// Key.
    pub clave: i64,
    /// Stock keeping unit.
    pub sku: Option<String>,
    /// Folio.
    pub folio: Option<String>,
    /// Description.
    pub descripcion: Option<String>,
    /// `activo`, `inactivo`, `eliminado` or `desconocido`.
    pub estatus: String,
    /// `normal`, `virtual_con_precio`, `virtual_sin_precio`, `gasto` or `desconocido`.
    pub tipo: String,
    /// `terminado`, `componente`, `materia_prima` or `desconocido`.
    pub subtipo: String,
    /// Whether it is sold as a set of others.
    pub kit: bool,
    /// The product it is a variant of; 0 when of none.
    pub clave_padre: i64,
    /// The SAT's product or service code.
    pub codigo_sat: Option<String>,
    /// Brand, by name.
    pub marca: Option<String>,
    /// Category, by name.
    pub categoria: Option<String>,
    /// Identifier on sales platform b.
    pub id_platform_b: Option<String>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Product {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// What a product is, as writes code it (spec, "Product").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum KindCode {
    /// Normal.
    A,
    /// Virtual with price.
    B,
    /// Virtual without price.
    C,
}

field_schema!(KindCode, "KindCode", { "type": "string", "enum": ["A", "B", "C"] });

impl From<KindCode> for ProductKind {
    fn from(code: KindCode) -> Self {
        match code {
            KindCode::A => Self::Normal,
            KindCode::B => Self::VirtualConPrecio,
            KindCode::C => Self::VirtualSinPrecio,
        }
    }
}

/// Judges what a write changes of a product: tax data, then unit, then category.
async fn judge(cx: &mut Cx<'_>, after: &ProductData, before: &ProductData) -> Result<(), Error> {
    after.judge(before, cx.company.cp.as_deref())?;
    if let Some(unidad) = after.unidad.filter(|_| after.unidad != before.unidad)
        && !cx.tx.is_usable_unit(unidad).await?
    {
        return Err(Code::UnidadInvalida.into());
    }
    if let Some(categoria) = after.categoria.filter(|_| after.categoria != before.categoria)
        && !cx.tx.has_category(categoria).await?
    {
        return Err(Code::CategoriaInvalida.into());
    }
    Ok(())
}

/// The errors of writing a product.
const WRITE_ERRORS: &[Code] = &[
    Code::ClaveSatInvalida,
    Code::ObjetoImpuestoInvalido,
    Code::IvaInvalido,
    Code::ImpuestoIncompatible,
    Code::UnidadInvalida,
    Code::CategoriaInvalida,
    Code::SkuDuplicado,
];
