//! `PUT /clientes/{clave}`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{WRITE_ERRORS, refuse_franchise};
use crate::domain::event::{Event, EventKind};
use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::customer::{CustomerData, EditCustomer};

/// The answer of [`EditCustomer`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct CustomerEdited {
    /// The customer's clave.
    pub cliente: i64,
}

impl Operation for EditCustomer {
    const SPEC: Spec = Spec::new("Edit a customer")
        .http(Http::put("/clientes/{clave}", Scope::ClientesWrite))
        .emits(&[EventKind::ClienteActualizado])
        .errors(WRITE_ERRORS);
    type Output = CustomerEdited;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomerEdited, Error> {
        edit(cx, self, |_| ()).await
    }
}

/// Edits a customer, with what `further` changes besides. Who was a prospect and is none any more
/// becomes a customer then.
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
    // The name is the legal name too (contract §4): the tax document must not bear an older one.
    if after.nombre != before.nombre && before.razon_social.is_some() {
        after.razon_social.clone_from(&after.nombre);
    }
    further(&mut after);
    after.normalize(&before)?;
    if after != before {
        cx.tx.update_customer(cliente, &after, cx.now).await?;
        cx.emit(&Event::ClienteActualizado { cliente }).await?;
        if before.prospecto && !after.prospecto {
            cx.emit(&Event::ClienteCreado { cliente }).await?;
        }
    }
    Ok(CustomerEdited { cliente })
}
