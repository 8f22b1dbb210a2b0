//! The operations: one folder a resource, its wire types in `mod.rs`, one file an operation. A resource that is only
//! listed is one file.

pub mod almacenes;
pub mod categorias;
pub mod clientes;
pub mod compras;
pub mod compras_renglones;
pub mod cuentas_bancarias;
pub mod cxc;
pub mod cxc_pagos;
pub mod cxp;
pub mod etapas_oportunidad;
pub mod facturas;
pub mod health;
pub mod inventario;
pub mod leads;
pub mod marcas;
pub mod motivos_perdida;
pub mod movimientos_inventario;
pub mod oportunidades;
pub mod precios;
pub mod productos;
pub mod proveedores;
pub mod sucursales;
pub mod unidades;
pub mod vendedores;
pub mod ventas;
pub mod ventas_renglones;
pub mod webhooks;
