//! Sales documents: `/ventas`.

mod advance;
mod capture;
mod create;
pub(super) mod import;
mod invoice;
mod order;
mod read;
mod returns;
mod ticket;

pub use advance::{AdvanceCaptured, AdvanceRef, ApplyAdvance, CaptureAdvance};
pub use capture::{
    BeginInvoicing, CancelSale, CaptureSale, EndInvoicing, FulfilOrder, HandedOver, SaleCaptured, SaleRef,
};
pub use create::{CreateSale, SaleCreated};
pub use invoice::{InvoiceRequested, InvoiceSale};
pub use order::{InvoiceOrder, OrderInvoiced, OrderQuote};
pub use read::ReadSale;
pub(super) use returns::IMPORTED_RETURNS;
pub use returns::{GoodsReturned, ReturnGoods, ReturnedGoods};
pub use ticket::PrintTicket;

pub use crate::posting::sale::{LineBody, MAX_LINES, SaleBody};
