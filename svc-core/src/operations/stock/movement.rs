//! Stock: movements entered by hand, counts, transfers and reservations.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::domain::event::EventKind;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sale::SaleProduct;
use crate::domain::stock::IncomingCost;
use crate::domain::stock::{StockChange, StockMovement, validate_entered};
use crate::domain::words::{MovementKind, Word};
use crate::error::{Code, Error};
use crate::json::{Exact, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::products::{ProductName, find_products};
use crate::posting::stock;
use crate::store::{ActiveWarehouse, DeletedProducts, LockedGoods, MovementContext, StockPlace};

/// Records a stock movement. A `traspaso_salida` also writes the `traspaso_entrada` in the
/// destination; a `saldo_inicial` sets the stock.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveStock {
    /// The product's SKU; this or `producto`.
    pub sku: Option<Text<100>>,
    /// The product's clave; this or `sku`.
    pub producto: Option<i64>,
    /// The warehouse's code.
    pub almacen: Exact<3>,
    /// The kind of movement; a `traspaso_entrada` cannot be entered by itself.
    #[schemars(schema_with = "entered_schema")]
    pub tipo: MovementKind,
    /// The quantity: more than zero, except in a `saldo_inicial`.
    pub cantidad: Quantity,
    /// The code of the warehouse that a `traspaso_salida` goes to.
    pub almacen_destino: Option<Exact<3>>,
    /// The unit cost in pesos of what comes in; the average if left out, else the product's cost.
    /// What goes out leaves at the average.
    pub costo_unitario: Option<Money>,
    /// A reference for the ledger.
    pub referencia: Option<Text<100>>,
}

/// The schema of a kind that [`validate_entered`] takes.
fn entered_schema(_: &mut SchemaGenerator) -> Schema {
    let words = MovementKind::ALL.iter().filter(|kind| **kind != MovementKind::TraspasoEntrada).map(Word::word);
    json_schema!({ "type": "string", "enum": words.collect::<Vec<_>>() })
}

/// Reserves stock of a product, or releases it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReserveStock {
    /// The product's SKU; this or `producto`.
    pub sku: Option<Text<100>>,
    /// The product's clave; this or `sku`.
    pub producto: Option<i64>,
    /// The warehouse's code.
    pub almacen: Exact<3>,
    /// The quantity to reserve; negative to release.
    pub cantidad: Quantity,
}

/// Sets the stock of a product to the counted quantity; the difference is recorded as an
/// adjustment.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountStock {
    /// The product's SKU; this or `producto`.
    pub sku: Option<Text<100>>,
    /// The product's clave; this or `sku`.
    pub producto: Option<i64>,
    /// The warehouse's code.
    pub almacen: Exact<3>,
    /// The counted quantity; zero or more.
    pub existencia: Quantity,
    /// A reference for the ledger.
    pub referencia: Option<Text<100>>,
}

/// Moves stock of a product to another warehouse at once: an exit here and an entry there.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransferStock {
    /// The product's SKU; this or `producto`.
    pub sku: Option<Text<100>>,
    /// The product's clave; this or `sku`.
    pub producto: Option<i64>,
    /// The code of the warehouse that it leaves.
    pub almacen: Exact<3>,
    /// The code of the warehouse that it enters.
    pub almacen_destino: Exact<3>,
    /// The quantity.
    pub cantidad: Quantity,
    /// A reference for the ledger.
    pub referencia: Option<Text<100>>,
}

/// The answer of [`CountStock`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StockCounted {
    /// The clave of the adjustment; null if the count agrees with the books.
    pub movimiento: Option<i64>,
    /// The clave of the stock record, not a quantity.
    pub existencia: i64,
}

/// The answer of [`MoveStock`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StockMoved {
    /// The clave of the movement; of a transfer's exit.
    pub movimiento: i64,
    /// The clave of the stock record in the warehouse named, not a quantity.
    pub existencia: i64,
}

/// The answer of [`ReserveStock`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StockReserved {
    /// The clave of the stock record, not a quantity.
    pub existencia: i64,
}

impl Operation for MoveStock {
    const SPEC: Spec = Spec::new().named("stock.move").emits(&[EventKind::ExistenciaCambiada]);
    type Output = StockMoved;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<StockMoved, Error> {
        let name = ProductName::of_body(self.producto, self.sku.as_deref());
        name.validate()?;
        validate_entered(self.tipo, self.cantidad, self.almacen_destino.is_some())?;
        let product = held_product(cx, name).await?;
        let from = warehouse(cx, "almacen", &self.almacen).await?;
        let to = match &self.almacen_destino {
            Some(code) => Some(warehouse(cx, "almacen_destino", code).await?),
            None => None,
        };
        if to.as_ref() == Some(&from) {
            return Err(Error::field(Code::DatoInvalido, "almacen_destino", "es el mismo almacén"));
        }
        if let Some(to) = &to {
            stock::lock(cx, [&from, to].into_iter().map(|almacen| (almacen, product.clave))).await?;
        }
        if self.tipo.takes_goods_for_use() {
            stock::validate_exit(cx, &from, product.clave, self.cantidad).await?;
        }
        let context = MovementContext {
            almacen_destino: to.as_ref().map(|to| to.clave),
            referencia: self.referencia.as_deref(),
            dia: Some(cx.day_at(from.sucursal)),
            ..MovementContext::default()
        };
        let moved = stock::post_by_hand(cx, &from, &[self.change(&product, self.tipo)], &context, self.tipo).await?;
        if let Some(to) = &to {
            let arrival = MovementContext { almacen_destino: None, ..context };
            stock::post(cx, to, &[self.change(&product, MovementKind::TraspasoEntrada)], &arrival).await?;
        }
        match (moved.movimiento, moved.existencias.as_slice()) {
            (Some(movimiento), &[existencia]) => Ok(StockMoved { movimiento, existencia }),
            _ => Err(Error::internal("a movement of one product was posted as something else")),
        }
    }
}

impl MoveStock {
    fn change(&self, product: &SaleProduct, tipo: MovementKind) -> StockChange {
        let costo = self.costo_unitario.map_or(IncomingCost::Average, IncomingCost::Each);
        StockChange {
            producto: product.clave,
            sku: product.sku.clone(),
            movement: Some(StockMovement { tipo, cantidad: self.cantidad, costo }),
            apartado: Quantity::default(),
        }
    }
}

impl Operation for CountStock {
    const SPEC: Spec = Spec::new().named("stock.count").each_time().emits(&[EventKind::ExistenciaCambiada]);
    type Output = StockCounted;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<StockCounted, Error> {
        let name = ProductName::of_body(self.producto, self.sku.as_deref());
        name.validate()?;
        if self.existencia < Quantity::default() {
            return Err(Error::field(Code::DatoInvalido, "existencia", "no puede ser negativa"));
        }
        let product = held_product(cx, name).await?;
        let almacen = warehouse(cx, "almacen", &self.almacen).await?;
        let place = StockPlace { almacen: almacen.clave, producto: product.clave };
        let held = cx.tx.lock_goods(&[place], cx.now).await?;
        let [LockedGoods { holding: row, .. }] = held.as_slice() else {
            return Err(Error::internal("one product has several stock records"));
        };
        let difference = self.existencia.get() - row.existencia.get();
        if difference.is_zero() {
            return Ok(StockCounted { movimiento: None, existencia: row.clave });
        }
        let tipo = if difference.is_sign_negative() { MovementKind::AjusteSalida } else { MovementKind::AjusteEntrada };
        let cantidad = Quantity::new(difference.abs());
        let change = StockChange {
            producto: product.clave,
            sku: product.sku,
            movement: Some(StockMovement { tipo, cantidad, costo: IncomingCost::Average }),
            apartado: Quantity::default(),
        };
        let context = MovementContext { referencia: self.referencia.as_deref(), ..MovementContext::default() };
        let posted = stock::post_by_hand(cx, &almacen, &[change], &context, tipo).await?;
        Ok(StockCounted { movimiento: posted.movimiento, existencia: row.clave })
    }
}

impl Operation for TransferStock {
    const SPEC: Spec = Spec::new().named("stock.transfer").emits(&[EventKind::ExistenciaCambiada]);
    type Output = StockMoved;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<StockMoved, Error> {
        let moved = MoveStock {
            sku: self.sku.clone(),
            producto: self.producto,
            almacen: self.almacen.clone(),
            tipo: MovementKind::TraspasoSalida,
            cantidad: self.cantidad,
            almacen_destino: Some(self.almacen_destino.clone()),
            costo_unitario: None,
            referencia: self.referencia.clone(),
        };
        moved.run(cx).await
    }
}

impl Operation for ReserveStock {
    const SPEC: Spec = Spec::new().named("stock.reserve").emits(&[EventKind::ExistenciaCambiada]);
    type Output = StockReserved;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<StockReserved, Error> {
        let name = ProductName::of_body(self.producto, self.sku.as_deref());
        name.validate()?;
        if self.cantidad == Quantity::default() {
            return Err(Error::field(Code::DatoInvalido, "cantidad", "no puede ser cero"));
        }
        let product = held_product(cx, name).await?;
        let almacen = warehouse(cx, "almacen", &self.almacen).await?;
        let change = StockChange { producto: product.clave, sku: product.sku, movement: None, apartado: self.cantidad };
        let posted = stock::post(cx, &almacen, &[change], &MovementContext::default()).await?;
        match posted.existencias.as_slice() {
            &[existencia] => Ok(StockReserved { existencia }),
            _ => Err(Error::internal("a reservation of one product was posted as something else")),
        }
    }
}

/// Finds a product of any status that a warehouse can hold; a deleted one by its clave, while one
/// holds some.
async fn held_product(cx: &mut Cx<'_>, name: ProductName<'_>) -> Result<SaleProduct, Error> {
    let names = [name];
    let product = find_products(cx, &names, DeletedProducts::WhileHeld).await?.pop();
    let product = product.ok_or_else(|| Error::internal("a product's name was neither found nor refused"))?;
    names[0].validate_stock(&product)?;
    Ok(product)
}

async fn warehouse(cx: &mut Cx<'_>, field: &str, code: &str) -> Result<ActiveWarehouse, Error> {
    let missing = || Error::field(Code::AlmacenInvalido, field, "no es un almacén activo de la empresa");
    cx.tx.warehouse(code).await?.ok_or_else(missing)
}
