//! The invoice registry.

/// The invoice registry inside a transaction.
pub trait InvoiceTx {}
