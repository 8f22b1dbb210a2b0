//! `POST /ventas/{clave}/facturar`

mod checks;
mod effect;
mod money;
mod order;
mod races;
mod repeated;
