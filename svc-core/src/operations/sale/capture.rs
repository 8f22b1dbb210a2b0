//! Sales documents, as the ERP's screens capture, fulfil and cancel them.

use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::event::EventKind;
use crate::domain::invoice::LockedSale;
use crate::domain::order::{FulfilmentLine, Handover, hand_over};
use crate::domain::quantity::{PositiveQuantity, Quantity};
use crate::domain::stock::StockChange;
use crate::domain::words::{Fulfilment, InvoiceStatus, SaleKind, SaleOrigin};
use crate::error::{Code, Error};
use crate::json::{Fault, Json, Many};
use crate::operation::{Cx, Input, Operation, Spec};
use crate::posting::books::Owed;
use crate::posting::sale::{CapturePoint, MAX_LINES, SaleBody, make};
use crate::posting::stock::OwnReservation;
use crate::posting::{books, stock};
use crate::schema::{self, with_field};
use crate::store::{ActiveWarehouse, SaleGoods};

/// Captures a sales document of any type. Sales, invoices and advances are owed at once: they get a
/// receivable and an accounting entry, and their goods leave stock. An invoice's document is
/// validated and queued for stamping.
#[derive(Debug, Clone)]
pub struct CaptureSale {
    /// Where it was captured; the application if left out.
    pub origen: Option<SaleOrigin>,
    /// The branch; head office (0) if left out.
    pub sucursal: Option<i64>,
    /// What is captured, of any type.
    pub sale: SaleBody<SaleKind>,
}

/// The document that was captured.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SaleCaptured {
    /// The document's clave.
    pub venta: i64,
    /// The document's type.
    pub tipo: SaleKind,
    /// The number within its series.
    pub folio: i64,
    /// The clave in the registry; only invoices have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factura: Option<i64>,
    /// The clave of its receivable; only documents that are owed have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cxc: Option<i64>,
}

/// Marks a sale as being invoiced in the application. The API answers 503 to requests to invoice
/// it, until [`EndInvoicing`] or for ten minutes.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginInvoicing {
    /// The clave of the order or quote.
    pub venta: i64,
}

/// Removes the mark of [`BeginInvoicing`].
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndInvoicing {
    /// The clave of the sale.
    pub venta: i64,
}

/// Cancels a document that has no stamped invoice. Reservations are released, goods return to
/// stock, and its receivable is cancelled unless payments are applied to it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelSale {
    /// The clave of the document.
    pub venta: i64,
}

/// Delivers goods of an order: they leave the warehouse and are no longer reserved. Once everything
/// is delivered, the order is owed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FulfilOrder {
    /// The clave of the order.
    pub venta: i64,
    /// The delivered lines.
    pub renglones: Many<HandedOver, MAX_LINES>,
}

/// A delivered line.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandedOver {
    /// The number of the line.
    pub renglon: i64,
    /// The delivered quantity.
    pub cantidad: PositiveQuantity,
}

/// The document that was changed.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SaleRef {
    /// The document's clave.
    pub venta: i64,
}

pub(super) fn wrong_state(text: &str) -> Error {
    Error::field(Code::EstadoInvalido, "venta", text)
}

/// Locks a document that is not cancelled.
pub(super) async fn valid(cx: &mut Cx<'_>, venta: i64) -> Result<LockedSale, Error> {
    let missing =
        || Error::field(Code::NoEncontrado, "venta", format_args!("la venta {venta} no existe en la empresa"));
    let sale = cx.tx.lock_sale(venta).await?.ok_or_else(missing)?;
    if sale.cancelada {
        return Err(wrong_state("está cancelada"));
    }
    Ok(sale)
}

impl Input for CaptureSale {
    fn read(input: &Json) -> Result<Self, Fault> {
        let (origen, rest) = input.take_optional("origen")?;
        let (sucursal, rest) = rest.take_optional("sucursal")?;
        Ok(Self { origen, sucursal, sale: rest.read()? })
    }

    fn schema() -> Schema {
        let origen = json!({
            "type": ["string", "null"],
            "enum": SaleOrigin::WORDS.iter().map(|word| json!(word)).chain([json!(null)]).collect::<Vec<_>>(),
        });
        let sucursal = json!({ "type": ["integer", "null"], "format": "int64" });
        with_field(with_field(schema::of::<SaleBody<SaleKind>>(), "origen", origen), "sucursal", sucursal)
    }
}

impl Operation for CaptureSale {
    const SPEC: Spec = Spec::new().named("sale.capture").emits(&[
        EventKind::VentaCreada,
        EventKind::ClienteCreado,
        EventKind::ExistenciaCambiada,
    ]);
    type Output = SaleCaptured;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleCaptured, Error> {
        let origen = self.origen.unwrap_or(SaleOrigin::Aplicacion);
        let made = make(cx, &self.sale, CapturePoint { origen, sucursal: self.sucursal.unwrap_or(0) }).await?;
        Ok(SaleCaptured { venta: made.venta, tipo: made.tipo, folio: made.folio, factura: made.factura, cxc: made.cxc })
    }
}

impl Operation for BeginInvoicing {
    const SPEC: Spec = Spec::new().named("sale.invoicing-begin").each_time();
    type Output = SaleRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleRef, Error> {
        let sale = valid(cx, self.venta).await?;
        if sale.facturada || sale.tipo == SaleKind::Factura {
            return Err(wrong_state("ya tiene factura"));
        }
        if sale.is_being_invoiced(cx.now.get()) {
            return Err(wrong_state("ya se está facturando"));
        }
        cx.tx.set_invoicing(sale.clave, Some(cx.now)).await?;
        Ok(SaleRef { venta: sale.clave })
    }
}

impl Operation for EndInvoicing {
    const SPEC: Spec = Spec::new().named("sale.invoicing-end").each_time();
    type Output = SaleRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleRef, Error> {
        let sale = valid(cx, self.venta).await?;
        if sale.facturando.is_none() {
            return Err(wrong_state("no se está facturando"));
        }
        cx.tx.set_invoicing(sale.clave, None).await?;
        Ok(SaleRef { venta: sale.clave })
    }
}

impl Operation for CancelSale {
    const SPEC: Spec = Spec::new().named("sale.cancel").emits(&[EventKind::ExistenciaCambiada]);
    type Output = SaleRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleRef, Error> {
        cx.tx.lock_receivables(self.venta).await?;
        let sale = valid(cx, self.venta).await?;
        let waiting = |estatus| matches!(estatus, InvoiceStatus::Vigente | InvoiceStatus::EnEspera);
        if sale.factura.as_ref().is_some_and(|invoice| waiting(invoice.estatus)) {
            return Err(wrong_state("tiene factura; se cancela con invoice.cancel"));
        }
        if sale.is_being_invoiced(cx.now.get()) {
            return Err(wrong_state("se está facturando"));
        }
        if cx.tx.unstamped_ticket_note(sale.clave).await?.is_some() {
            return Err(wrong_state("sigue en una factura global; antes se descarta su factura con document.discard"));
        }
        if !cx.tx.returned(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state("tiene devoluciones; el resto se devuelve con sale.return"));
        }
        let held = if sale.tipo == SaleKind::Pedido { reserved(cx, &sale).await? } else { Vec::new() };
        books::undo(cx, sale.clave, None, held).await?;
        cx.tx.set_sale_cancelled(sale.clave, cx.now).await?;
        Ok(SaleRef { venta: sale.clave })
    }
}

/// What remains to be delivered of an order's goods.
fn left_of(goods: Vec<SaleGoods>, lines: &[FulfilmentLine]) -> Vec<SaleGoods> {
    let left = |line: SaleGoods| {
        let ordered = lines.iter().find(|ordered| ordered.renglon == line.renglon)?;
        let left = ordered.cantidad.get() - ordered.cantidad_surtida.get();
        (left > Decimal::ZERO).then(|| SaleGoods { cantidad: Quantity::new(left), ..line })
    };
    goods.into_iter().filter_map(left).collect()
}

/// The reservations that an order still has: the undelivered part of each line.
async fn reserved(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<Vec<(ActiveWarehouse, StockChange)>, Error> {
    let lines = cx.tx.order_lines(sale.clave).await?;
    let release = |line: SaleGoods| {
        let apartado = Quantity::new(-line.cantidad.get());
        StockChange { producto: line.producto, sku: line.sku, movement: None, apartado }
    };
    let goods = cx.tx.sale_goods(sale.clave).await?;
    let changes: Vec<StockChange> = left_of(goods, &lines).into_iter().map(release).collect();
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let almacen = stock::any_warehouse_of_sale(cx, sale).await?;
    Ok(changes.into_iter().map(|change| (almacen.clone(), change)).collect())
}

/// Makes a delivered order owed from today, whether it is invoiced or not.
async fn owe(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<(), Error> {
    let costo = books::cost_of_goods_gone(cx, sale.clave).await?;
    let folio = sale.folio.unwrap_or(sale.clave).to_string();
    let owed = Owed::of_order(sale, &folio, cx.day_at(sale.sucursal));
    books::order_becomes_owed(cx, sale, &owed, costo).await
}

impl Operation for FulfilOrder {
    const SPEC: Spec = Spec::new().named("order.fulfil").emits(&[EventKind::ExistenciaCambiada]);
    type Output = SaleRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleRef, Error> {
        let sale = valid(cx, self.venta).await?;
        if sale.tipo != SaleKind::Pedido {
            return Err(wrong_state(&format!("solo se surten pedidos, y es de tipo {}", sale.tipo.word())));
        }
        if sale.surtido == Some(Fulfilment::Surtido) {
            return Err(wrong_state("el pedido ya está surtido"));
        }
        let ordered = cx.tx.order_lines(sale.clave).await?;
        let given: Vec<_> = self.renglones.iter().map(|line| (line.renglon, line.cantidad.get())).collect();
        let before = ordered.clone();
        let Handover { lines, fulfilment, monto_surtido } = hand_over(ordered, &given, sale.amounts.total)?;
        cx.tx.set_fulfilment(sale.clave, &lines, fulfilment, monto_surtido, cx.now).await?;
        let owed = fulfilment == Fulfilment::Surtido && sale.surtido != Some(Fulfilment::Surtido);
        let handed = |line: SaleGoods| {
            let quantity: Decimal =
                given.iter().filter(|(renglon, _)| *renglon == line.renglon).map(|(_, cantidad)| cantidad.get()).sum();
            (quantity > Decimal::ZERO).then(|| SaleGoods { cantidad: Quantity::new(quantity), ..line })
        };
        let ordered_goods = cx.tx.sale_goods(sale.clave).await?;
        let goods: Vec<SaleGoods> = ordered_goods.iter().cloned().filter_map(handed).collect();
        if !goods.is_empty() {
            let almacen = stock::warehouse_of_sale(cx, &sale).await?;
            let own = OwnReservation { venta: sale.clave, goods: &left_of(ordered_goods, &before) };
            stock::validate_there(cx, &almacen, &goods, Some(own)).await?;
            if owed {
                let (folio, dia) = (format!("pedido {}", sale.clave), cx.day_at(sale.sucursal));
                books::goods_leave(cx, &almacen, &goods, true, sale.clave, &folio, dia).await?;
            } else {
                books::hand_over(cx, &almacen, &goods, sale.clave).await?;
            }
        }
        if owed {
            owe(cx, &sale).await?;
        }
        Ok(SaleRef { venta: sale.clave })
    }
}
