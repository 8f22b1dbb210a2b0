//! `PUT /clientes/{clave}`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{WRITE_ERRORS, refuse_franchise};
use crate::domain::event::{Event, EventKind};
use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::customer::{CustomerData, EditCustomer};
use crate::store::{Conflict, StoreError};

/// The answer of [`EditCustomer`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct CustomerEdited {
    /// The customer's clave.
    pub cliente: i64,
}

impl Operation for EditCustomer {
    const SPEC: Spec = Spec::new()
        .http(Http::put("/clientes/{clave}", Scope::ClientesWrite))
        .emits(&[EventKind::ClienteActualizado])
        .errors(WRITE_ERRORS);
    type Output = CustomerEdited;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomerEdited, Error> {
        edit(cx, self, |_| ()).await
    }
}

/// Edits a customer; `further` makes the changes that only the back office may make. A prospect
/// that stops being one counts as a created customer.
pub(crate) async fn edit(
    cx: &mut Cx<'_>,
    body: &EditCustomer,
    further: impl FnOnce(&mut CustomerData),
) -> Result<CustomerEdited, Error> {
    let cliente = body.clave;
    let before = cx.tx.customer(cliente).await?.ok_or(Code::NoEncontrado)?;
    refuse_franchise(cx)?;
    let mut after = before.clone();
    after.edit(body);
    // The name is also the legal name (contract §4), so that a tax document cannot show an older
    // one.
    if after.nombre != before.nombre && before.razon_social.is_some() {
        after.razon_social.clone_from(&after.nombre);
    }
    further(&mut after);
    after.normalize(&before)?;
    if after.rfc != before.rfc
        && let Some(rfc) = after.rfc.as_deref()
        && let Some(owner) = cx.tx.customer_of_rfc(rfc).await?
    {
        return Err(StoreError::from(Conflict::Rfc(Some(owner))).into());
    }
    if after != before {
        cx.tx.update_customer(cliente, &after, cx.now).await?;
        cx.emit(&Event::ClienteActualizado { cliente }).await?;
        if before.prospecto && !after.prospecto {
            cx.emit(&Event::ClienteCreado { cliente }).await?;
        }
    }
    Ok(CustomerEdited { cliente })
}
