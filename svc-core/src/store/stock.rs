//! Branches, warehouses, stock and its ledger.

/// Branches, warehouses, stock and its ledger inside a transaction.
pub trait StockTx {}
