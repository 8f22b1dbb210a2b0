//! Purchase orders and their lines.

/// Purchase orders and their lines inside a transaction.
pub trait PurchaseTx {}
