//! Closing a purchase order when nothing more of it comes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::order::locked;
use crate::domain::purchase::validate_open;
use crate::domain::quantity::Quantity;
use crate::domain::words::PurchaseStatus;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::purchases::{self, Came};

/// Closes a purchase order of which nothing more comes. If nothing came it is cancelled, which its
/// account payable must be before; otherwise it is received, and once it is billed the bill may
/// differ from what came.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosePurchase {
    /// The clave of the purchase order.
    pub compra: i64,
}

/// The order that was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PurchaseClosed {
    /// The clave of the purchase order.
    pub compra: i64,
    /// What became of it: `recibida` or `cancelada`.
    pub estatus: PurchaseStatus,
}

impl Operation for ClosePurchase {
    const SPEC: Spec = Spec::new().named("purchase.close");
    type Output = PurchaseClosed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PurchaseClosed, Error> {
        let compra = self.compra;
        let order = locked(cx, compra).await?;
        validate_open(order.estatus)?;
        let bill = cx.tx.bill_of_purchase(compra, order.cxp).await?;
        let lines = cx.tx.ordered_lines(compra).await?;
        let came = lines.iter().any(|line| line.recibida > Quantity::default());
        let estatus = match bill {
            _ if came => PurchaseStatus::Recibida,
            None => PurchaseStatus::Cancelada,
            Some(bill) => {
                let text =
                    format_args!("tiene la cuenta por pagar {}; primero se cancela con payable.cancel", bill.cxp);
                return Err(Error::field(Code::EstadoInvalido, "compra", text));
            }
        };
        if came {
            purchases::received(cx, compra, &Came::default(), estatus, None, bill, &order).await?;
        }
        cx.tx.update_purchase(compra, estatus, bill.map(|bill| bill.cxp), cx.now).await?;
        Ok(PurchaseClosed { compra, estatus })
    }
}
