//! Sales documents, their lines, and what becomes of orders and quotes.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::{Numbered, StoreError};
use crate::domain::invoice::{LockedSale, ProposedTerms};
use crate::domain::line_details::LineDetails;
use crate::domain::money::Money;
use crate::domain::order::{FulfilmentLine, OrderPart, PricedLine};
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::{Amounts, SaleProduct};
use crate::domain::tax::LineRates;
use crate::domain::time::Timestamp;
use crate::domain::words::{Fulfilment, PaymentTerm, SaleKind, SaleOrigin};

/// A sales document to be stored.
#[derive(Debug)]
pub struct NewSale<'a> {
    /// A `remision` is stored as `venta`, so it is never one.
    pub tipo: SaleKind,
    /// Part of its folio; `None`: its type has one counter.
    pub serie: Option<&'a str>,
    /// When it is made.
    pub fecha: Timestamp,
    /// Clave of the branch.
    pub sucursal: i64,
    /// Clave of the warehouse that its goods leave.
    pub almacen: i64,
    /// Clave of the customer.
    pub cliente: i64,
    /// The user who is credited with it.
    pub vendedor: Option<i64>,
    /// Currency of all amounts.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Cash or credit, which decides when it is due.
    pub condicion_pago: PaymentTerm,
    /// Days of credit; `None` of a sale in cash.
    pub dias_credito: Option<i64>,
    /// When it is due; `None` of what is not owed yet.
    pub vencimiento: Option<NaiveDate>,
    /// A key of `c_FormaPago`.
    pub forma_pago_sat: Option<&'a str>,
    /// A key of `c_MetodoPago`: PUE (in one payment) or PPD (later or in parts).
    pub metodo_pago_sat: Option<&'a str>,
    /// A key of `c_UsoCFDI`.
    pub uso_cfdi: Option<&'a str>,
    /// The sums of its lines; the total is its balance too.
    pub amounts: Amounts,
    /// Where it was captured.
    pub origen: SaleOrigin,
    /// The client's own reference, such as the customer's purchase order; printed documents show
    /// it.
    pub referencia: Option<&'a str>,
    /// Free text that printed documents show.
    pub comentarios: Option<&'a str>,
    /// Numbered in this order, from 1.
    pub lines: &'a [NewSaleLine],
}

impl NewSale<'_> {
    /// Its fulfilment, which only orders have.
    pub fn fulfilment(&self) -> Option<Fulfilment> {
        (self.tipo == SaleKind::Pedido).then_some(Fulfilment::Pendiente)
    }

    /// How much of a line is delivered from the start: nothing of an order or a quote, else all.
    pub fn delivered(&self, line: &NewSaleLine) -> Quantity {
        match self.tipo {
            SaleKind::Pedido | SaleKind::Cotizacion => Quantity::default(),
            _ => line.cantidad,
        }
    }
}

/// A line of a sales document to be stored.
#[derive(Debug, Clone)]
pub struct NewSaleLine {
    /// Clave of the product; `None` of a line that bills no product.
    pub producto: Option<i64>,
    /// The product as it is at this time.
    pub product: SaleProduct,
    /// As the document prints it.
    pub descripcion: Option<String>,
    /// In the product's unit.
    pub cantidad: Quantity,
    /// Before taxes, in the document's currency.
    pub precio_unitario: Money,
    /// The rates of its taxes.
    pub rates: LineRates,
    /// What its tax document says besides.
    pub details: LineDetails,
    /// In the document's currency.
    pub amounts: Amounts,
}

/// A line of a sale whose product is kept in stock.
#[derive(Debug, Clone)]
pub struct SaleGoods {
    /// Number of the line.
    pub renglon: i64,
    /// Clave of the product.
    pub producto: i64,
    /// The product's SKU now.
    pub sku: Option<String>,
    /// In the product's unit.
    pub cantidad: Quantity,
}

/// What changes of an order or a quote that is invoiced.
#[derive(Debug)]
pub struct InvoicedSale<'a> {
    /// The invoice in the registry.
    pub factura: i64,
    /// Series of the invoice's folio.
    pub serie: &'a str,
    /// Number of the invoice in its series.
    pub folio: i64,
    /// When it is due; `None` keeps the day, as of a ticket.
    pub vencimiento: Option<NaiveDate>,
    /// Form and method of payment and CFDI use, none of them missing.
    pub terms: &'a ProposedTerms,
    /// How much of the customer's advances it reserves, in its currency. Until it is paid no other
    /// sale may count that amount.
    pub anticipo_contado: Option<Money>,
}

/// Sales documents: capture, fulfilment, division and invoicing.
#[async_trait]
pub trait SaleTx {
    /// The next folio of documents of that type and series. Folios have no gaps: the series is
    /// locked until the end.
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError>;

    /// Inserts a document with its lines, under the next folio of its type and series.
    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError>;

    /// The lines of an order.
    async fn order_lines(&mut self, clave: i64) -> Result<Vec<FulfilmentLine>, StoreError>;

    /// Updates the quantity delivered of each line, and the fulfilment of the order.
    async fn set_fulfilment(
        &mut self,
        clave: i64,
        lines: &[FulfilmentLine],
        fulfilment: Fulfilment,
        monto_surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The lines of an order with what their amounts are computed from.
    async fn priced_lines(&mut self, clave: i64) -> Result<Vec<PricedLine>, StoreError>;

    /// Splits an order: the delivered part becomes a new fulfilled order with the same terms and
    /// line numbers and with its stock movements, to be invoiced; the original keeps the rest,
    /// undelivered. Returns the new clave.
    async fn divide_order(
        &mut self,
        clave: i64,
        handed: &OrderPart,
        left: &OrderPart,
        now: Timestamp,
    ) -> Result<i64, StoreError>;

    /// Changes a quote into an order with this folio, whose goods are in `almacen`. Nothing of it
    /// is delivered.
    async fn turn_into_order(&mut self, clave: i64, folio: i64, almacen: i64, now: Timestamp)
    -> Result<(), StoreError>;

    /// Sets a document as cancelled, with the balance zero.
    async fn set_sale_cancelled(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Links a sale to its record in the invoice registry.
    async fn set_sale_invoice(&mut self, clave: i64, factura: i64, now: Timestamp) -> Result<(), StoreError>;

    /// A sale, locked until the end. Fails with [`StoreError::Busy`] if another transaction holds
    /// the lock for too long.
    async fn lock_sale(&mut self, clave: i64) -> Result<Option<LockedSale>, StoreError>;

    /// The lines of a sale whose products are kept in stock, in order.
    async fn sale_goods(&mut self, clave: i64) -> Result<Vec<SaleGoods>, StoreError>;

    /// Changes an order, a quote or a ticket into an invoice; its first type is stored. A ticket
    /// loses the fiscal folio of its global invoice.
    async fn turn_into_invoice(
        &mut self,
        clave: i64,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Changes the receivables that a sale had before it was invoiced into its invoice's, with this
    /// folio.
    async fn invoice_receivable(
        &mut self,
        clave: i64,
        folio: &str,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sets the exchange rate of a document and of its receivable.
    async fn set_exchange_rate(&mut self, clave: i64, tipo_cambio: Rate, now: Timestamp) -> Result<(), StoreError>;

    /// Sets since when the application has been invoicing a sale; `None` clears it.
    async fn set_invoicing(&mut self, clave: i64, since: Option<Timestamp>) -> Result<(), StoreError>;

    /// How much of a customer's advances in a currency a sale may reserve: what was paid of valid
    /// advances, less what was applied to receivables, less what other sales have reserved that are
    /// neither paid nor cancelled.
    async fn advances(&mut self, cliente: i64, moneda: &str) -> Result<Decimal, StoreError>;
}
