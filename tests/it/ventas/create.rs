//! `POST /ventas`
