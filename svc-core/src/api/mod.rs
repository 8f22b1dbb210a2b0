//! The operations that are reached over HTTP: one folder a resource, one file an operation. Lists stand with their records.

pub mod clientes;
pub mod cxc;
pub mod health;
pub mod leads;
pub mod productos;
pub mod ventas;
pub mod webhooks;
