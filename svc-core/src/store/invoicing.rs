//! Sales that become invoices.

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::invoice::{InvoiceableSale, Terms};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::time::Timestamp;

/// Goods of a sale: a line whose product has stock.
#[derive(Debug, Clone)]
pub struct SaleGoods {
    /// The line's number.
    pub renglon: i64,
    /// The product.
    pub producto: i64,
    /// Its SKU.
    pub sku: Option<String>,
    /// How many.
    pub cantidad: Quantity,
    /// What one costs now, in pesos.
    pub costo: Money,
}

/// What a sale gets when it becomes an invoice.
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
    /// Its terms, none missing any more.
    pub terms: &'a Terms,
}

/// Sales that become invoices, inside a transaction.
#[async_trait]
pub trait InvoicingTx {
    /// A sale to be invoiced, locked until the end. Another transaction that keeps it for too long is [`StoreError::Busy`].
    async fn lock_sale(&mut self, clave: i64) -> Result<Option<InvoiceableSale>, StoreError>;

    /// The goods of a sale, in the order of its lines.
    async fn sale_goods(&mut self, clave: i64) -> Result<Vec<SaleGoods>, StoreError>;

    /// Makes an order or a quote the invoice it became: all of it is owed.
    async fn turn_into_invoice(
        &mut self,
        clave: i64,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Writes since when the application has been invoicing a sale; `None` when it is not.
    async fn set_invoicing(&mut self, clave: i64, since: Option<Timestamp>) -> Result<(), StoreError>;

    /// What a customer paid in advance in a currency and is not applied yet: what is paid of their valid advances, less
    /// what of it was applied to receivables.
    async fn advances(&mut self, cliente: i64, moneda: &str) -> Result<Decimal, StoreError>;
}
