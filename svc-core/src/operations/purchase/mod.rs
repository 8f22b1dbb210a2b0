//! Purchase orders, the receipt of their goods, and accounts payable.

mod close;
mod correction;
mod import;
mod order;
mod payable;

pub use close::{ClosePurchase, PurchaseClosed};
pub use correction::{CancelPayable, CancelPayablePayment, EditPayable};
pub use order::{CapturePurchase, OrderLine, PurchaseReceived, PurchaseRef, ReceivePurchase, ReceivedLine};
pub use payable::{CapturePayable, PayPayable, PayablePaid, PayableRef};
