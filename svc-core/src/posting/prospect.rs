//! Turns prospects that buy into customers.

use crate::domain::event::Event;
use crate::error::Error;
use crate::operation::Cx;

/// Makes a customer of a prospect to whom something is sold, and emits `cliente.creado`, which
/// their entry as a prospect did not (spec, "Event catalogue"). A quote sells nothing yet.
pub(crate) async fn becomes_customer(cx: &mut Cx<'_>, cliente: i64) -> Result<(), Error> {
    if cx.tx.become_customer(cliente, cx.now).await? {
        cx.emit(&Event::ClienteCreado { cliente }).await?;
    }
    Ok(())
}
