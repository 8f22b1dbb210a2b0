//! Payments of receivables: `/cxc/{clave}/pagos`.

mod apply_payment;

pub use apply_payment::{PayReceivable, PaymentApplied};
