//! Products: `/productos`.

mod create;
mod delete;
mod edit;
mod import;
mod read;
mod rules;

pub use create::ProductCreated;
pub use delete::{DeleteProduct, ProductRef};
pub use edit::ProductEdited;
pub use read::ReadProduct;

use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::record::product::ProductData;
pub use crate::record::product::{CreateProduct, EditProduct, KindCode};

/// Validates what a write changes: the tax data, then the unit, then the category.
async fn validate(cx: &mut Cx<'_>, after: &ProductData, before: &ProductData) -> Result<(), Error> {
    after.validate(before, cx.company.cp.as_deref())?;
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

/// What creating and editing a product can answer.
const WRITE_ERRORS: &[Code] = &[
    Code::ClaveSatInvalida,
    Code::ObjetoImpuestoInvalido,
    Code::IvaInvalido,
    Code::ImpuestoIncompatible,
    Code::UnidadInvalida,
    Code::CategoriaInvalida,
    Code::SkuDuplicado,
];
