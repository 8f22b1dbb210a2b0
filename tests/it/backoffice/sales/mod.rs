//! `sale.capture`, `sale.invoicing-begin`, `sale.invoicing-end`, `sale.cancel`, `order.fulfil`

mod cancel;
mod capture;
mod fulfil;
mod imported;
mod invoicing;
mod races;
