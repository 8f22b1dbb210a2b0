//! Discarding documents that ended in `error` (contract §7, `document.discard`).

use async_trait::async_trait;

use super::StoreError;
use crate::domain::time::Timestamp;
use crate::domain::words::{Fulfilment, SaleKind};

/// What a sale was before its invoice.
#[derive(Debug, Clone)]
pub struct SaleBefore {
    /// An order, a quote or a ticket.
    pub tipo: SaleKind,
    /// `None` if its type has one counter.
    pub serie: Option<String>,
    /// Its number; `None` if it was divided from an order, whose number it had.
    pub folio: Option<i64>,
    /// How far it was fulfilled; of orders only.
    pub surtido: Option<Fulfilment>,
}

impl SaleBefore {
    /// Whether it was owed before it was invoiced, so that its goods had left.
    pub fn was_owed(&self) -> bool {
        self.tipo == SaleKind::Venta || self.surtido == Some(Fulfilment::Surtido)
    }
}

/// A valid payment of a sale.
#[derive(Debug, Clone, Copy)]
pub struct SalePayment {
    /// Clave in `cxc_pagos`.
    pub pago: i64,
    /// Whether it needs a payment complement.
    pub con_complemento: bool,
}

/// What a discarded document gives back.
#[async_trait]
pub trait DiscardTx {
    /// What a sale was before `factura` became its invoice; `None` if it was captured as an invoice
    /// or imported.
    async fn sale_before(&mut self, factura: i64) -> Result<Option<SaleBefore>, StoreError>;

    /// Makes the sale of a discarded invoice what it was before, under this number. A receivable
    /// that is not cancelled is again that of the order or ticket; `impreso` is its folio.
    async fn restore_sale(&mut self, factura: i64, folio: i64, impreso: &str, now: Timestamp)
    -> Result<(), StoreError>;

    /// Removes its invoice from a sale.
    async fn detach_invoice(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError>;

    /// The valid payments of a sale, in ascending order of clave. The caller has locked its
    /// receivables.
    async fn payments_of_sale(&mut self, venta: i64) -> Result<Vec<SalePayment>, StoreError>;

    /// The records of the credit notes about an invoice that are not cancelled, in ascending order
    /// of clave.
    async fn notes_about(&mut self, factura: i64) -> Result<Vec<i64>, StoreError>;

    /// Removes a record from the stamping queue, with its validated and its sealed document.
    async fn unqueue_stamping(&mut self, factura: i64) -> Result<(), StoreError>;

    /// Removes sales from a global invoice that is not stamped.
    async fn release_from_global(&mut self, factura: i64, ventas: &[i64], now: Timestamp) -> Result<(), StoreError>;
}
