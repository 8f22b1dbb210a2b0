//! The invoicing of orders and quotes.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::invoice::{LockedSale, ProposedTerms};
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::time::Timestamp;

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

/// The invoicing of orders and quotes inside a transaction.
#[async_trait]
pub trait InvoicingTx {
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
