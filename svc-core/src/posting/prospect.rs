//! Turns prospects that buy into customers.

use crate::domain::event::Event;
use crate::error::Error;
use crate::operation::Cx;

/// Turns a prospect that buys into a customer and emits `cliente.creado`, which creating the
/// prospect did not (spec, "Event catalogue"). A quote does not.
pub(crate) async fn becomes_customer(cx: &mut Cx<'_>, cliente: i64) -> Result<(), Error> {
    if cx.tx.convert_prospect(cliente, cx.now).await? {
        cx.emit(&Event::ClienteCreado { cliente }).await?;
    }
    Ok(())
}
