//! `POST /ventas/{clave}/facturar`

mod checks;
mod effect;
mod life;
mod money;
mod order;
mod races;
mod repeated;
