//! End-to-end tests over a real PostgreSQL. The modules mirror the API's URLs; `table` goes over the whole registry.

mod almacenes;
mod authentication;
mod clientes;
mod compras;
mod compras_renglones;
mod cxp;
mod etapas_oportunidad;
mod cuentas_bancarias;
mod finding;
mod health;
mod idempotency;
mod importing;
mod inventario;
mod leads;
mod motivos_perdida;
mod oportunidades;
mod pipeline;
mod productos;
mod proveedores;
mod movimientos_inventario;
mod pipeline;
mod productos;
mod sucursales;
mod table;
mod vendedores;
