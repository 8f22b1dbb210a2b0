//! End-to-end tests over a real PostgreSQL. The modules mirror the API's URLs; `table` goes over the whole registry.

mod authentication;
mod clientes;
mod etapas_oportunidad;
mod health;
mod idempotency;
mod importing;
mod leads;
mod motivos_perdida;
mod oportunidades;
mod pipeline;
mod productos;
mod table;
