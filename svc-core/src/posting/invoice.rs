//! Invoicing an order or quote (spec, "POST /ventas/{clave}/facturar").

use rust_decimal::Decimal;

use super::books::{self, Owed};
use super::issuer::validate_issuer;
use super::prospect::becomes_customer;
use super::stock::OwnReservation;
use super::{advance, document, queued, stock};
use crate::domain::cfdi::{Cfdi, Heading, TipoDeComprobante};
use crate::domain::clock::mexico_date;
use crate::domain::invoice::{
    InvoiceTerms, LockedSale, ProposedTerms, SaleInvoice, SuppliedTerms, counted_advance, due_date, invoice_series,
    validate_advance, validate_credit, validate_payment, validate_receiver,
};
use crate::domain::money::Money;
use crate::domain::text::printed_folio;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, InvoiceStatus, PaymentTerm, SaleKind};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, Buyer, InvoicedSale, NewInvoice, Numbered, SaleGoods, StoreError};

/// The `Retry-After` of a sale that another request is invoicing, in seconds.
const RETRY_AFTER: u32 = 5;

/// The invoice of a sale, and whether it had been requested before.
#[derive(Debug)]
pub(crate) struct Requested {
    pub(crate) invoice: SaleInvoice,
    pub(crate) before: bool,
}

/// Invoices a sale: first all checks, then all effects. The lock on the sale lets one of several
/// concurrent requests invoice it; the others return its invoice.
pub(crate) async fn request(
    cx: &mut Cx<'_>,
    venta: i64,
    supplied: SuppliedTerms,
    sucursal: i64,
) -> Result<Requested, Error> {
    let sale = cx.tx.lock_sale(venta).await.map_err(being_invoiced)?.ok_or(Code::NoEncontrado)?;
    if let Some(invoice) = sale.requested() {
        return Ok(Requested { invoice: invoice.clone(), before: true });
    }
    sale.validate(sucursal)?;
    if sale.is_being_invoiced(cx.now.get()) {
        return Err(Error::new(Code::VentaEnProceso).retry_after(RETRY_AFTER));
    }
    let invoice = invoice(cx, &sale, supplied, InvoiceOrigin::Api).await?;
    Ok(Requested { invoice, before: false })
}

/// Validates a locked sale and invoices it. A fulfilled order or a ticket skips the stock and
/// credit checks: its goods have left and it is already owed.
pub(crate) async fn invoice(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    supplied: SuppliedTerms,
    origen: InvoiceOrigin,
) -> Result<SaleInvoice, Error> {
    let terms = sale.terms(supplied)?;
    validate_issuer(cx).await?;
    let buyer = match sale.cliente {
        Some(cliente) => cx.tx.lock_buyer(cliente).await?.unwrap_or_default(),
        None => Buyer::default(),
    };
    let uso_cfdi = validate_receiver(TipoDeComprobante::I, &buyer.receptor, terms.uso_cfdi.as_deref())?;
    // An imported ticket may not say how it is paid: it was sold over the counter.
    let counter = (sale.tipo == SaleKind::Venta).then_some(PaymentTerm::Contado);
    let paid = validate_payment(sale.condicion_pago.or(counter), &terms)?;
    let terms = ProposedTerms { uso_cfdi: Some(uso_cfdi), ..terms };
    // The folio is assigned once nothing can refuse the invoice.
    let heading = Heading { serie: None, folio: None, fecha: cx.now };
    let document = document::of_sale(cx, sale.clave, buyer.receptor.clone(), Some(&terms), heading).await?;
    let document = document.map_err(|fault| queued::unfit(&fault))?;
    let leaving = if sale.is_handed_over() {
        None
    } else {
        let leaving = Leaving::of(cx, sale).await?;
        leaving.validate(cx, sale).await?;
        Some(leaving)
    };
    // A ticket is owed already, or was paid; an order only if it has a receivable.
    let becomes_owed = !sale.con_cuenta && sale.tipo != SaleKind::Venta;
    let anticipo_contado =
        if becomes_owed { validate_money(cx, sale, &buyer, paid.condicion_pago).await? } else { None };
    let issued = Issued { terms: &terms, anticipo_contado, leaving, origen, document };
    let invoice = issue(cx, sale, &buyer, &paid, issued).await?;
    if sale.con_anticipos {
        advance::apply_named(cx, sale, invoice.clave).await?;
    }
    Ok(invoice)
}

/// What invoicing needs besides the sale.
struct Issued<'a> {
    terms: &'a ProposedTerms,
    /// How much of the customer's advances counts towards the minimum.
    anticipo_contado: Option<Money>,
    /// `None` for a fulfilled order or a ticket.
    leaving: Option<Leaving>,
    origen: InvoiceOrigin,
    document: Cfdi,
}

/// The goods that leave with an invoice.
struct Leaving {
    /// The warehouse; its error is reported after all others.
    almacen: Result<ActiveWarehouse, Error>,
    goods: Vec<SaleGoods>,
}

/// The error of a sale that stayed locked past the lock timeout.
fn being_invoiced(error: StoreError) -> Error {
    match error {
        StoreError::Busy(_) => Error::new(Code::VentaEnProceso).retry_after(RETRY_AFTER),
        other => other.into(),
    }
}

impl Leaving {
    async fn of(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<Self, Error> {
        let almacen = stock::warehouse_of_sale(cx, sale).await;
        Ok(Self { almacen, goods: cx.tx.sale_goods(sale.clave).await? })
    }

    /// Requires the goods to be in stock, unless the company sells below its stock.
    async fn validate(&self, cx: &mut Cx<'_>, sale: &LockedSale) -> Result<(), Error> {
        let Ok(almacen) = &self.almacen else { return Ok(()) };
        let own = OwnReservation { venta: sale.clave, goods: &self.goods };
        stock::validate_there(cx, almacen, &self.goods, (sale.tipo == SaleKind::Pedido).then_some(own)).await
    }
}

/// Checks the customer's credit limit and overdue debt for a sale on credit, and the minimum
/// advance for a cash sale. Returns the part of it that the customer's advances must cover.
async fn validate_money(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    buyer: &Buyer,
    condicion_pago: PaymentTerm,
) -> Result<Option<Money>, Error> {
    let total = sale.amounts.total.get();
    match (condicion_pago, sale.cliente) {
        (PaymentTerm::Credito, Some(cliente)) => {
            // The due date was set by the branch's day, so what is due today, there or in Mexico,
            // never blocks (contract §1).
            let today = mexico_date(cx.now.get()).min(cx.day_at(sale.sucursal));
            let owed = cx.tx.customer_balance(cliente, today).await?;
            let saldo = sale.saldo.get().min(total);
            let pesos = saldo.checked_mul(sale.tipo_cambio.get()).ok_or(Code::CreditoInsuficiente)?;
            let limite = buyer.limite_credito;
            validate_credit(limite.get(), owed.adeudo, pesos, owed.vencido).map_err(|code| match code {
                Code::CreditoInsuficiente => beyond_credit(limite, owed.adeudo, pesos),
                code => code.into(),
            })?;
        }
        (PaymentTerm::Contado, Some(cliente)) if cx.company.anticipo_minimo > Decimal::ZERO => {
            let advances = cx.tx.advances(cliente, &sale.moneda).await?;
            let paid = total - sale.saldo.get();
            validate_advance(cx.company.anticipo_minimo, advances + paid, total)?;
            return Ok(counted_advance(cx.company.anticipo_minimo, paid, total));
        }
        _ => {}
    }
    Ok(None)
}

fn beyond_credit(limite: Money, adeudo: Decimal, pesos: Decimal) -> Error {
    let [adeudo, venta] = [adeudo, pesos].map(|amount| Money::new(amount.round_dp(2)));
    let text = Code::CreditoInsuficiente.mensaje();
    Error::new(Code::CreditoInsuficiente)
        .message(format!("{text}: su límite es {limite} MXN, debe {adeudo} y esta venta es de {venta}"))
}

/// Writes the registry, stock, sale, receivable, accounting entry and stamping queue.
async fn issue(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    buyer: &Buyer,
    paid: &InvoiceTerms,
    issued: Issued<'_>,
) -> Result<SaleInvoice, Error> {
    let Issued { terms, anticipo_contado, leaving, origen, document } = issued;
    if let (true, Some(cliente)) = (buyer.prospecto, sale.cliente) {
        becomes_customer(cx, cliente).await?;
    }
    let serie = invoice_series(sale.sucursal);
    let row = NewInvoice {
        tipo: InvoiceKind::Factura,
        venta: Some(sale.clave),
        cliente: sale.cliente,
        serie: &serie,
        fecha: cx.now,
        origen,
    };
    let Numbered { clave: factura, folio: number } = cx.tx.open_invoice(&row).await?;
    let folio = printed_folio(&serie, number);
    let fecha = cx.day_at(sale.sucursal);
    let costo = match leaving {
        None => books::cost_of_goods_gone(cx, sale.clave).await?,
        // Services leave no warehouse.
        Some(Leaving { goods, .. }) if goods.is_empty() => Money::default().into(),
        Some(Leaving { almacen, goods }) => {
            let reserved = sale.tipo == SaleKind::Pedido;
            books::goods_leave(cx, &almacen?, &goods, reserved, sale.clave, &folio, fecha).await?.into()
        }
    };
    let dias_credito = sale.dias_credito.unwrap_or(buyer.dias_credito);
    let vencimiento = due_date(fecha, paid.condicion_pago, Some(dias_credito));
    let ticket = sale.tipo == SaleKind::Venta;
    let invoiced = InvoicedSale {
        factura,
        serie: &serie,
        folio: number,
        vencimiento: (!ticket).then_some(vencimiento),
        terms,
        anticipo_contado,
    };
    cx.tx.turn_into_invoice(sale.clave, &invoiced, cx.now).await?;
    let owed = Owed {
        venta: sale.clave,
        tipo: SaleKind::Factura,
        factura: Some(factura),
        folio: &folio,
        cliente: sale.cliente,
        sucursal: sale.sucursal,
        moneda: &sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        metodo_pago_sat: Some(paid.metodo_pago_sat),
        fecha,
        vencimiento,
        amounts: sale.amounts,
        por_tasa: sale.income(),
    };
    if sale.con_cuenta {
        cx.tx.invoice_receivable(sale.clave, &folio, &invoiced, cx.now).await?;
    }
    // An imported ticket that was paid has no receivable.
    let posted_before = ticket || sale.is_fulfilled() && sale.con_cuenta;
    if !posted_before {
        books::order_becomes_owed(cx, sale, &owed, costo).await?;
    }
    let document = Cfdi { serie: Some(serie.clone()), folio: Some(number.to_string()), ..document };
    queued::keep(cx, factura, &document).await?;
    Ok(SaleInvoice {
        clave: factura,
        origen,
        estatus: InvoiceStatus::EnEspera,
        serie: Some(serie),
        folio: Some(number.to_string()),
        uuid: None,
    })
}
