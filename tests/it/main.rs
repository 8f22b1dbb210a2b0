//! End-to-end tests over a real PostgreSQL. The modules mirror the API's URLs; `table` goes over the whole registry.

mod authentication;
mod clientes;
mod cxc;
mod cxc_pagos;
mod documents;
mod facturas;
mod health;
mod idempotency;
mod importing;
mod leads;
mod pipeline;
mod productos;
mod table;
mod ventas;
mod ventas_renglones;
