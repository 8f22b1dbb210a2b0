//! Credit notes, the balances in customers' favour that they give rise to, and advances
//! (anticipos).

use async_trait::async_trait;

use super::{GoodsGone, StoreError};
use crate::domain::cfdi::TipoRelacion;
use crate::domain::credit_note::{CreditLine, Credited};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::sale::Amounts;
use crate::domain::time::Timestamp;

/// A credit note; its series, folio and status are its record's in the registry.
#[derive(Debug, Clone)]
pub struct CreditNote {
    /// The sale it takes something off.
    pub venta: i64,
    /// How its document relates to the invoice's: 01, 03, or 07 of an advance that is applied.
    pub relacion: TipoRelacion,
    /// `c_FormaPago`.
    pub forma_pago_sat: String,
    /// What it comes to, in the sale's currency.
    pub amounts: Amounts,
    /// The payment by which it lowers the sale's receivable, if it does.
    pub pago: Option<i64>,
    /// The advance that it applies, by the clave of its sale: then the lines are that sale's.
    pub anticipo: Option<i64>,
    /// Its lines, in the order of the sale's.
    pub lines: Vec<CreditLine>,
}

/// A balance in a customer's favour to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewFavour<'a> {
    /// The customer.
    pub cliente: i64,
    /// Currency.
    pub moneda: &'a str,
    /// How much.
    pub importe: Money,
    /// The credit note that it is of, by its record in the registry.
    pub factura: i64,
}

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

/// Credit notes, balances in favour and advances.
#[async_trait]
pub trait CreditTx {
    /// Inserts a credit note under its record in the registry.
    async fn insert_credit_note(&mut self, factura: i64, note: &CreditNote) -> Result<(), StoreError>;

    /// The credit note of that record.
    async fn credit_note(&mut self, factura: i64) -> Result<Option<CreditNote>, StoreError>;

    /// What credit notes that are not cancelled took back of each line of a sale, advances that
    /// were applied aside; by the line's number.
    async fn credited(&mut self, venta: i64) -> Result<Vec<(i64, Credited)>, StoreError>;

    /// Whether a sale has credit notes that are not cancelled.
    async fn has_credit_notes(&mut self, venta: i64) -> Result<bool, StoreError>;

    /// The receivable of a sale of which something is owed, the oldest first, and how much. The
    /// sale's are locked before.
    async fn owed_of_sale(&mut self, venta: i64) -> Result<Option<(i64, Money)>, StoreError>;

    /// What a sale took out of warehouses and credit notes have not brought back.
    async fn goods_not_back(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError>;

    /// What the credit note of that folio brought back of a sale.
    async fn goods_back(&mut self, venta: i64, folio: &str) -> Result<Vec<GoodsGone>, StoreError>;

    /// Stores a balance in a customer's favour.
    async fn insert_favour(&mut self, favour: NewFavour<'_>, now: Timestamp) -> Result<(), StoreError>;

    /// Removes the balance in a customer's favour that a cancelled credit note gave rise to.
    async fn drop_favour(&mut self, factura: i64) -> Result<(), StoreError>;

    /// An invoiced advance that is not cancelled, locked until the end.
    async fn lock_advance(&mut self, anticipo: i64) -> Result<Option<Advance>, StoreError>;

    /// Names an advance for a sale; `false` if it was named before.
    async fn name_advance(&mut self, venta: i64, anticipo: i64) -> Result<bool, StoreError>;

    /// The advances that were named for a sale, by their claves.
    async fn named_advances(&mut self, venta: i64) -> Result<Vec<i64>, StoreError>;

    /// Names the advances of a sale for another too, a part of it.
    async fn name_advances_of(&mut self, venta: i64, parte: i64) -> Result<(), StoreError>;
}
