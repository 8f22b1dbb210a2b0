//! Sales documents, their lines, and what becomes of orders and quotes.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::{Numbered, StoreError};
use crate::domain::invoice::{LockedSale, ProposedTerms};
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
    /// Type; never `remision`.
    pub tipo: SaleKind,
    /// Series of its folio.
    pub serie: Option<&'a str>,
    /// When it is made.
    pub fecha: Timestamp,
    /// Branch.
    pub sucursal: i64,
    /// Warehouse.
    pub almacen: i64,
    /// Customer.
    pub cliente: i64,
    /// Salesperson.
    pub vendedor: Option<i64>,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// Payment term: cash or credit.
    pub condicion_pago: PaymentTerm,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<&'a str>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<&'a str>,
    /// CFDI use.
    pub uso_cfdi: Option<&'a str>,
    /// Its amounts; the balance is the total.
    pub amounts: Amounts,
    /// Channel it was captured in.
    pub origen: SaleOrigin,
    /// Reference.
    pub referencia: Option<&'a str>,
    /// Comments.
    pub comentarios: Option<&'a str>,
    /// Its lines, in their order.
    pub lines: &'a [NewSaleLine],
}

impl NewSale<'_> {
    /// How far it is fulfilled; only an order is followed.
    pub fn fulfilment(&self) -> Option<Fulfilment> {
        (self.tipo == SaleKind::Pedido).then_some(Fulfilment::Pendiente)
    }

    /// How much of one of its lines is handed over: of an order nothing yet, of a quote nothing
    /// ever, else all of it.
    pub fn handed_over(&self, line: &NewSaleLine) -> Quantity {
        match self.tipo {
            SaleKind::Pedido | SaleKind::Cotizacion => Quantity::default(),
            _ => line.cantidad,
        }
    }
}

/// A line of a sales document to be stored.
#[derive(Debug, Clone)]
pub struct NewSaleLine {
    /// The product's clave; none of a line that bills no product.
    pub producto: Option<i64>,
    /// The product as it is sold.
    pub product: SaleProduct,
    /// Description.
    pub descripcion: Option<String>,
    /// Quantity.
    pub cantidad: Quantity,
    /// Unit price, before IVA.
    pub precio_unitario: Money,
    /// The rates of its taxes.
    pub rates: LineRates,
    /// Its amounts.
    pub amounts: Amounts,
}

/// A line of a sale whose product is kept in stock.
#[derive(Debug, Clone)]
pub struct SaleGoods {
    /// The line's number.
    pub renglon: i64,
    /// The product.
    pub producto: i64,
    /// Its SKU.
    pub sku: Option<String>,
    /// Quantity.
    pub cantidad: Quantity,
    /// Current unit cost, in pesos.
    pub costo: Money,
}

/// What an order or a quote is updated with when it is invoiced.
#[derive(Debug)]
pub struct InvoicedSale<'a> {
    /// The registry's record.
    pub factura: i64,
    /// Series.
    pub serie: &'a str,
    /// Number in the series.
    pub folio: i64,
    /// When it is due.
    pub vencimiento: NaiveDate,
    /// Its payment terms, complete.
    pub terms: &'a ProposedTerms,
    /// What it counts of the customer's advances as its own, in its currency; until it is paid no
    /// other sale counts that.
    pub anticipo_contado: Option<Money>,
}

/// Sales documents: capture, fulfilment, division and invoicing.
#[async_trait]
pub trait SaleTx {
    /// The next folio of documents of that type and series. Folios have no gaps: their series are
    /// locked until the end.
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError>;

    /// Inserts a document with its lines, under the next folio of its type and series.
    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError>;

    /// The lines of an order.
    async fn order_lines(&mut self, clave: i64) -> Result<Vec<FulfilmentLine>, StoreError>;

    /// Updates the quantity delivered of each line, and the fulfilment of the whole.
    async fn set_fulfilment(
        &mut self,
        clave: i64,
        lines: &[FulfilmentLine],
        fulfilment: Fulfilment,
        monto_surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The lines of an order with what their amounts follow from.
    async fn priced_lines(&mut self, clave: i64) -> Result<Vec<PricedLine>, StoreError>;

    /// Takes what was handed over out of an order, which keeps the rest, of which nothing is handed
    /// over: a new order has it with the same terms and line numbers, fulfilled, and the movements
    /// of its goods; it is made to be invoiced. Returns its clave.
    async fn divide_order(
        &mut self,
        clave: i64,
        handed: &OrderPart,
        left: &OrderPart,
        now: Timestamp,
    ) -> Result<i64, StoreError>;

    /// Changes a quote into an order of that folio, whose goods are in `almacen`; nothing of it is
    /// handed over.
    async fn turn_into_order(&mut self, clave: i64, folio: i64, almacen: i64, now: Timestamp)
    -> Result<(), StoreError>;

    /// Sets a document as cancelled, with balance zero.
    async fn set_sale_cancelled(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Links a sale to its record in the invoice registry.
    async fn set_sale_invoice(&mut self, clave: i64, factura: i64) -> Result<(), StoreError>;

    /// A sale, locked until the end. Fails with [`StoreError::Busy`] when another transaction holds
    /// the lock for too long.
    async fn lock_sale(&mut self, clave: i64) -> Result<Option<LockedSale>, StoreError>;

    /// The lines of a sale whose products are kept in stock, in order.
    async fn sale_goods(&mut self, clave: i64) -> Result<Vec<SaleGoods>, StoreError>;

    /// Changes the type of an order or a quote to invoice; what it was made as is remembered.
    async fn turn_into_invoice(
        &mut self,
        clave: i64,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Makes the receivable that a fulfilled order has its invoice's, of that folio; `false` when
    /// it has none.
    async fn invoice_receivable(
        &mut self,
        clave: i64,
        folio: &str,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Gives a document, and what is owed of it, another exchange rate.
    async fn set_exchange_rate(&mut self, clave: i64, tipo_cambio: Rate, now: Timestamp) -> Result<(), StoreError>;

    /// Sets since when the application has been invoicing a sale; `None` clears it.
    async fn set_invoicing(&mut self, clave: i64, since: Option<Timestamp>) -> Result<(), StoreError>;

    /// The advances of a customer in a currency that a sale may count as its own: what was paid of
    /// their valid advances, less what of it was applied to receivables, and less what other sales
    /// have counted that are neither paid nor cancelled.
    async fn advances(&mut self, cliente: i64, moneda: &str) -> Result<Decimal, StoreError>;
}
