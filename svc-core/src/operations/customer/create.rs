//! `POST /clientes`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{WRITE_ERRORS, refuse_franchise};
use crate::domain::event::{Event, EventKind};
use crate::domain::scope::Scope;
use crate::error::Error;
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::customer::{CreateCustomer, CustomerData};
use crate::store::NewCustomerRow;

/// The answer of [`CreateCustomer`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct CustomerCreated {
    /// The customer's clave.
    pub cliente: i64,
    /// The customer's folio.
    pub folio: String,
    /// The customer's RFC as it is stored: in upper case.
    pub rfc: Option<String>,
}

impl Operation for CreateCustomer {
    const SPEC: Spec = Spec::new()
        .named("customer.create")
        .http(Http::post("/clientes", Scope::ClientesWrite))
        .emits(&[EventKind::ClienteCreado])
        .errors(WRITE_ERRORS);
    type Output = CustomerCreated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomerCreated, Error> {
        refuse_franchise(cx)?;
        let mut data = CustomerData::from(self);
        data.normalize(&CustomerData::default())?;
        let row = NewCustomerRow { data: &data, mensaje: None, creado: cx.now };
        let cliente = cx.tx.insert_customer(&row).await?;
        cx.emit(&Event::ClienteCreado { cliente }).await?;
        Ok(CustomerCreated { cliente, folio: cliente.to_string(), rfc: data.rfc })
    }
}
