//! Accounts receivable and their payments.

mod import;
mod pay;
mod payment;

pub use pay::{PayReceivable, PaymentApplied};
pub use payment::{
    Application, ApplyPayment, CancelPayment, CaptureDeposit, DepositRef, PaymentCancelled, PaymentRef, PaymentsApplied,
};
