//! What a business fact writes to the books, in the caller's transaction: documents, stock and its ledger, receivables,
//! accounting entries, events. The API's operations and the back office's actions both post through here, so that a
//! sale is the same sale whoever makes it.

pub(crate) mod books;
pub(crate) mod invoice;
pub(crate) mod lines;
pub(crate) mod payment;
pub(crate) mod products;
pub(crate) mod sale;
pub(crate) mod stamped;
pub(crate) mod stock;
