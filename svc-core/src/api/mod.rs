//! The operations that are reached over HTTP: one folder for each resource, one file for each operation. Lists are in [`crate::record`].

pub mod clientes;
pub mod cxc;
pub mod facturas;
pub(crate) mod health;
pub mod leads;
pub mod productos;
pub mod ventas;
pub mod webhooks;
