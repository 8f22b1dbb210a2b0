//! Corrections: what a substitute invoice says otherwise than the invoice that it replaces. They
//! change the sale once the substitute is stamped.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::{NewSaleLine, SaleGoods, StoreError};
use crate::domain::cfdi::Line;
use crate::domain::invoice::ProposedTerms;
use crate::domain::sale::Amounts;
use crate::domain::time::Timestamp;
use crate::domain::words::PaymentTerm;

/// A corrected sale, without its lines.
#[derive(Debug, Clone)]
pub struct Correction {
    /// Who receives the substitute.
    pub cliente: i64,
    /// Cash or credit, which decides when the receivable is due.
    pub condicion_pago: PaymentTerm,
    /// The days of credit, as `ventas.dias_credito` has them.
    pub dias_credito: Option<i64>,
    /// Form and method of payment, and CFDI use.
    pub terms: ProposedTerms,
    /// The sums of its lines.
    pub amounts: Amounts,
}

/// Corrections, by the record of the substitute in the registry.
#[async_trait]
pub trait CorrectionTx {
    /// Stores a correction; without `lines`, the sale keeps its own.
    async fn insert_correction(
        &mut self,
        factura: i64,
        correction: &Correction,
        lines: &[NewSaleLine],
    ) -> Result<(), StoreError>;

    /// The correction that a substitute makes, if it makes one.
    async fn correction(&mut self, factura: i64) -> Result<Option<Correction>, StoreError>;

    /// The corrected lines; empty if the sale keeps its own.
    async fn corrected_lines(&mut self, factura: i64) -> Result<Vec<Line>, StoreError>;

    /// The corrected lines whose products are kept in stock.
    async fn corrected_goods(&mut self, factura: i64) -> Result<Vec<SaleGoods>, StoreError>;

    /// Keeps the customer, the total and the lines of a sale before a correction, and marks the
    /// entries that are about them: all but that of the substitute, which was just written.
    async fn keep_replaced(&mut self, factura: i64, venta: i64) -> Result<(), StoreError>;

    /// Changes a sale that has no payments, its lines and its receivable as the correction says;
    /// without `vencimiento`, they stay due when they are. `corrected` is the number of corrected
    /// lines.
    async fn apply_correction(
        &mut self,
        factura: i64,
        venta: i64,
        corrected: usize,
        vencimiento: Option<NaiveDate>,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
