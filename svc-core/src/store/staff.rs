//! Salespeople.

/// Salespeople inside a transaction.
pub trait StaffTx {}
