//! `/movimientos-inventario`

mod import;
mod list;
