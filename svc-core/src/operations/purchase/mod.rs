//! Purchase orders, received goods, accounts payable.

mod import;
mod order;
mod payable;

pub use order::{CapturePurchase, OrderLine, PurchaseNamed, PurchaseReceived, ReceivePurchase, ReceivedLine};
pub use payable::{CapturePayable, PayPayable, PayableNamed, PayablePaid};
