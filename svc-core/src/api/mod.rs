//! The operations: one folder a resource, its wire types in `mod.rs`, one file an operation.

pub mod clientes;
pub mod health;
pub mod leads;
pub mod productos;
