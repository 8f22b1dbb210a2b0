//! Advances (anticipos) that were named for an order or a quote.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;

/// An advance, as what applies it needs it.
#[derive(Debug, Clone)]
pub struct Advance {
    /// Its sale, whose only line has its rate of IVA.
    pub venta: i64,
    /// Its invoice, by its record in the registry.
    pub factura: i64,
    /// Who paid it.
    pub cliente: Option<i64>,
    /// Its currency.
    pub moneda: String,
    /// Pesos for one unit of it.
    pub tipo_cambio: Rate,
    /// What was paid of it and no invoice has applied.
    pub restante: Money,
}

/// Advances inside a transaction.
#[async_trait]
pub trait AdvanceTx {
    /// An invoiced advance that is not cancelled, locked until the end.
    async fn lock_advance(&mut self, anticipo: i64) -> Result<Option<Advance>, StoreError>;

    /// Names an advance for a sale; `false` if it was named before.
    async fn name_advance(&mut self, venta: i64, anticipo: i64) -> Result<bool, StoreError>;

    /// The advances that were named for a sale, by their claves.
    async fn named_advances(&mut self, venta: i64) -> Result<Vec<i64>, StoreError>;

    /// Names the advances of a sale for another too, a part of it.
    async fn name_advances_of(&mut self, venta: i64, parte: i64) -> Result<(), StoreError>;
}
