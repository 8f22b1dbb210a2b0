//! `POST /ventas`

mod body;
mod document;
mod prices;
mod races;
mod stock;
