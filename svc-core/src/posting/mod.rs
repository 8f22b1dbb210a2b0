//! The postings of business transactions: documents, stock and its ledger, receivables, accounting
//! entries, events. The API and the back office share them, so that both channels have the same
//! effects.

pub(crate) mod advance;
pub(crate) mod books;
pub(crate) mod cancelled;
pub(crate) mod credit_note;
pub(crate) mod document;
pub(crate) mod invoice;
pub(crate) mod lines;
pub(crate) mod payment;
pub(crate) mod products;
pub(crate) mod prospect;
pub(crate) mod purchases;
pub(crate) mod sale;
pub(crate) mod stamped;
pub(crate) mod stock;
