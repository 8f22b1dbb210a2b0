//! Purchase orders: they are captured, and their goods received.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::accounting::Bill;
use crate::domain::clock::mexico_date;
use crate::domain::currency::{self, PESO};
use crate::domain::event::EventKind;
use crate::domain::money::Money;
use crate::domain::payable::settle;
use crate::domain::purchase::{line_amounts, receive};
use crate::domain::quantity::{Balance, PositiveQuantity, Quantity, Rate};
use crate::domain::sale::{AmountFault, Amounts, SaleProduct};
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{PayableKind, PurchaseStatus};
use crate::error::{Code, Error};
use crate::json::{Exact, Many, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::lines::{amounts, fault};
use crate::posting::products::{ProductName, find_products};
use crate::posting::{purchases, stock};
use crate::store::{NewPayable, NewPurchase, NewPurchaseLine, PurchaseOrder};

/// Most lines of an order.
const MOST_LINES: usize = 500;

/// Captures a purchase order. It is pending: its goods come with `purchase.receive`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapturePurchase {
    /// Folio; its clave when left out.
    pub folio: Option<Text<50>>,
    /// The supplier, by clave.
    pub proveedor: i64,
    /// When it is ordered; now when left out.
    pub fecha: Option<Timestamp>,
    /// The day it is to come.
    pub fecha_entrega: Option<Date>,
    /// Branch; head office (0) when left out.
    pub sucursal: Option<i64>,
    /// The warehouse it is to come to, by its code; the branch's main one when left out.
    pub almacen: Option<Exact<3>>,
    /// Currency; MXN when left out.
    pub moneda: Option<Exact<3>>,
    /// Pesos for one unit of the currency; required unless that is MXN.
    pub tipo_cambio: Option<Rate>,
    /// Comments.
    pub comentarios: Option<Text<500>>,
    /// What is ordered.
    pub renglones: Many<OrderLine, MOST_LINES>,
}

/// A line of an order to be captured.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderLine {
    /// The product, by its SKU; this or `producto`.
    pub sku: Option<Text<100>>,
    /// The product, by its clave; this or `sku`.
    pub producto: Option<i64>,
    /// How many.
    pub cantidad: PositiveQuantity,
    /// What one costs before IVA, up to six decimals; the product's cost when left out of an order
    /// in pesos.
    pub costo_unitario: Option<Money>,
    /// Discount on the line, up to two decimals.
    pub descuento: Option<Money>,
    /// The line's description; the product's when left out.
    pub descripcion: Option<Text<500>>,
    /// IVA of the line, up to two decimals; what the product is bought with when left out.
    pub iva: Option<Money>,
}

/// The purchase order that was made.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct PurchaseRef {
    /// Its clave.
    pub compra: i64,
}

/// Receives goods of a purchase order: they enter its warehouse at their cost in pesos. When all
/// have been received, the order's account payable is created, unless it has one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivePurchase {
    /// The purchase order, by its clave.
    pub compra: i64,
    /// What arrives; all that has not arrived yet when left out.
    pub renglones: Option<Many<ReceivedLine, MOST_LINES>>,
}

/// What arrives of a line of an order.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivedLine {
    /// The line, by its number in the order.
    pub renglon: i64,
    /// How many arrive.
    pub cantidad: PositiveQuantity,
}

/// The answer of [`ReceivePurchase`].
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct PurchaseReceived {
    /// The purchase order.
    pub compra: i64,
    /// Its account payable, once it has one.
    pub cxp: Option<i64>,
}

impl Operation for CapturePurchase {
    const SPEC: Spec = Spec::new("Capture a purchase order").named("purchase.capture");
    type Output = PurchaseRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PurchaseRef, Error> {
        let moneda = self.moneda.as_deref().unwrap_or(PESO);
        let tipo_cambio = currency::exchange_rate(moneda, self.tipo_cambio)?;
        self.renglones.iter().enumerate().try_for_each(|(at, line)| line.validate(at, moneda))?;
        currency::validate(moneda)?;
        let proveedor = supplier(cx, self.proveedor).await?;
        let sucursal = branch(cx, self.sucursal).await?;
        let almacen = stock::warehouse(cx, self.almacen.as_deref(), sucursal).await?;
        let lines = self.lines(cx).await?;
        let amounts = Amounts::of_document(lines.iter().map(|line| &line.amounts)).map_err(|_: AmountFault| {
            Error::field(Code::DatoInvalido, "renglones", "el total del documento pasa de 18 dígitos")
        })?;
        let purchase = NewPurchase {
            folio: self.folio.as_deref(),
            proveedor,
            fecha: self.fecha.unwrap_or(cx.now),
            fecha_entrega: self.fecha_entrega.map(|date| date.0),
            sucursal,
            almacen: almacen.clave,
            moneda,
            tipo_cambio,
            amounts,
            comentarios: self.comentarios.as_deref(),
            lines: &lines,
            creada: cx.now,
        };
        Ok(PurchaseRef { compra: cx.tx.insert_purchase(&purchase).await? })
    }
}

impl CapturePurchase {
    async fn lines(&self, cx: &mut Cx<'_>) -> Result<Vec<NewPurchaseLine>, Error> {
        let names: Vec<ProductName<'_>> = self.renglones.iter().enumerate().map(|(at, line)| line.name(at)).collect();
        let products = find_products(cx, &names).await?;
        names.iter().zip(&products).try_for_each(|(name, product)| name.validate_active(product))?;
        self.renglones.iter().zip(products).enumerate().map(|(at, (line, product))| line.priced(at, product)).collect()
    }
}

impl OrderLine {
    fn name(&self, at: usize) -> ProductName<'_> {
        ProductName::of_line(at, self.producto, self.sku.as_deref())
    }

    /// Checks what does not need the company's data.
    fn validate(&self, at: usize, moneda: &str) -> Result<(), Error> {
        self.name(at).validate()?;
        for (field, amount) in [("descuento", self.descuento), ("iva", self.iva)] {
            if amount.is_some_and(|amount| amount.get().normalize().scale() > 2) {
                return Err(fault(Code::DatoInvalido, at, field, "admite a lo más 2 decimales"));
            }
        }
        if self.costo_unitario.is_none() && moneda != PESO {
            return Err(fault(Code::DatoRequerido, at, "costo_unitario", "hace falta si la moneda no es MXN"));
        }
        Ok(())
    }

    fn priced(&self, at: usize, product: SaleProduct) -> Result<NewPurchaseLine, Error> {
        let (cantidad, costo_unitario) = (self.cantidad.get(), self.costo_unitario.unwrap_or(product.costo));
        let discount = self.descuento.unwrap_or_default();
        let rate = product.purchase_vat_rate();
        let amounts = amounts(line_amounts(cantidad, costo_unitario, discount, self.iva, rate), at)?;
        let descripcion = self.descripcion.as_deref().or(product.descripcion.as_deref()).map(str::to_owned);
        Ok(NewPurchaseLine { product, descripcion, cantidad, costo_unitario, amounts })
    }
}

impl Operation for ReceivePurchase {
    const SPEC: Spec = Spec::new("Receive goods of a purchase order")
        .named("purchase.receive")
        .emits(&[EventKind::ExistenciaCambiada]);
    type Output = PurchaseReceived;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PurchaseReceived, Error> {
        let compra = self.compra;
        let missing = || Error::field(Code::NoEncontrado, "compra", format_args!("la compra {compra} no existe"));
        let order = cx.tx.purchase(compra).await?.ok_or_else(missing)?;
        let requested: Option<Vec<(i64, Quantity)>> =
            self.renglones.as_ref().map(|lines| lines.iter().map(|line| (line.renglon, line.cantidad.get())).collect());
        let lines = cx.tx.ordered_lines(compra).await?;
        let (arrivals, estatus) = receive(order.estatus, lines, requested.as_deref())?;
        let came = purchases::enter(cx, compra, &order, &arrivals).await?;
        cx.tx.receive_lines(&arrivals).await?;
        let factura = match order.cxp {
            None if estatus == PurchaseStatus::Recibida => bill(cx, compra, &order).await?,
            _ => None,
        };
        let cxp = factura.map(|(cxp, _)| cxp).or(order.cxp);
        let billed = cxp.is_some() || order.total == Money::default();
        purchases::received(cx, compra, &came, estatus, factura, billed).await?;
        cx.tx.update_purchase(compra, estatus, cxp, cx.now).await?;
        Ok(PurchaseReceived { compra, cxp })
    }
}

/// The account payable of an order whose goods have all arrived: of its total, from today on. An
/// order that costs nothing has none.
async fn bill(cx: &mut Cx<'_>, compra: i64, order: &PurchaseOrder) -> Result<Option<(i64, Bill)>, Error> {
    if order.total == Money::default() {
        return Ok(None);
    }
    let (total, pagado) = (Balance::new(order.total.get()), Balance::default());
    let unsettled = || Error::internal("a stored total is no amount");
    let (saldo, estatus) = settle(total, pagado).ok_or_else(unsettled)?;
    let row = NewPayable {
        folio: None,
        tipo: PayableKind::Compra,
        estatus,
        proveedor: order.proveedor,
        compra: Some(compra),
        factura: None,
        uuid: None,
        fecha: mexico_date(cx.now.get()),
        vencimiento: None,
        moneda: &order.moneda,
        tipo_cambio: order.tipo_cambio,
        total,
        pagado,
        saldo,
        sucursal: order.sucursal,
        operaciones: 1,
        concepto: None,
        creada: cx.now,
    };
    let iva = Balance::new(order.impuestos.get());
    let bill = Bill { total, iva, pagado, tipo_cambio: order.tipo_cambio };
    Ok(Some((cx.tx.insert_payable(&row).await?, bill)))
}

/// A supplier the company has.
pub(super) async fn supplier(cx: &mut Cx<'_>, proveedor: i64) -> Result<i64, Error> {
    let known = cx.tx.is_supplier(proveedor).await?;
    let unknown = || Error::field(Code::ReferenciaInvalida, "proveedor", "no existe en la empresa");
    known.then_some(proveedor).ok_or_else(unknown)
}

/// An active branch; head office when none is named.
pub(super) async fn branch(cx: &mut Cx<'_>, named: Option<i64>) -> Result<i64, Error> {
    let sucursal = named.unwrap_or(0);
    let active = cx.tx.is_branch(sucursal).await?;
    let inactive = || Error::field(Code::ReferenciaInvalida, "sucursal", "no es una sucursal activa de la empresa");
    active.then_some(sucursal).ok_or_else(inactive)
}
