//! Purchase orders, the receipt of their goods, and accounts payable.

mod import;
mod order;
mod payable;

pub use order::{CapturePurchase, OrderLine, PurchaseReceived, PurchaseRef, ReceivePurchase, ReceivedLine};
pub use payable::{CapturePayable, PayPayable, PayablePaid, PayableRef};
