//! Accounts payable.

/// Accounts payable inside a transaction.
pub trait PayableTx {}
