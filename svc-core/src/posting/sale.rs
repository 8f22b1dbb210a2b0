//! Creating sales documents, for every channel.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;

use super::books::{self, Owed};
use super::issuer::validate_issuer;
use super::lines::{self, Pricing};
use super::prospect::becomes_customer;
use super::{document, queued, stock};
use crate::domain::accounting::{IncomeByRate, IncomeKind};
use crate::domain::cfdi::{Heading, Receiver, TipoDeComprobante};
use crate::domain::currency::{self, PESO};
use crate::domain::event::Event;
use crate::domain::invoice::{ProposedTerms, due_date, invoice_series, validate_payment, validate_receiver};
use crate::domain::line;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::{AmountFault, Amounts, DEFAULT_PRICE_LIST};
use crate::domain::sat::{self, CfdiUses, Currencies, PaymentForms, PaymentMethods, SatKey};
use crate::domain::stock::StockChange;
use crate::domain::tax::Withholding;
use crate::domain::text::printed_folio;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, PaymentMethod, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::{Code, Error};
use crate::json::{Exact, Many, Text, Within};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, Buyer, MovementContext, NewInvoice, NewSale, NewSaleLine, Numbered};

pub use super::lines::LineBody;

/// The largest number of lines in a document.
pub const MAX_LINES: usize = 500;

/// A sales document in a request (contract §4, "POST /ventas"). `K` is the set of types that the
/// operation accepts.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaleBody<K> {
    /// The document's type.
    pub tipo: K,
    /// The clave of the customer.
    pub cliente: i64,
    /// The lines.
    pub renglones: Many<LineBody, MAX_LINES>,
    /// Cash or credit; cash if left out.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days of credit; if left out in a sale on credit, the customer's.
    pub dias_credito: Option<Within<0, 365>>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<SatKey<Text<255>, PaymentForms>>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<SatKey<Text<255>, PaymentMethods>>,
    /// The CFDI use; the customer's if left out.
    pub uso_cfdi: Option<SatKey<Text<255>, CfdiUses>>,
    /// The clave of the salesperson.
    pub vendedor: Option<i64>,
    /// The code of the warehouse; the branch's main one if left out.
    pub almacen: Option<Exact<3>>,
    /// The currency; MXN if left out.
    pub moneda: Option<SatKey<Text<255>, Currencies>>,
    /// Pesos per unit of the currency; required unless that is MXN.
    pub tipo_cambio: Option<Rate>,
    /// A reference.
    pub referencia: Option<Text<100>>,
    /// Comments.
    pub comentarios: Option<Text<500>>,
}

impl<K> SaleBody<K> {
    fn moneda(&self) -> &str {
        self.moneda.as_deref().unwrap_or(PESO)
    }

    /// Validates what needs no data of the company (400). Returns the exchange rate.
    fn validate(&self) -> Result<Rate, Error> {
        lines::validate(&self.renglones)?;
        currency::exchange_rate(self.moneda(), self.tipo_cambio)
    }

    /// Validates the keys of the SAT's catalogues (422).
    fn validate_keys(&self) -> Result<(), Error> {
        let known = |key: Option<&str>, exists: fn(&str) -> bool, code: Code| match key {
            Some(key) if !exists(key) => Err(Error::from(code)),
            _ => Ok(()),
        };
        known(self.forma_pago_sat.as_deref(), sat::payment_form_exists, Code::FormaPagoInvalida)?;
        known(self.metodo_pago_sat.as_deref(), sat::payment_method_exists, Code::MetodoPagoInvalido)?;
        known(self.uso_cfdi.as_deref(), |key| sat::cfdi_use(key).is_some(), Code::UsoCfdiInvalido)
    }
}

/// The origin and branch of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CapturePoint {
    pub(crate) origen: SaleOrigin,
    pub(crate) sucursal: i64,
}

#[derive(Debug)]
pub(crate) struct CreatedDocument {
    pub(crate) venta: i64,
    pub(crate) tipo: SaleKind,
    pub(crate) folio: i64,
    pub(crate) amounts: Amounts,
    /// The clave in the registry; only invoices have one.
    pub(crate) factura: Option<i64>,
    /// The clave of the receivable; only documents that are owed have one.
    pub(crate) cxc: Option<i64>,
}

/// Where and at which exchange rate a sale is made.
struct CapturedAt {
    sucursal: i64,
    tipo_cambio: Rate,
}

struct ValidatedSale {
    tipo_cambio: Rate,
    buyer: Buyer,
    almacen: ActiveWarehouse,
    lines: Vec<NewSaleLine>,
    amounts: Amounts,
}

/// Validates and prices a document in the order of contract §4: customer, products, currency,
/// prices, warehouse, salesperson, the SAT's keys.
async fn validate<K>(cx: &mut Cx<'_>, body: &SaleBody<K>, sucursal: i64) -> Result<ValidatedSale, Error> {
    let tipo_cambio = body.validate()?;
    let buyer = cx.tx.buyer(body.cliente).await?.ok_or(Code::ClienteInvalido)?;
    let lines = price(cx, body, &buyer, CapturedAt { sucursal, tipo_cambio }).await?;
    let amounts = Amounts::of_document(lines.iter().map(|line| &line.amounts)).map_err(|_: AmountFault| {
        Error::field(Code::DatoInvalido, "renglones", "el total del documento pasa de 18 dígitos")
    })?;
    // Receivables are also kept in pesos, where this amount would not fit.
    if line::pesos(amounts.subtotal, tipo_cambio).and(line::pesos(amounts.total, tipo_cambio)).is_none() {
        return Err(Error::field(Code::DatoInvalido, "tipo_cambio", "el total en pesos pasa de 18 dígitos"));
    }
    let almacen = stock::warehouse(cx, body.almacen.as_deref(), sucursal).await?;
    if let Some(vendedor) = body.vendedor
        && !cx.tx.is_salesperson(vendedor).await?
    {
        return Err(Code::VendedorInvalido.into());
    }
    body.validate_keys()?;
    Ok(ValidatedSale { tipo_cambio, buyer, almacen, lines, amounts })
}

/// Creates a sales document: validates it, emits `venta.creada`, reserves an order's stock, and
/// posts a document that is owed at once to the books.
pub(crate) async fn make<K: Copy + Into<SaleKind>>(
    cx: &mut Cx<'_>,
    body: &SaleBody<K>,
    channel: CapturePoint,
) -> Result<CreatedDocument, Error> {
    let tipo = body.tipo.into().normalized();
    let ValidatedSale { tipo_cambio, buyer, almacen, lines, amounts } = validate(cx, body, channel.sucursal).await?;
    if tipo == SaleKind::Anticipo {
        lines::validate_advance(&lines)?;
    }
    let condicion_pago = body.condicion_pago.unwrap_or(PaymentTerm::Contado);
    let uso_cfdi = match tipo {
        SaleKind::Factura => Some(validate_invoiceable(cx, body, &buyer, condicion_pago).await?),
        _ => body.uso_cfdi.as_deref().map(str::to_owned),
    };
    let own_days = (condicion_pago == PaymentTerm::Credito).then_some(buyer.dias_credito);
    let days = body.dias_credito.map(Within::get).or(own_days);
    let serie = (tipo == SaleKind::Factura).then(|| invoice_series(channel.sucursal));
    let fecha = cx.day_at(channel.sucursal);
    let due = (!matches!(tipo, SaleKind::Pedido | SaleKind::Cotizacion)).then(|| due_date(fecha, condicion_pago, days));
    let sale = NewSale {
        tipo,
        serie: serie.as_deref(),
        fecha: cx.now,
        sucursal: channel.sucursal,
        almacen: almacen.clave,
        cliente: body.cliente,
        vendedor: body.vendedor,
        moneda: body.moneda(),
        tipo_cambio,
        condicion_pago,
        dias_credito: days,
        vencimiento: due,
        forma_pago_sat: body.forma_pago_sat.as_deref(),
        metodo_pago_sat: body.metodo_pago_sat.as_deref(),
        uso_cfdi: uso_cfdi.as_deref(),
        amounts,
        origen: channel.origen,
        referencia: body.referencia.as_deref(),
        comentarios: body.comentarios.as_deref(),
        lines: &lines,
    };
    let Numbered { clave: venta, folio } = cx.tx.insert_sale(&sale).await?;
    cx.emit(&Event::VentaCreada { venta, tipo }).await?;
    if buyer.prospecto && tipo != SaleKind::Cotizacion {
        becomes_customer(cx, body.cliente).await?;
    }
    let made = CreatedDocument { venta, tipo, folio, amounts, factura: None, cxc: None };
    let rated = lines.iter().map(|line| (IncomeKind::of(line.rates.iva_tasa), &line.amounts));
    let income = IncomeByRate::of_lines(rated).sold_to(buyer.receptor.rfc.as_deref());
    match due {
        None if tipo == SaleKind::Pedido => {
            stock::post(cx, &almacen, &reservations(&lines), &MovementContext::default()).await?;
            Ok(made)
        }
        None => Ok(made),
        Some(vencimiento) => {
            let made = match &sale.serie {
                Some(serie) => queue_invoice(cx, &sale, serie, buyer.receptor, made).await?,
                None => made,
            };
            owe(cx, &sale, &almacen, income, made, (fecha, vencimiento)).await
        }
    }
}

/// Refuses an invoice that could not be stamped, by the rules of facturar. Returns its CFDI use.
async fn validate_invoiceable<K>(
    cx: &mut Cx<'_>,
    body: &SaleBody<K>,
    buyer: &Buyer,
    condicion_pago: PaymentTerm,
) -> Result<String, Error> {
    validate_issuer(cx).await?;
    let uso_cfdi = validate_receiver(TipoDeComprobante::I, &buyer.receptor, body.uso_cfdi.as_deref())?;
    let terms = ProposedTerms {
        forma_pago_sat: body.forma_pago_sat.as_deref().map(str::to_owned),
        metodo_pago_sat: body.metodo_pago_sat.as_deref().map(str::to_owned),
        uso_cfdi: None,
    };
    validate_payment(Some(condicion_pago), &terms)?;
    Ok(uso_cfdi)
}

/// Registers a captured invoice, and queues its validated document to be stamped. Folios are locked
/// before goods ([`stock::lock`]).
async fn queue_invoice(
    cx: &mut Cx<'_>,
    sale: &NewSale<'_>,
    serie: &str,
    receptor: Receiver,
    made: CreatedDocument,
) -> Result<CreatedDocument, Error> {
    let row = NewInvoice {
        tipo: InvoiceKind::Factura,
        venta: Some(made.venta),
        cliente: Some(sale.cliente),
        serie,
        fecha: cx.now,
        origen: InvoiceOrigin::Aplicacion,
    };
    let factura = cx.tx.insert_invoice(&row, made.folio).await?;
    cx.tx.set_sale_invoice(made.venta, factura, cx.now).await?;
    let heading = Heading { serie: Some(serie.to_owned()), folio: Some(made.folio.to_string()), fecha: cx.now };
    let document = document::of_sale(cx, made.venta, receptor, None, heading).await?;
    queued::keep_fit(cx, factura, document).await?;
    Ok(CreatedDocument { factura: Some(factura), ..made })
}

/// Writes the effects of a document that is owed at once: the goods that leave (except for an
/// advance), receivable and entry.
async fn owe(
    cx: &mut Cx<'_>,
    sale: &NewSale<'_>,
    almacen: &ActiveWarehouse,
    por_tasa: IncomeByRate,
    mut made: CreatedDocument,
    (fecha, vencimiento): (NaiveDate, NaiveDate),
) -> Result<CreatedDocument, Error> {
    let folio = printed_folio(sale.serie.unwrap_or_default(), made.folio);
    let leaving = if sale.tipo == SaleKind::Anticipo { Vec::new() } else { books::goods(sale.lines) };
    stock::validate_there(cx, almacen, &leaving, None).await?;
    let costo = books::goods_leave(cx, almacen, &leaving, false, made.venta, &folio, fecha).await?;
    let owed = Owed {
        venta: made.venta,
        tipo: sale.tipo,
        factura: made.factura,
        folio: &folio,
        cliente: Some(sale.cliente),
        sucursal: sale.sucursal,
        moneda: sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        metodo_pago_sat: sale.metodo_pago_sat.and_then(PaymentMethod::of),
        fecha,
        vencimiento,
        amounts: sale.amounts,
        por_tasa,
    };
    made.cxc = Some(books::becomes_owed(cx, &owed, costo).await?);
    Ok(made)
}

/// Prices the lines: products first, then the currency, then the price lists of the customer and
/// the company.
async fn price<K>(
    cx: &mut Cx<'_>,
    body: &SaleBody<K>,
    buyer: &Buyer,
    at: CapturedAt,
) -> Result<Vec<NewSaleLine>, Error> {
    let products = lines::products(cx, &body.renglones).await?;
    currency::validate_invoiced(body.moneda())?;
    let mut lists = vec![buyer.lista.unwrap_or(DEFAULT_PRICE_LIST), DEFAULT_PRICE_LIST];
    lists.dedup();
    let pricing = Pricing {
        lists: &lists,
        moneda: body.moneda(),
        day: cx.day_at(at.sucursal),
        withholding: Withholding::between(cx.company.rfc.as_deref(), cx.company.regimen, buyer.receptor.rfc.as_deref()),
        tipo_cambio: at.tipo_cambio,
        sucursal: at.sucursal,
    };
    lines::priced(cx, &body.renglones, products, &pricing).await
}

/// The reservations of an order, for products that have stock.
fn reservations(lines: &[NewSaleLine]) -> Vec<StockChange> {
    let reserve = |line: &NewSaleLine| StockChange {
        producto: line.product.clave,
        sku: line.product.sku.clone(),
        movement: None,
        apartado: Quantity::new(line.cantidad.get()),
    };
    lines.iter().filter(|line| line.product.has_stock()).map(reserve).collect()
}
