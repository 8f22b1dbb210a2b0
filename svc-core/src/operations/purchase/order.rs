//! Purchase orders: capturing them and receiving their goods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::accounting::Bill;
use crate::domain::currency::{self, PESO};
use crate::domain::event::EventKind;
use crate::domain::money::Money;
use crate::domain::purchase::{line_amounts, receive, withhold};
use crate::domain::quantity::{Balance, PositiveQuantity, Quantity, Rate};
use crate::domain::sale::{AmountFault, Amounts, SaleProduct};
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{PayableKind, PayableStatus, PurchaseStatus};
use crate::error::{Code, Error};
use crate::json::{Exact, Many, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::lines::{amounts, fault};
use crate::posting::products::{ProductName, find_products};
use crate::posting::{purchases, stock};
use crate::store::{DeletedProducts, NewPurchase, NewPurchaseLine, PurchaseOrder, StoredPayable};

/// The largest number of lines in an order.
const MAX_LINES: usize = 500;

/// Captures a purchase order. It is pending until `purchase.receive` receives its goods.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapturePurchase {
    /// The folio; the clave if left out.
    pub folio: Option<Text<50>>,
    /// The clave of the supplier.
    pub proveedor: i64,
    /// When it is ordered; now if left out.
    pub fecha: Option<Timestamp>,
    /// The day on which the goods are due.
    pub fecha_entrega: Option<Date>,
    /// The branch; head office (0) if left out.
    pub sucursal: Option<i64>,
    /// The code of the warehouse that receives the goods; the branch's main one if left out.
    pub almacen: Option<Exact<3>>,
    /// The currency; MXN if left out.
    pub moneda: Option<SatKey<Exact<3>, Currencies>>,
    /// Pesos per unit of the currency; required unless that is MXN.
    pub tipo_cambio: Option<Rate>,
    /// Comments.
    pub comentarios: Option<Text<500>>,
    /// The ordered products.
    pub renglones: Many<OrderLine, MAX_LINES>,
}

/// A line of a new order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderLine {
    /// The product's SKU; this or `producto`.
    pub sku: Option<Text<100>>,
    /// The product's clave; this or `sku`.
    pub producto: Option<i64>,
    /// The ordered quantity.
    pub cantidad: PositiveQuantity,
    /// The unit cost before IVA, with up to six decimals. If left out in an order in pesos, the
    /// product's cost.
    pub costo_unitario: Option<Money>,
    /// The discount on the line, with up to two decimals.
    pub descuento: Option<Money>,
    /// The line's description; the product's if left out.
    pub descripcion: Option<Text<500>>,
    /// The line's IVA, with up to two decimals; by the product's purchase rate if left out.
    pub iva: Option<Money>,
    /// The line's IEPS, with up to two decimals. It is part of the goods' cost.
    pub ieps: Option<Money>,
    /// The ISR that the company withholds of the line, with up to two decimals.
    pub retencion_isr: Option<Money>,
    /// The IVA that the company withholds of the line, with up to two decimals.
    pub retencion_iva: Option<Money>,
}

/// The purchase order that was created.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PurchaseRef {
    /// The order's clave.
    pub compra: i64,
}

/// Receives goods of a purchase order into its warehouse, at their cost in pesos. When everything
/// has been received, the order's account payable is created, unless it has one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivePurchase {
    /// The clave of the purchase order.
    pub compra: i64,
    /// The received lines; everything outstanding if left out.
    pub renglones: Option<Many<ReceivedLine, MAX_LINES>>,
}

/// A received line.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivedLine {
    /// The number of the line in the order.
    pub renglon: i64,
    /// The received quantity.
    pub cantidad: PositiveQuantity,
}

/// The answer of [`ReceivePurchase`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PurchaseReceived {
    /// The clave of the purchase order.
    pub compra: i64,
    /// The clave of its account payable; null until it has one.
    pub cxp: Option<i64>,
}

impl Operation for CapturePurchase {
    const SPEC: Spec = Spec::new().named("purchase.capture");
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
        let products = find_products(cx, &names, DeletedProducts::LeftOut).await?;
        names.iter().zip(&products).try_for_each(|(name, product)| name.validate_active(product))?;
        self.renglones.iter().zip(products).enumerate().map(|(at, (line, product))| line.priced(at, product)).collect()
    }
}

impl OrderLine {
    fn name(&self, at: usize) -> ProductName<'_> {
        ProductName::of_line(at, self.producto, self.sku.as_deref())
    }

    /// Validates what needs no data of the company.
    fn validate(&self, at: usize, moneda: &str) -> Result<(), Error> {
        self.name(at).validate()?;
        for (field, amount) in [
            ("descuento", self.descuento),
            ("iva", self.iva),
            ("ieps", self.ieps),
            ("retencion_isr", self.retencion_isr),
            ("retencion_iva", self.retencion_iva),
        ] {
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
        let ieps = self.ieps.unwrap_or_default();
        let charged = amounts(line_amounts(cantidad, costo_unitario, discount, self.iva, rate, ieps), at)?;
        let (isr, iva) = (self.retencion_isr.unwrap_or_default(), self.retencion_iva.unwrap_or_default());
        let amounts =
            withhold(charged, isr, iva).map_err(|(field, text)| fault(Code::DatoInvalido, at, field, text))?;
        let descripcion = self.descripcion.as_deref().or(product.descripcion.as_deref()).map(str::to_owned);
        Ok(NewPurchaseLine { product, descripcion, cantidad, costo_unitario, amounts })
    }
}

impl Operation for ReceivePurchase {
    const SPEC: Spec = Spec::new().named("purchase.receive").emits(&[EventKind::ExistenciaCambiada]);
    type Output = PurchaseReceived;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PurchaseReceived, Error> {
        let compra = self.compra;
        let order = locked(cx, compra).await?;
        let requested: Option<Vec<(i64, Quantity)>> =
            self.renglones.as_ref().map(|lines| lines.iter().map(|line| (line.renglon, line.cantidad.get())).collect());
        let lines = cx.tx.ordered_lines(compra).await?;
        let (arrivals, estatus) = receive(order.estatus, lines, requested.as_deref())?;
        let came = purchases::receive(cx, compra, &order, &arrivals).await?;
        cx.tx.receive_lines(&arrivals).await?;
        let had = cx.tx.bill_of_purchase(compra, order.cxp).await?;
        let factura = match had {
            None if estatus == PurchaseStatus::Recibida => bill(cx, compra, &order).await?,
            _ => None,
        };
        let cxp = factura.map(|(cxp, _)| cxp).or(had.map(|bill| bill.cxp));
        purchases::received(cx, compra, &came, estatus, factura, had, &order).await?;
        cx.tx.update_purchase(compra, estatus, cxp, cx.now).await?;
        Ok(PurchaseReceived { compra, cxp })
    }
}

/// A purchase order, locked; an error if there is none.
pub(super) async fn locked(cx: &mut Cx<'_>, compra: i64) -> Result<PurchaseOrder, Error> {
    let missing = || Error::field(Code::NoEncontrado, "compra", format_args!("la compra {compra} no existe"));
    cx.tx.purchase(compra).await?.ok_or_else(missing)
}

/// Creates the account payable of an order whose goods have all arrived: its total, dated today. An
/// order that costs nothing has none.
async fn bill(cx: &mut Cx<'_>, compra: i64, order: &PurchaseOrder) -> Result<Option<(i64, Bill)>, Error> {
    if order.total == Money::default() {
        return Ok(None);
    }
    let payable = StoredPayable {
        folio: None,
        tipo: PayableKind::Compra,
        estatus: PayableStatus::Pendiente,
        proveedor: order.proveedor,
        compra: Some(compra),
        factura: None,
        uuid: None,
        fecha: cx.day_at(order.sucursal),
        vencimiento: None,
        moneda: order.moneda.clone(),
        tipo_cambio: order.tipo_cambio,
        total: Balance::new(order.total.get()),
        pagado: Balance::default(),
        saldo: Balance::default(),
        impuestos: order.impuestos,
        sucursal: order.sucursal,
        operaciones: 1,
        concepto: None,
        apertura: None,
    };
    let payable = payable.with_balance().ok_or_else(|| Error::internal("a stored total is not an amount"))?;
    Ok(Some((cx.tx.insert_payable(&payable, cx.now).await?, purchases::bill_of(&payable))))
}

/// The clave of an existing supplier.
pub(super) async fn supplier(cx: &mut Cx<'_>, proveedor: i64) -> Result<i64, Error> {
    let known = cx.tx.is_supplier(proveedor).await?;
    let unknown = || Error::field(Code::ReferenciaInvalida, "proveedor", "no existe en la empresa");
    known.then_some(proveedor).ok_or_else(unknown)
}

/// The clave of an active branch; head office if none is named.
pub(super) async fn branch(cx: &mut Cx<'_>, named: Option<i64>) -> Result<i64, Error> {
    let sucursal = named.unwrap_or(0);
    let active = cx.tx.is_branch(sucursal).await?;
    let inactive = || Error::field(Code::ReferenciaInvalida, "sucursal", "no es una sucursal activa de la empresa");
    active.then_some(sucursal).ok_or_else(inactive)
}
