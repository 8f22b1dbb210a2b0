//! Suppliers.

/// Suppliers inside a transaction.
pub trait SupplierTx {}
