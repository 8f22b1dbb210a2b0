use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KindCode, WRITE_ERRORS, judge};
use crate::domain::event::Event;
use crate::domain::money::Money;
use crate::domain::product::ProductData;
use crate::domain::scope::Scope;
use crate::domain::words::ProductKind;
use crate::error::Error;
use crate::json::{Exact, Text};
use crate::operation::{Cx, Method, Operation, Spec};

/// Creates a product and emits `producto.creado`. It makes no stock and no prices.
pub struct CreateProduct;

/// The body of [`CreateProduct`] (spec, "POST /productos").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewProduct {
    /// Stock keeping unit; unique among the active products of the company.
    pub sku: Text<100>,
    /// Description.
    pub descripcion: Text<500>,
    /// Barcode.
    pub codigo_barras: Option<Text<18>>,
    /// Category, by its clave.
    pub categoria: Option<i64>,
    /// Replacement cost in pesos; 0 when left out.
    pub costo: Option<Money>,
    /// The SAT's product or service key; 01010101 when left out.
    pub clave_sat: Option<Exact<8>>,
    /// Unit, by its clave; active and with a key of the SAT's catalogue.
    pub unidad: i64,
    /// The SAT's tax object key; 02 when left out.
    pub objeto_impuesto: Option<Exact<2>>,
    /// IVA when it is sold: 16 (when left out), 8, 0 or EX.
    pub iva_venta: Option<Text<255>>,
    /// IVA when it is bought: 16 (when left out), 8, 0 or EX.
    pub iva_compra: Option<Text<255>>,
    /// A normal (when left out), B virtual with price, C virtual without price.
    pub tipo: Option<KindCode>,
}

impl From<NewProduct> for ProductData {
    fn from(new: NewProduct) -> Self {
        let standard = Self::default();
        Self {
            sku: Some(new.sku.into_string()),
            descripcion: Some(new.descripcion.into_string()),
            codigo_barras: new.codigo_barras.map(Text::into_string),
            categoria: new.categoria,
            costo: new.costo.unwrap_or(standard.costo),
            clave_sat: new.clave_sat.map_or(standard.clave_sat, Exact::into_string),
            unidad: Some(new.unidad),
            objeto_impuesto: new.objeto_impuesto.map_or(standard.objeto_impuesto, Exact::into_string),
            iva_venta: new.iva_venta.map_or(standard.iva_venta, Text::into_string),
            iva_compra: new.iva_compra.map_or(standard.iva_compra, Text::into_string),
            tipo: new.tipo.map_or(standard.tipo, ProductKind::from),
        }
    }
}

/// The answer of [`CreateProduct`].
#[derive(Debug, Clone, Serialize)]
pub struct ProductCreated {
    /// The product's clave.
    pub producto: i64,
    /// Its stock keeping unit.
    pub sku: Option<String>,
}

impl Operation for CreateProduct {
    const SPEC: Spec =
        Spec::write(Method::Post, "/productos", Scope::ProductosWrite).summary("Create a product").errors(WRITE_ERRORS);
    type Path = ();
    type Input = NewProduct;
    type Output = ProductCreated;

    async fn run(cx: &mut Cx<'_>, (): (), new: NewProduct) -> Result<ProductCreated, Error> {
        let data = ProductData::from(new);
        judge(cx, &data, &ProductData::default()).await?;
        let producto = cx.tx.insert_product(&data, cx.now).await?;
        cx.emit(&Event::ProductoCreado { producto, sku: data.sku.clone() }).await?;
        Ok(ProductCreated { producto, sku: data.sku })
    }
}
