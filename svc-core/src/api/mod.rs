//! The operations: one folder a resource, its wire types in `mod.rs`, one file an operation. A resource that is only
//! listed is one file.

pub mod almacenes;
pub mod categorias;
pub mod clientes;
pub mod etapas_oportunidad;
pub mod compras;
pub mod compras_renglones;
pub mod cxp;
pub mod cuentas_bancarias;
pub mod health;
pub mod inventario;
pub mod leads;
pub mod marcas;
pub mod motivos_perdida;
pub mod oportunidades;
pub mod precios;
pub mod productos;
pub mod proveedores;
pub mod movimientos_inventario;
pub mod precios;
pub mod productos;
pub mod sucursales;
pub mod unidades;
pub mod vendedores;
