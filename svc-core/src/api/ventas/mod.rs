//! Sales documents: `/ventas`.

mod create;
mod invoice;

pub use create::{CreateSale, SaleCreated};
pub use invoice::{InvoiceRequested, InvoiceSale};

pub use crate::posting::sale::{LineBody, MOST_LINES, SaleBody};
