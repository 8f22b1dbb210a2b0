//! What business transactions write: documents, stock and its ledger, receivables, accounting
//! entries, events. The API, the back office and background work share it, so that all have the
//! same effects.

pub(crate) mod advance;
pub(crate) mod books;
pub(crate) mod cancelled;
pub(crate) mod complement;
pub(crate) mod correction;
pub(crate) mod credit_note;
pub(crate) mod discarded;
pub(crate) mod document;
mod exchange;
pub(crate) mod favour;
pub(crate) mod global;
pub(crate) mod invoice;
pub(crate) mod issuer;
pub(crate) mod lines;
pub(crate) mod mailing;
pub(crate) mod payment;
pub(crate) mod payment_data;
pub(crate) mod payment_undone;
pub(crate) mod products;
pub(crate) mod prospect;
pub(crate) mod purchases;
pub(crate) mod queued;
pub(crate) mod receiver;
pub(crate) mod refund;
pub(crate) mod rest;
pub(crate) mod returns;
pub(crate) mod sale;
pub(crate) mod stamped;
pub(crate) mod stock;
pub(crate) mod ticket;
