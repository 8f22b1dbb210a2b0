//! Customers, as the ERP's own screens edit them.

use schemars::Schema;
use serde_json::Value;

use super::{CustomerEdited, EditCustomer, edit};
use crate::domain::event::EventKind;
use crate::error::{Code, Error};
use crate::json::{Fault, Json, Patch};
use crate::operation::{Cx, Input, Operation, Spec};
use crate::record::customer::CustomerTerms;
use crate::schema::{self, with_field};

/// Edits a customer: the fields that the API may edit, and [`CustomerTerms`].
#[derive(Debug, Clone, Default)]
pub struct ReviseCustomer {
    /// The fields that the API may edit.
    pub customer: EditCustomer,
    /// The fields that only the back office may edit.
    pub terms: CustomerTerms,
}

impl Input for ReviseCustomer {
    fn read(input: &Json) -> Result<Self, Fault> {
        let (terms, customer) = input.split(CustomerTerms::FIELDS);
        Ok(Self { customer: customer.read()?, terms: terms.read()? })
    }

    fn schema() -> Schema {
        let more = schema::of::<CustomerTerms>();
        let fields = more.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        fields.into_iter().fold(schema::of::<EditCustomer>(), |schema, (name, field)| with_field(schema, &name, field))
    }
}

impl Operation for ReviseCustomer {
    const SPEC: Spec = Spec::new()
        .named("customer.edit")
        .each_time()
        .emits(&[EventKind::ClienteActualizado, EventKind::ClienteCreado]);
    type Output = CustomerEdited;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomerEdited, Error> {
        if let Patch::Set(vendedor) = self.terms.vendedor
            && !cx.tx.is_salesperson(vendedor).await?
        {
            return Err(Code::VendedorInvalido.into());
        }
        edit(cx, &self.customer, |data| self.terms.apply(data)).await
    }
}
