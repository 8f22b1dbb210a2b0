//! Tax documents: files, outcomes of stamping, cancellation, substitution and credit notes.

mod credit_note;
mod discard;
mod files;
mod global;
mod outcome;
mod period;
mod reissue;
mod save;
mod send;
mod substitute;
mod substitute_global;
mod substitution;

pub use credit_note::{CaptureCreditNote, CreditNoteCaptured, CreditedLine};
pub use discard::DiscardDocument;
pub use files::{InvoicePdf, InvoiceXml};
pub use global::{InvoicePeriod, PeriodInvoiced};
pub use outcome::{AcceptCancellation, CancelInvoice, InvoiceRef, InvoiceRejected, InvoiceStamped, RejectCancellation};
pub use reissue::{ReissueInvoice, ReissuePayment};
pub use save::{SavePdf, SaveXml};
pub use send::{InvoiceSent, SendInvoice};
pub use substitute::{InvoiceChanges, SubstituteInvoice};
