//! Sales documents and their lines.

/// Sales documents and their lines inside a transaction.
pub trait SaleTx {}
