//! The operations: one folder a resource, its wire types in `mod.rs`, one file an operation. A resource that is only
//! listed is one file.

pub mod categorias;
pub mod clientes;
pub mod cxc;
pub mod cxc_pagos;
pub mod facturas;
pub mod health;
pub mod leads;
pub mod marcas;
pub mod precios;
pub mod productos;
pub mod unidades;
pub mod ventas;
pub mod ventas_renglones;
