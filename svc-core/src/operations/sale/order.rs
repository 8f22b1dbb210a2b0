//! Turning a quote into an order, and an order, quote or ticket into an invoice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::IMPORTED_RETURNS;
use super::capture::{SaleRef, valid, wrong_state};
use crate::domain::currency;
use crate::domain::event::EventKind;
use crate::domain::invoice::{LockedSale, SuppliedTerms};
use crate::domain::line;
use crate::domain::order::divide;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sat::{CfdiUses, PaymentForms, SatKey};
use crate::domain::stock::StockChange;
use crate::domain::words::{Fulfilment, InvoiceOrigin, PaymentMethod, SaleKind};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::advance::PAID_BY_ADVANCES;
use crate::posting::prospect::becomes_customer;
use crate::posting::{books, invoice, lines, stock, ticket};
use crate::store::{HowPaid, MovementContext, SaleGoods};

/// Turns a quote into an order: it gets a folio of orders, and its goods are reserved.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderQuote {
    /// The clave of the quote.
    pub venta: i64,
}

/// Invoices an order or quote of any origin, or a ticket (`venta`), and queues the invoice for
/// stamping. If an order is delivered in part, that part becomes a sale with its own invoice, and
/// the order stays open with the rest. A ticket keeps its receivable and its payments; if it is in
/// a stamped global invoice, a credit note of its line there is stamped first.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceOrder {
    /// The clave of the order, quote or ticket.
    pub venta: i64,
    /// The SAT's payment form, if the document has none.
    pub forma_pago_sat: Option<SatKey<Text<255>, PaymentForms>>,
    /// PUE or PPD, if the document has none.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// The CFDI use, if the document has none; the customer's if left out.
    pub uso_cfdi: Option<SatKey<Text<255>, CfdiUses>>,
    /// Pesos per unit of the currency on the invoice's day; the document's if left out.
    pub tipo_cambio: Option<Rate>,
}

/// The answer of [`InvoiceOrder`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OrderInvoiced {
    /// The clave in the registry.
    pub factura: i64,
    /// The clave of the invoiced sale: the document itself, or a new one with the delivered part.
    pub venta: i64,
}

impl Operation for OrderQuote {
    const SPEC: Spec =
        Spec::new().named("quote.order").emits(&[EventKind::ClienteCreado, EventKind::ExistenciaCambiada]);
    type Output = SaleRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleRef, Error> {
        let sale = valid(cx, self.venta).await?;
        if sale.tipo != SaleKind::Cotizacion || sale.facturada {
            return Err(wrong_state("solo una cotización sin factura se vuelve pedido"));
        }
        if sale.is_being_invoiced(cx.now.get()) {
            return Err(wrong_state("se está facturando"));
        }
        let almacen = stock::warehouse_of_sale(cx, &sale).await?;
        let folio = cx.tx.next_folio(SaleKind::Pedido.word(), "").await?;
        cx.tx.turn_into_order(sale.clave, folio, almacen.clave, cx.now).await?;
        if let Some(cliente) = sale.cliente {
            becomes_customer(cx, cliente).await?;
        }
        let reserve = |line: SaleGoods| StockChange {
            producto: line.producto,
            sku: line.sku,
            movement: None,
            apartado: Quantity::new(line.cantidad.get()),
        };
        let changes: Vec<StockChange> = cx.tx.sale_goods(sale.clave).await?.into_iter().map(reserve).collect();
        stock::post(cx, &almacen, &changes, &MovementContext::default()).await?;
        Ok(SaleRef { venta: sale.clave })
    }
}

impl Operation for InvoiceOrder {
    const SPEC: Spec = Spec::new().named("order.invoice").each_time().emits(&[
        EventKind::ClienteCreado,
        EventKind::ExistenciaCambiada,
        EventKind::PagoAplicado,
    ]);
    type Output = OrderInvoiced;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<OrderInvoiced, Error> {
        let document = ticket::lock_document(cx, self.venta).await?;
        let paid = cx.tx.lock_receivables(self.venta).await? == HowPaid::ByPayments;
        let missing = || {
            let text = format_args!("la venta {} no existe en la empresa", self.venta);
            Error::field(Code::NoEncontrado, "venta", text)
        };
        let mut sale = cx.tx.lock_sale(self.venta).await?.ok_or_else(missing)?;
        sale.validate_in_office()?;
        let global = match sale.tipo {
            SaleKind::Venta => ticket::global_of(cx, &sale, document).await?,
            _ => None,
        };
        if sale.tipo == SaleKind::Pedido && sale.surtido == Some(Fulfilment::Parcial) {
            if sale.con_cuenta {
                return Err(wrong_state("su cuenta por cobrar importada es de todo el pedido; se factura ya surtido"));
            }
            sale = handed_over(cx, &sale).await?;
        }
        self.validate_rate(cx, &mut sale, paid, global.is_some()).await?;
        let method = self.metodo_pago_sat.map(PaymentMethod::word).or(sale.metodo_pago_sat.as_deref());
        if paid && method == Some(PaymentMethod::Ppd.word()) {
            // Each payment of such an invoice gets its own complement, which names the invoice.
            return Err(wrong_state(
                "tiene pagos aplicados; con PPD se cancelan antes y se aplican después de facturar",
            ));
        }
        if !cx.tx.paid_by_invoiced_advances(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state(PAID_BY_ADVANCES));
        }
        if sale.tipo == SaleKind::Venta
            && method == Some(PaymentMethod::Ppd.word())
            && !cx.tx.returned(&[sale.clave]).await?.is_empty()
        {
            // Its complements would pay more than the invoice, which is about the rest.
            return Err(wrong_state("tiene devoluciones; se factura con PUE"));
        }
        if sale.tipo == SaleKind::Venta && !cx.tx.imported_returns(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state(IMPORTED_RETURNS));
        }
        let supplied = SuppliedTerms {
            forma_pago_sat: self.forma_pago_sat.as_deref().map(str::to_owned),
            metodo_pago_sat: self.metodo_pago_sat,
            uso_cfdi: self.uso_cfdi.as_deref().map(str::to_owned),
        };
        ticket::validate_customer(cx, &sale).await?;
        if let Some(global) = &global {
            ticket::leave_global(cx, &sale, global).await?;
        }
        let invoiced = invoice::invoice(cx, &sale, supplied, InvoiceOrigin::Aplicacion).await?;
        Ok(OrderInvoiced { factura: invoiced.clave, venta: sale.clave })
    }
}

impl InvoiceOrder {
    /// Updates the document's exchange rate to that of the invoice's day.
    async fn validate_rate(
        &self,
        cx: &mut Cx<'_>,
        sale: &mut LockedSale,
        paid: bool,
        in_global: bool,
    ) -> Result<(), Error> {
        let tipo_cambio = currency::rate_of_day(&sale.moneda, self.tipo_cambio, sale.tipo_cambio)?;
        if tipo_cambio == sale.tipo_cambio {
            return Ok(());
        }
        let pesos = |amount| line::pesos(amount, tipo_cambio);
        if pesos(sale.amounts.subtotal).and(pesos(sale.amounts.total)).is_none() {
            return Err(Error::field(Code::DatoInvalido, "tipo_cambio", "el total en pesos pasa de 18 dígitos"));
        }
        if in_global {
            return Err(wrong_state("está en una factura global a su tipo de cambio"));
        }
        if paid {
            return Err(wrong_state("tiene pagos aplicados a su tipo de cambio; se cancelan antes de darle otro"));
        }
        if !cx.tx.returned(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state("tiene devoluciones a su tipo de cambio"));
        }
        books::revalue(cx, sale, tipo_cambio).await
    }
}

/// Splits an order: the delivered part becomes a new fulfilled order.
async fn handed_over(cx: &mut Cx<'_>, order: &LockedSale) -> Result<LockedSale, Error> {
    let (handed, left) = lines::amounts(divide(&cx.tx.priced_lines(order.clave).await?), 0)?;
    let clave = cx.tx.divide_order(order.clave, &handed, &left, cx.now).await?;
    if order.con_anticipos {
        cx.tx.assign_advances_of(order.clave, clave).await?;
    }
    cx.tx.lock_sale(clave).await?.ok_or_else(|| Error::internal("the new part of an order is missing"))
}
