//! Accounts receivable and their payments.

mod deposit;
mod import;
mod pay;
mod payment;
mod refund;

pub use deposit::{CancelDeposit, CaptureDeposit, DepositRef};
pub use pay::{PayReceivable, PaymentApplied};
pub use payment::{Application, ApplyPayment, CancelPayment, PaymentCancelled, PaymentRef, PaymentsApplied};
pub use refund::{AdvanceRefunded, FavourRefunded, RefundAdvance, RefundFavour};
