use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KindCode, WRITE_ERRORS, judge};
use crate::domain::event::Event;
use crate::domain::money::Money;
use crate::domain::product::ProductData;
use crate::domain::scope::Scope;
use crate::domain::words::ProductKind;
use crate::error::{Code, Error};
use crate::json::{Exact, Patch, Text, present};
use crate::operation::{Cx, Method, Operation, Spec};

/// Edits a product in part and emits `producto.actualizado`, unless nothing changes. Prices and stock stay.
pub struct EditProduct;

/// The body of [`EditProduct`]: that of the creation, all optional (spec, "PUT /productos/{clave}"). Clearing a datum that
/// has a default gives back the default.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProductEdit {
    /// Stock keeping unit; unique among the active products of the company.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Text<100>")]
    pub sku: Option<Text<100>>,
    /// Description.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Text<500>")]
    pub descripcion: Option<Text<500>>,
    /// Barcode.
    pub codigo_barras: Patch<Text<18>>,
    /// Category, by its clave.
    pub categoria: Patch<i64>,
    /// Replacement cost in pesos; cleared, 0.
    pub costo: Patch<Money>,
    /// The SAT's product or service key; cleared, 01010101.
    pub clave_sat: Patch<Exact<8>>,
    /// Unit, by its clave; active and with a key of the SAT's catalogue.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "i64")]
    pub unidad: Option<i64>,
    /// The SAT's tax object key; cleared, 02.
    pub objeto_impuesto: Patch<Exact<2>>,
    /// IVA when it is sold: 16 (when cleared), 8, 0 or EX.
    pub iva_venta: Patch<Text<255>>,
    /// IVA when it is bought: 16 (when cleared), 8, 0 or EX.
    pub iva_compra: Patch<Text<255>>,
    /// A normal (when cleared), B virtual with price, C virtual without price.
    pub tipo: Patch<KindCode>,
}

impl ProductEdit {
    fn apply(self, data: &mut ProductData) {
        let standard = ProductData::default();
        if let Some(sku) = self.sku {
            data.sku = Some(sku.into_string());
        }
        if let Some(descripcion) = self.descripcion {
            data.descripcion = Some(descripcion.into_string());
        }
        if let Some(unidad) = self.unidad {
            data.unidad = Some(unidad);
        }
        self.codigo_barras.map(Text::into_string).apply(&mut data.codigo_barras);
        self.categoria.apply(&mut data.categoria);
        self.costo.apply_or(&mut data.costo, standard.costo);
        self.clave_sat.map(Exact::into_string).apply_or(&mut data.clave_sat, standard.clave_sat);
        self.objeto_impuesto.map(Exact::into_string).apply_or(&mut data.objeto_impuesto, standard.objeto_impuesto);
        self.iva_venta.map(Text::into_string).apply_or(&mut data.iva_venta, standard.iva_venta);
        self.iva_compra.map(Text::into_string).apply_or(&mut data.iva_compra, standard.iva_compra);
        self.tipo.map(ProductKind::from).apply_or(&mut data.tipo, standard.tipo);
    }
}

/// The answer of [`EditProduct`].
#[derive(Debug, Clone, Serialize)]
pub struct ProductEdited {
    /// The product's clave.
    pub producto: i64,
}

impl Operation for EditProduct {
    const SPEC: Spec = Spec::write(Method::Put, "/productos/{clave}", Scope::ProductosWrite)
        .summary("Edit a product")
        .errors(WRITE_ERRORS);
    type Path = i64;
    type Input = ProductEdit;
    type Output = ProductEdited;

    async fn run(cx: &mut Cx<'_>, producto: i64, edit: ProductEdit) -> Result<ProductEdited, Error> {
        let before = cx.tx.product(producto).await?.ok_or(Code::NoEncontrado)?;
        let mut after = before.clone();
        edit.apply(&mut after);
        judge(cx, &after, &before).await?;
        if after != before {
            cx.tx.update_product(producto, &after, cx.now).await?;
            cx.emit(&Event::ProductoActualizado { producto, sku: after.sku }).await?;
        }
        Ok(ProductEdited { producto })
    }
}
