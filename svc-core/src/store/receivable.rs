//! Receivables, payments and bank accounts.

/// Receivables, payments and bank accounts inside a transaction.
pub trait ReceivableTx {}
