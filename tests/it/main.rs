//! End-to-end tests over a real PostgreSQL. The modules mirror the API's URLs; `table` goes over the whole registry.

mod authentication;
mod clientes;
mod compras;
mod compras_renglones;
mod cxp;
mod etapas_oportunidad;
mod health;
mod idempotency;
mod importing;
mod leads;
mod motivos_perdida;
mod oportunidades;
mod pipeline;
mod productos;
mod proveedores;
mod table;
